#!/usr/bin/env python3
"""Loads a learner and a NATS server as hundreds of workers would. It trains once with a real worker
and records its games. Then it trains again with simulated workers, which answer with the recorded
games after the time that a real worker takes.

    python3 -m venv target/load
    target/load/bin/pip install "nats-py>=2,<3"
    alias load="target/load/bin/python scripts/cluster_load.py"
    load record games.pickle configs/connect_four.toml --set selfplay.simulations=16
    load play games.pickle --workers 1,16,200 --rate 31
    load play games.pickle --workers 4 --hasty

A simulated worker does what src/train/cluster/worker does: it has a connection of its own, tells
that it is there, lists the others, asks for tasks, fetches job and weights, publishes each game and
waits for the server, and acknowledges finished tasks. It finishes --rate games a second, or all at
once with 0. The games of the second training must be those of the first, bit for bit. Fewer
simulations and little learning (`--set replay.reuse=0.02`) record faster and change a game's size little.

Prints a line of JSON for each number of workers: seconds of iterations, CPU seconds and memory of
learner and server, and bytes on the wire: payloads and headers, without the lines of the protocol.
Needs Linux, `nats-server` on the path and the program with the feature `cluster`.
"""

import argparse
import asyncio
import base64
import hashlib
import json
import os
import pathlib
import pickle
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import nats
from nats.errors import Error as NatsError

import cluster as clusters

RUN = clusters.NAME
TASKS = f"tavoliere_{RUN}_tasks"
STORE = f"OBJ_tavoliere_{RUN}"
# The figures of src/train/cluster: seconds, games of a task, games in progress on a thread.
REQUEST, PERIOD, PAUSE = 2.0, 10.0, 0.5
TASK_GAMES, BATCH, THREADS = 8, 64, 2
# Seconds that an answer may take. The machine may be busy.
SLOW = 60.0


def nanoseconds(seconds):
    return int(seconds * 1e9)


# Recording


async def recorded(address, learner):
    """The messages of all games until the learner ends, by job and number."""
    games = {}

    async def keep(message):
        job, index, _ = message.headers["Nats-Msg-Id"].rsplit(".", 2)
        games[job, int(index)] = (message.headers["Tavoliere-Work"], message.data)

    client = await nats.connect(address)
    await client.subscribe(f"tavoliere.{RUN}.games.>", cb=keep)
    while learner.poll() is None:
        await asyncio.sleep(0.1)
    await client.close()
    return games


def record(options, folder):
    text = options.config.read_text()
    (folder / "config.toml").write_text(text)
    extra = [word for setting in options.set for word in ("--set", setting)]
    extra += ["--iterations", str(options.iterations), "--set", "evaluation.every=0"]
    cluster = clusters.Cluster(options.program.resolve(), folder, 0, extra)
    cluster.start_server()
    worker = cluster.start("worker", [cluster.program, "worker", cluster.address])
    try:
        cluster.start_learner()
        games = asyncio.run(recorded(cluster.address, cluster.learner))
    finally:
        worker.kill()
        cluster.stop_all()
    run = folder / "cluster" / RUN
    files = {path.name: path.read_bytes() for path in (run / "games").iterdir()}
    kept = {"config": text, "extra": extra, "games": games, "files": files}
    options.recording.write_bytes(pickle.dumps(kept))
    sizes = sorted(len(payload) for _, payload in games.values())
    print(json.dumps({
        "games": len(games), "jobs": len({job for job, _ in games}),
        "mean_bytes": statistics.mean(sizes), "largest_bytes": sizes[-1],
    }))


# Simulated workers


class Task:
    """Some games that a worker holds."""

    def __init__(self, message):
        told = json.loads(message.data)
        self.job, self.attempt, self.reply = told["job"], told["attempt"], message.reply
        self.left = set(range(told["first"], told["first"] + told["count"]))


class Tally:
    """Payloads that the workers received, in bytes, by what they are."""

    def __init__(self):
        self.bytes = dict.fromkeys(["tasks", "blobs", "shares"], 0)
        self.games = 0


