#!/usr/bin/env python3
"""Trains by a learner and workers over a NATS server, kills them at random moments, and checks that
the run comes out as on one machine, bit for bit: games, weights and evaluations.

    scripts/cluster.py same --workers 4
    scripts/cluster.py kill 10
    scripts/cluster.py ladder
    scripts/cluster.py fault

`ladder` plays a ladder by workers and on this machine, and compares all games.
`kill` sends SIGKILL to a worker, the learner or the server at random moments and starts it again, and
stops a worker for a while with SIGSTOP. `fault` has servers that refuse, sends garbage and far too
large messages to a run, has a worker and a learner with wrong clocks (by `faketime`, if it is there), tasks
of another version, and a disk that is full until it grows (a tmpfs, if it can be mounted). Needs `nats-server` on the path (`apt-get install
nats-server`) and the program with the feature `cluster`. Everything happens in a new folder below the
system's temporary folder.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from cluster_faults import Faults, check_refusals

CONFIG = """
game = 'neutron5'
seed = 7
iterations = {iterations}
network = {{ channels = 8, blocks = 2, value_hidden = 8 }}
selfplay = {{ games = 64, simulations = {simulations}, resign_below = 0.1, placement_share = 0.3 }}
replay = {{ window = 4000 }}
learner = {{ batch = 32, schedule = 'constant' }}
evaluation = {{ every = 6, games = 12, simulations = 8, panel = ['random', 'uct?rollouts=50'] }}
"""

NAME = "small"


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Cluster:
    """A server, a learner and workers, each of which can be killed and started again."""

    def __init__(self, program, folder, workers, extra):
        self.program, self.folder, self.extra = program, folder, extra
        self.port = free_port()
        # What a program finds in its environment besides ours, by the name of its log.
        self.environment = {}
        self.server = self.learner = None
        self.threads = 1
        self.workers = [None] * workers

    @property
    def address(self):
        return f"nats://127.0.0.1:{self.port}"

    def start(self, name, command):
        log, environment = open(self.folder / f"{name}.log", "ab"), self.environment.get(name, {})
        return subprocess.Popen(
            command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=os.environ | environment
        )

    def start_server(self, options=("-js",)):
        command = ["nats-server", "-sd", self.folder / "server", "-a", "127.0.0.1", *options]
        self.server = self.start("server", [*command, "-p", str(self.port)])
        for _ in range(200):
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        sys.exit("the server does not start; see server.log")

    def start_learner(self):
        run = self.folder / "cluster" / NAME
        command = [self.program, "train", self.folder / "config.toml", "--run", run]
        self.learner = self.start("learner", [*command, "--cluster", self.address, *self.extra])

    def start_worker(self, index):
        command = [self.program, "worker", self.address, "--threads", str(self.threads)]
        self.workers[index] = self.start(f"worker{index}", command)

    def start_clients(self):
        self.start_learner()
        for index in range(len(self.workers)):
            self.start_worker(index)

    def stop_all(self):
        for process in [self.learner, *self.workers, self.server]:
            if process is not None:
                process.kill()
                process.wait()

    def disturb(self, chance):
        """Kills one of them, or stops a worker for a while. Returns what was done."""
        what = chance.choice(["worker", "worker", "learner", "server", "pause"])
        index = chance.randrange(len(self.workers))
        if what == "worker":
            kill(self.workers[index])
            self.start_worker(index)
        elif what == "learner":
            if self.learner.poll() is None:
                kill(self.learner)
                self.start_learner()
        elif what == "server":
            kill(self.server)
            time.sleep(chance.uniform(0, 2))
            self.start_server()
        else:
            self.workers[index].send_signal(signal.SIGSTOP)
            time.sleep(chance.uniform(1, 5))
            self.workers[index].send_signal(signal.SIGCONT)
        return what

    def worker_again(self):
        """Starts workers that ended because they found no server."""
        for index, worker in enumerate(self.workers):
            if worker.poll() is not None:
                self.start_worker(index)


def kill(process):
    process.kill()
    process.wait()


def evaluations(run):
    """The results of the games of all evaluations of a run."""
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    found = [line for line in lines if line["phase"] == "evaluation"]
    return [[line[key] for key in ["iteration", "met", "rating", "best"]] for line in found]


def compare(alone, together):
    """The names of the files that differ or are missing, among games and weights, and the metrics if
    the evaluations differ."""
    names = [path.relative_to(alone) for path in sorted(alone.glob("games/*"))]
    names += [path.relative_to(alone) for path in sorted(alone.glob("*/weights.bpk"))]
    same = lambda name: (together / name).is_file() and (
        (alone / name).read_bytes() == (together / name).read_bytes()
    )
    different = [str(name) for name in names if not same(name)]
    if not evaluations(alone) or evaluations(alone) != evaluations(together):
        different.append("evaluations in metrics.jsonl")
    return len(names), different


def train_alone(program, folder, extra):
    run = folder / "alone" / NAME
    command = [program, "train", folder / "config.toml", "--run", run, *extra]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return run


def ladder(cluster, run):
    """Plays a ladder on this machine and by workers. Returns whether all games are the same."""
    cluster.start_server()
    for index in range(len(cluster.workers)):
        cluster.start_worker(index)
    folders = [cluster.folder / name / "ladder" for name in ["alone", "cluster"]]
    players = [f"{run}@*/4", f"{run}?level=3", "random", "uct?rollouts=50"]
    for folder, place in zip(folders, [[], ["--cluster", cluster.address]]):
        command = [cluster.program, "ladder", *players, "--folder", folder, "--games", "120"]
        command += ["--simulations", "16", *place]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    names = sorted(path.name for path in folders[0].iterdir())
    same = lambda name: (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()
    games = (folders[1] / "games.jsonl").read_text().count("\n")
    different = [name for name in names if not same(name)]
    print(f"a ladder of {games} games: {', '.join(different) or 'no file'} differs")
    return games >= 120 and not different


def wait(cluster, kills, chance, patience, faults):
    """Disturbs the cluster `kills` times and waits for the learner's end."""
    begun, left, done = time.monotonic(), kills, []
    next_kill = begun + chance.uniform(0.5, 3)
    while cluster.learner.poll() != 0:
        if time.monotonic() - begun > patience:
            sys.exit(f"the run was not done after {patience} seconds; see {cluster.folder}")
        if cluster.learner.poll() is not None:
            # It found no server when it was started, or no room; whoever runs it starts it again.
            if faults is not None:
                faults.learner_ended()
            time.sleep(0.5)
            cluster.start_learner()
        if left > 0 and time.monotonic() > next_kill:
            done.append(cluster.disturb(chance))
            left -= 1
            next_kill = time.monotonic() + chance.uniform(0.5, 3)
        if faults is not None:
            faults.go_on()
        cluster.worker_again()
        time.sleep(0.05)
    return done, time.monotonic() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("what", choices=["same", "kill", "ladder", "fault"])
    parser.add_argument("kills", nargs="?", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--iterations", type=int, default=12)
    parser.add_argument("--simulations", type=int, default=16)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lag", type=int, default=0)
    parser.add_argument("--patience", type=int, default=600)
    parser.add_argument("--program", type=pathlib.Path, default="target/release/tavoliere")
    options = parser.parse_args()
    program, chance = options.program.resolve(), random.Random(options.seed)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tavoliere-cluster-"))
    text = CONFIG.format(iterations=options.iterations, simulations=options.simulations)
    (folder / "config.toml").write_text(text)
    extra = ["--set", f"train.lag={options.lag}"]
    alone = train_alone(program, folder, extra)
    cluster = Cluster(program, folder, options.workers, extra)
    faults = Faults(cluster) if options.what == "fault" else None
    try:
        if options.what == "ladder":
            sys.exit(0 if ladder(cluster, alone) else f"see {folder}")
        if faults is not None:
            check_refusals(cluster)
        cluster.start_server()
        heard = faults and faults.listen(NAME)
        cluster.start_clients()
        if faults is not None:
            faults.begin(NAME, heard)
        kills = options.kills if options.what == "kill" else 0
        done, seconds = wait(cluster, kills, chance, options.patience, faults)
        if faults is not None:
            faults.check_said()
    finally:
        cluster.stop_all()
        if faults is not None:
            faults.disk.remove()
    files, different = compare(alone, folder / "cluster" / NAME)
    told = ", ".join(f"{done.count(what)} {what}" for what in sorted(set(done)))
    print(f"{files} files, {len(different)} differ; {seconds:.0f} s; disturbed: {told or 'nothing'}")
    if different or files == 0:
        sys.exit(f"different: {', '.join(different[:9])}; see {folder}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
