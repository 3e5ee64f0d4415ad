#!/usr/bin/env python3
"""Kills commands, or lets their file operations fail, repeats them, and compares what they wrote.

    scripts/disturb.py kill [N]       N times SIGKILL at a random file operation
    scripts/disturb.py fault [N]      N times ENOSPC, EIO or EMFILE from a random file operation
    scripts/disturb.py disk           a training on a full disk that becomes larger and larger
    scripts/disturb.py replace [N]    N times a pipe, link, device, ... in place of a file
    scripts/disturb.py limits [N]     N times little memory, few files, few threads, ...
    scripts/disturb.py streams [N]    N times a closed, full or unread standard stream
    [--seed 1] [--only COMMAND or FOLDER] [--program PATH]

Each command (train, ladder, export over an older player, selfplay, match) first runs undisturbed.
Then it runs in a fresh folder and is disturbed, and repeated until it is done. What it wrote must be
what the undisturbed one wrote: for a run its digest, for other folders all bytes; and no file may be
left over. A write may stop halfway before the disturbance. After a fault, the command must either
end with an error that names a file, or go on. It must never panic. An exported player must load at
any moment: the older one or the new one.

The last three are told in disturb_folders.py.

A library that is compiled here and preloaded disturbs the calls (disturb.c). Needs Linux, a C
compiler and a program that uses the system's C library; `disk` also the right to mount a tmpfs.
"""

import argparse
import errno
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import disturb_folders

ERRORS = [errno.ENOSPC, errno.EIO, errno.EMFILE]
TINY = [
    "network.channels=4", "network.blocks=1", "network.value_hidden=4", "selfplay.games=8",
    "selfplay.simulations=4", "selfplay.placement_share=0.3", "search.cache_mib=1",
    "learner.batch=16", "evaluation.every=2", "evaluation.games=4", "evaluation.simulations=4",
    'evaluation.panel=["random"]', "iterations=4",
]


class Failed(Exception):
    """What was disturbed did not behave as it must."""


class Job:
    """A command, how its folder begins, and how its result is read. `{}` stands for the folder."""

    def __init__(self, name, arguments, begin=None, check=None):
        self.name, self.arguments, self.begin, self.check = name, arguments, begin, check
        self.reference, self.calls = None, None