class Worker:
    """A worker that plays by looking games up."""

    def __init__(self, number, games, options, tally):
        self.name, self.games, self.options, self.tally = f"simulated-{number}", games, options, tally
        self.held, self.waiting, self.next, self.job = [], [], [], None
        self.share = TASK_GAMES
        self.free_at = time.monotonic()
        self.changed = asyncio.Event()

    async def run(self, address):
        self.client = await nats.connect(address, name=self.name)
        self.jetstream = self.client.jetstream(timeout=SLOW)
        self.inbox = self.client.new_inbox()
        self.answers = await self.client.subscribe(self.inbox)
        await asyncio.gather(self.tell(), self.ask(), self.play())

    async def tell(self):
        """Tells that it is there and still plays, and looks who shares the games."""
        entry = {
            "version": "0.1.0/2", "host": self.name, "threads": THREADS, "engine": "avx512_bf16",
            "run": RUN, "held": 0, "games": 0, "games_per_s": 0.0,
        }
        while True:
            entry["held"] = len(self.waiting)
            await self.jetstream.publish(f"$KV.tavoliere_workers.{self.name}", json.dumps(entry).encode())
            for task in self.held:
                await self.client.publish(task.reply, b"+WPI")
            await self.look()
            await asyncio.sleep(PERIOD)

    async def look(self):
        """Looks how many threads share the games."""
        subject = f"$JS.API.DIRECT.GET.KV_tavoliere_runs.$KV.tavoliere_runs.{RUN}"
        told = await self.client.request(subject, timeout=SLOW)
        self.tally.bytes["shares"] += len(told.data)
        # Before the run is there, the server has none.
        threads = json.loads(told.data)["threads"] if told.data else 0
        part = self.options.games * THREADS // max(threads, THREADS) // 2
        self.share = min(max(part, TASK_GAMES), THREADS * BATCH)

    async def ask(self):
        """Asks for tasks whenever there is room."""
        await self.wait_for_run()
        while True:
            room = (self.share - len(self.waiting)) // TASK_GAMES
            if self.next or (room <= 0 and self.held):
                self.changed.clear()
                await self.changed.wait()
                continue
            await self.request(max(room, 1))

    async def wait_for_run(self):
        subject = f"$JS.API.CONSUMER.INFO.{TASKS}.workers"
        while "error" in json.loads((await self.client.request(subject, timeout=SLOW)).data):
            await asyncio.sleep(PAUSE)

    async def request(self, count):
        asked = json.dumps({"batch": count, "expires": nanoseconds(REQUEST)}).encode()
        await self.client.publish(f"$JS.API.CONSUMER.MSG.NEXT.{TASKS}.workers", asked, reply=self.inbox)
        for _ in range(count):
            try:
                message = await self.answers.next_msg(timeout=REQUEST + 1)
            except NatsError:
                return
            if not message.reply:
                return  # The request is over.
            self.tally.bytes["tasks"] += len(message.data)
            await self.hold(Task(message))

    async def hold(self, task):
        if task.job != self.job and self.held:
            self.next.append(task)
            return
        if task.job != self.job:
            self.job = task.job
            await self.fetch_job(task.job)
        self.held.append(task)
        self.waiting += [(task, index) for index in sorted(task.left)]
        self.changed.set()

    async def fetch_job(self, job):
        """Fetches a job and what it names: weights and earlier games. Looks who shares its games."""
        for name in re.findall('"([0-9a-f]{64})"', (await self.fetch(job)).decode()):
            await self.fetch(name)
        await self.look()

    async def fetch(self, name):
        """Bytes of the run's object store: its description, then its parts."""
        meta = f"$O.tavoliere_{RUN}.M.{base64.urlsafe_b64encode(name.encode()).decode()}"
        found = await self.client.request(f"$JS.API.DIRECT.GET.{STORE}.{meta}", timeout=SLOW)
        told = json.loads(found.data)
        subject = f"$O.tavoliere_{RUN}.C.{told['nuid']}"
        parts = await self.jetstream.subscribe(subject, stream=STORE, ordered_consumer=True)
        content = b"".join([(await parts.next_msg(timeout=SLOW)).data for _ in range(told["chunks"])])
        await parts.unsubscribe()
        if hashlib.sha256(content).hexdigest() != name:
            sys.exit(f"{name} is damaged")
        self.tally.bytes["blobs"] += len(content)
        return content

    async def play(self):
        """Finishes the games that it holds, one after another."""
        while True:
            if not self.waiting:
                self.changed.clear()
                await self.changed.wait()
                self.free_at = max(self.free_at, time.monotonic())
                continue
            task, index = self.waiting.pop(0)
            if self.options.rate:
                self.free_at += 1 / self.options.rate
                await asyncio.sleep(self.free_at - time.monotonic())
            await self.publish(task, index)

    async def publish(self, task, index):
        work, payload = self.games[task.job, index]
        headers = {"Nats-Msg-Id": f"{task.job}.{index}.{task.attempt}", "Tavoliere-Work": work}
        subject = f"tavoliere.{RUN}.games.{task.job}"
        if self.options.hasty:
            await self.client.publish(subject, payload, headers=headers)
        else:
            await self.jetstream.publish(subject, payload, headers=headers)
        self.tally.games += 1
        task.left.remove(index)
        if not task.left:
            await self.client.request(task.reply, b"+ACK", timeout=SLOW)
            self.held.remove(task)
        self.changed.set()
        if not self.held and self.next:
            waiting, self.next = self.next, []
            for other in waiting:
                await self.hold(other)