class Disturber:
    def __init__(self, program, folder, seed):
        self.program, self.folder, self.rng = str(Path(program).resolve()), folder, random.Random(seed)
        self.library = folder / "disturb.so"
        source = Path(__file__).with_name("disturb.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self.library, source, "-ldl"], check=True)

    def run(self, arguments, **disturbance):
        """Runs the program and returns its status and what it printed to standard error."""
        given = {f"DISTURB_{key.upper()}": str(int(value)) for key, value in disturbance.items()}
        paths = {"LD_PRELOAD": self.library, "DISTURB_UNDER": self.folder, "DISTURB_COUNT": self.count_file()}
        environment = os.environ | {key: str(value) for key, value in paths.items()} | given
        command = [self.program, *map(str, arguments)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
        return done.returncode, done.stderr

    def count_file(self):
        # Beside the folder, so that it does not count.
        return self.folder.with_suffix(".count")

    def quiet(self, arguments):
        done = subprocess.run([self.program, *map(str, arguments)], capture_output=True, text=True)
        if done.returncode != 0:
            raise Failed(f"{arguments}: {done.returncode} {done.stderr}")
        return done.stdout

    def result(self, folder):
        """Returns what lies in a folder: the digest of a run, and of each other file."""
        found = {}
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(folder))
            if path.is_dir() or name.startswith("run/"):
                found[name] = None
            else:
                found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        if (folder / "run").is_dir():
            found["run"] = self.quiet(["digest", folder / "run"]).split()[0]
        return found

    def fresh(self, job):
        folder = self.folder / "work"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        if job.begin:
            job.begin(folder)
        return folder

    def prepare(self, job):
        """Runs a job undisturbed, and counts its file operations."""
        folder = self.fresh(job)
        status, text = self.run(self.arguments(job, folder))
        if status != 0:
            raise Failed(f"undisturbed {job.name} ended with {status}: {text}")
        job.reference, job.calls = self.result(folder), int(self.count_file().read_text())

    def arguments(self, job, folder):
        threads = ["--threads", self.rng.choice("12")] if job.name == "train" else []
        return [argument.replace("{}", str(folder)) for argument in job.arguments] + threads

    def disturbed(self, job, folder, kind):
        """Runs a job once, disturbed. Returns whether it was, and whether it is done."""
        # Early calls more often: then a run is disturbed more than once.
        at = 1 + int(job.calls * self.rng.random() ** 2)
        error = 0 if kind == "kill" else self.rng.choice(ERRORS)
        how = {"at": at, "error": error, "torn": self.rng.random() < 0.5, "and_all": self.rng.random() < 0.3}
        status, text = self.run(self.arguments(job, folder), **how)
        told = f"{job.name} disturbed by {how} ended with {status}: {text[-2000:]}"
        if "panicked" in text:
            raise Failed(told)
        if job.check:
            job.check(folder, told)
        if status == 0:
            return error != 0 and int(self.count_file().read_text()) >= at, True
        is_clear = str(self.folder) in text.strip().splitlines()[-1] if error else status == -signal.SIGKILL
        if not is_clear:
            raise Failed(told)
        return True, False

    def round(self, job, kind, left):
        """Disturbs a job until it is done, at most `left` times, and compares its result."""
        folder, count, done = self.fresh(job), 0, False
        while count < left and not done:
            was_disturbed, done = self.disturbed(job, folder, kind)
            count += was_disturbed
        if not done:
            status, text = self.run(self.arguments(job, folder))
            if status != 0:
                raise Failed(f"{job.name} ended with {status} after the last disturbance: {text}")
        self.compare(job, folder)
        return count

    def compare(self, job, folder):
        found = self.result(folder)
        differing = [name for name in sorted({*found, *job.reference}) if found.get(name, "") != job.reference.get(name, "")]
        if differing:
            raise Failed(f"{job.name}: {', '.join(differing)} differ from those of the undisturbed command")


def jobs(disturber):
    settings = [word for setting in TINY for word in ("--set", setting)]
    run = disturber.folder / "trained"
    train = ["train", "configs/tic_tac_toe.toml"]
    disturber.quiet([*train, "--run", run, *settings])
    long = disturber.folder / "long"
    disturber.quiet([*train, "--run", long, *settings, "--set", "iterations=30", "--set", "evaluation.every=4"])
    older = disturber.folder / "older"
    disturber.quiet(["export", f"{run}@1", "--output", older])

    def loads(folder, told):
        done = subprocess.run(
            [disturber.program, "analyze", "--player", folder / "player"],
            input='{"moves": []}\n', capture_output=True, text=True,
        )
        if done.returncode != 0 or "error" in json.loads(done.stdout):
            raise Failed(f"no player is left: {done.stderr}\n{told}")

    plain = ["uct?rollouts=5", "alphabeta?nodes=50", "random"]
    tic_tac_toe = ["--game", "tic_tac_toe"]
    return [
        Job("train", [*train, "--run", "{}/run", *settings]),
        Job("ladder", ["ladder", *plain, *tic_tac_toe, "--folder", "{}/ladder", "--games", "30",
                       "--csv", "{}/list.csv", "--picture", "{}/list.svg", "--matrix", "{}/matrix.png"]),
        Job("export", ["export", f"{run}@2", "--output", "{}/player"],
            begin=lambda folder: shutil.copytree(older, folder / "player"), check=loads),
        Job("train", [*train, "--run", "{}/run", *settings]),
        Job("solve", ["solve", "tic_tac_toe", "--out", "{}/solution"]),
        Job("prune", ["prune", "{}/run"], begin=lambda folder: shutil.copytree(long, folder / "run")),
        Job("selfplay", ["selfplay", str(run), "--games", "6", "--output", "{}/own.games"]),
        Job("match", ["match", *plain[:2], *tic_tac_toe, "--games", "6", "--records", "{}/records.jsonl"]),
    ]


def disturb(disturber, kind, wanted, only):
    """Disturbs the jobs in turn until there were `wanted` disturbances, and prints their number."""
    all_jobs, counts, rounds = jobs(disturber), Counter(), Counter()
    all_jobs = [job for job in all_jobs if only in (None, job.name)]
    for job in all_jobs:
        disturber.prepare(job)
    # A few disturbances are spread over the jobs, too.
    most = 1 + wanted // len(all_jobs)
    while counts.total() < wanted:
        job = all_jobs[rounds.total() % len(all_jobs)]
        counts[job.name] += disturber.round(job, kind, min(most, wanted - counts.total()))
        rounds[job.name] += 1
    parts = ", ".join(f"{counts[name]} of {name} in {rounds[name]} rounds" for name in rounds)
    print(f"{counts.total()} {kind}s: {parts}; all results are equal")


def full_disk(disturber):
    """Trains on a tmpfs that is too small and grows whenever it is full."""
    job, mount = jobs(disturber)[0], disturber.folder / "work"
    disturber.prepare(job)
    shutil.rmtree(mount)
    mount.mkdir()
    size, count = 24, 0
    if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}k", "none", mount], capture_output=True).returncode != 0:
        print("full disk: skipped, a tmpfs cannot be mounted here")
        return
    try:
        while True:
            status, text = disturber.run(disturber.arguments(job, mount))
            if status == 0:
                break
            last = text.strip().splitlines()[-1]
            if "panicked" in text or str(mount) not in last or "No space left" not in last:
                raise Failed(f"a full disk of {size} KiB: {status} {text}")
            size, count = size + disturber.rng.choice([4, 8, 12]), count + 1
            subprocess.run(["mount", "-o", f"remount,size={size}k", mount], check=True)
        disturber.compare(job, mount)
    finally:
        subprocess.run(["umount", mount], check=True)
    print(f"full disk: {count} times full up to {size} KiB; the result is equal")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("kind", choices=["kill", "fault", "disk", "replace", "limits", "streams"])
    parser.add_argument("count", nargs="?", type=int, default=10, help="number of disturbances [default: 10]")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", metavar="COMMAND", help="disturb this command only, as in train")
    parser.add_argument("--program", default="target/release/tavoliere", help="path of the program")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="disturb-") as folder:
        inner = Path(folder).resolve() / "files"
        inner.mkdir()
        disturber = Disturber(options.program, inner, options.seed)
        try:
            if options.kind == "disk":
                full_disk(disturber)
            elif options.kind in ("replace", "limits", "streams"):
                disturb_folders.disturb(disturber, options.kind, options.count, options.only, TINY)
            else:
                disturb(disturber, options.kind, options.count, options.only)
        except (Failed, disturb_folders.Failed) as failure:
            sys.exit(f"FAILED (seed {options.seed}): {failure}")


if __name__ == "__main__":
    main()