# Measuring


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def highest_memory(pid):
    """In MiB."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) >> 10 for line in status if line.startswith("VmHWM"))


def connections(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/connz?state=all&limit=2048") as answer:
        return json.load(answer)["connections"]


def traffic(port):
    """Bytes from and to the learner and the workers, as the server counts them."""
    total = {"learner_sent": 0, "learner_received": 0, "workers_sent": 0, "workers_received": 0}
    for it in connections(port):
        who = "workers" if it.get("name", "").startswith("simulated") else "learner"
        total[f"{who}_sent"] += it["in_bytes"]
        total[f"{who}_received"] += it["out_bytes"]
    return total


async def watched(pid, run):
    """Waits for the learner. Returns when its iterations were written, and what it used."""
    written, metrics = [], run / "metrics.jsonl"
    while True:
        ended, status, used = os.wait4(pid, os.WNOHANG)
        lines = metrics.read_bytes().count(b'"phase":"learn"') if metrics.exists() else 0
        written += [time.monotonic()] * (lines - len(written))
        if ended:
            break
        await asyncio.sleep(0.02)
    if status != 0:
        sys.exit(f"the learner ended with {status}")
    return written, used


async def simulated(cluster, kept, options, count):
    """Trains with this number of simulated workers. Returns what was measured."""
    tally = Tally()
    workers = [Worker(number, kept["games"], options, tally) for number in range(count)]
    running = [asyncio.create_task(worker.run(cluster.address)) for worker in workers]
    # They are there before the run is.
    await asyncio.sleep(1 + count / 100)
    begun = time.monotonic()
    cluster.start_learner()
    run = cluster.folder / "cluster" / RUN
    watching = asyncio.create_task(watched(cluster.learner.pid, run))
    done, _ = await asyncio.wait([watching, *running], return_when=asyncio.FIRST_COMPLETED)
    if watching not in done:
        done.pop().result()
    written, used = await watching
    cluster.learner.returncode = 0
    for task in running:
        task.cancel()
    iterations = [after - before for before, after in zip([begun, *written], written)]
    return iterations, used, tally


def play(options, folder, kept, count):
    """Trains with simulated workers over a server of its own. Returns what was measured."""
    (folder / "config.toml").write_text(kept["config"])
    cluster = clusters.Cluster(options.program.resolve(), folder, 0, kept["extra"])
    monitoring = clusters.free_port()
    cluster.start_server(("-js", "-m", str(monitoring)))
    make_buckets(cluster)
    begun = cpu_seconds(cluster.server.pid)
    try:
        iterations, used, tally = asyncio.run(simulated(cluster, kept, options, count))
        server = {
            "server_cpu_s": round(cpu_seconds(cluster.server.pid) - begun, 2),
            "server_mib": highest_memory(cluster.server.pid),
            "bytes_per_game": {who: round(number / tally.games) for who, number in traffic(monitoring).items()},
        }
    finally:
        cluster.stop_all()
    check_games(kept, folder / "cluster" / RUN)
    return {
        "workers": count, "rate": options.rate, "games": tally.games, "iteration_s": rounded(iterations),
        **phases(folder / "cluster" / RUN), "learner_cpu_s": round(used.ru_utime + used.ru_stime, 2),
        "learner_mib": used.ru_maxrss >> 10, **server, "received_payload": tally.bytes,
    }


def rounded(numbers):
    return [round(number, 2) for number in numbers]


def check_games(kept, run):
    """The games must be those that were recorded."""
    different = [name for name, data in kept["files"].items() if (run / "games" / name).read_bytes() != data]
    if different:
        sys.exit(f"different from the recording: {', '.join(sorted(different))}")


def phases(run):
    """Seconds of self-play and learning, and the CPU seconds of learning."""
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    selfplay, learn = ([it for it in lines if it["phase"] == name] for name in ("selfplay", "learn"))
    cpu = sum(it["seconds"] * (it["cores"] or 0) for it in learn) * os.cpu_count()
    return {
        "selfplay_s": rounded(it["seconds"] for it in selfplay),
        "learn_s": rounded(it["seconds"] for it in learn), "learn_cpu_s": round(cpu, 2),
    }


def make_buckets(cluster):
    """Makes the buckets of runs and workers, as the first client of a server does."""
    command = [cluster.program, "cluster", cluster.address]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    commands = parser.add_subparsers(dest="what", required=True)
    recording = commands.add_parser("record", help="trains with a real worker")
    recording.add_argument("recording", type=pathlib.Path, help="file to write")
    recording.add_argument("config", type=pathlib.Path)
    recording.add_argument("--iterations", type=int, default=4)
    recording.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    playing = commands.add_parser("play", help="trains with simulated workers")
    playing.add_argument("recording", type=pathlib.Path, help="file that `record` wrote")
    playing.add_argument("--workers", default="200", help="numbers of workers, one after another")
    playing.add_argument("--rate", type=float, default=0, help="games a second of a worker")
    playing.add_argument("--hasty", action="store_true", help="do not wait until the server has a game")
    for command in (recording, playing):
        command.add_argument("--program", type=pathlib.Path, default="target/release/tavoliere")
    return parser.parse_args()


def main():
    options = arguments()
    if options.what == "record":
        with tempfile.TemporaryDirectory(prefix="tavoliere-load-") as folder:
            record(options, pathlib.Path(folder))
        return
    kept = pickle.loads(options.recording.read_bytes())
    options.games = max(index for _, index in kept["games"]) + 1
    for count in map(int, options.workers.split(",")):
        with tempfile.TemporaryDirectory(prefix="tavoliere-load-") as folder:
            print(json.dumps(play(options, pathlib.Path(folder), kept, count)), flush=True)


if __name__ == "__main__":
    main()
