#!/usr/bin/env python3
"""Runs a training, a ladder, an analysis, an engine and a server with clients, and fails if they grow.

    scripts/soak.py [TIME] [--load 0.3] [--program PATH] [--folder DIR]     TIME as in 90s, 10m or 2h

Every process is one process for the whole time. /proc tells its memory, open files and threads every
few seconds. What counts is the floor of the last quarter of the time, a tenth of whose samples lie below,
against that of the second quarter. A leak raises the floor, while peaks come and go with the work.
The first quarter is not looked at. Runs of less than 20 minutes find only leaks of tens of MiB.

What may grow is kept from growing, or is not counted:

* The memory is the anonymous part (RssAnon), so neither the page cache nor mapped files count.
* The thresholds of glibc's malloc are fixed, so that it gives freed memory back. By itself it raises them
  when large blocks are freed, and may keep the peak of a ladder for good from some moment on.
* The replay buffer of the training and the caches of evaluations are so small that they are full
  before the second quarter.
* The metrics of the running training grow. Clients follow its newest lines, but ask for whole metrics
  only of a finished run.
* A ladder keeps counts of its games and a list of its openings, some bytes for each game. Its games are
  slow enough that there are some ten thousand in an hour.

The processes together use about `--load` of one core: each is stopped (SIGSTOP) while it is ahead of
its share. The processes must end with status 0 at SIGINT or at the end of their input, and every
answer of the server must have the expected status. Needs Linux.
"""

import argparse
import csv
import http.client
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from pathlib import Path

GAME = "connect_four"
SMALL = [
    "network.channels=8", "network.blocks=1", "network.value_hidden=8", "selfplay.games=32",
    "selfplay.simulations=8", "search.cache_mib=1", "replay.window=2000", "replay.first_window=0",
    "learner.batch=32", "evaluation.every=10", "evaluation.games=4", "evaluation.simulations=8",
    'evaluation.panel=["uct?rollouts=20", "alphabeta?nodes=100"]',
]
MALLOC = {"MALLOC_MMAP_THRESHOLD_": "131072", "MALLOC_TRIM_THRESHOLD_": "131072"}
# Shares of the load. The clients' pauses limit the server, so it is never stopped.
SHARES = {"train": 0.4, "ladder": 0.2, "analyze": 0.1, "engine": 0.1, "serve": None}
# What the floor may grow by from the second to the last quarter: memory in MiB and as a share of the
# floor, open files, threads. In a short run the memory of the ladder and the server's pool of readers
# still grow to their size.
TOLERANCE = {"mib": 4, "share": 0.05, "files": 2, "threads": 2}
SHORT_TOLERANCE = {"mib": 64, "share": 0.05, "files": 2, "threads": 8}
SHORT = 20 * 60  # seconds
TICKS = os.sysconf("SC_CLK_TCK")


def seconds(text):
    number, unit = re.fullmatch(r"(\d+)([smh])", text).groups()
    return int(number) * {"s": 1, "m": 60, "h": 3600}[unit]


def train_command(program, run):
    command = [program, "train", f"configs/{GAME}.toml", "--run", str(run), "--threads", "1"]
    return command + [word for setting in SMALL for word in ("--set", setting)]


class Watched:
    """A process, its log and what was sampled of it."""

    def __init__(self, name, command, folder, share, **pipes):
        self.name, self.share = name, share
        self.log = open(folder / f"{name}.log", "w")
        pipes = {"stdin": subprocess.DEVNULL, "stdout": self.log} | pipes
        # In a session of its own: Ctrl-C reaches this script only, which then ends and reports.
        environment = os.environ | MALLOC
        self.process = subprocess.Popen(
            command, stderr=self.log, text=True, start_new_session=True, env=environment, **pipes
        )
        self.begun, self.stopped, self.samples = time.monotonic(), False, []

    def stat(self, file):
        return Path(f"/proc/{self.process.pid}/{file}")

    def cpu(self):
        fields = self.stat("stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def sample(self):
        status = self.stat("status").read_text()
        number = lambda key: int(re.search(rf"^{key}:\s+(\d+)", status, re.M).group(1))
        files = len(os.listdir(self.stat("fd")))
        self.samples.append((time.monotonic() - self.begun, number("RssAnon") / 1024, files, number("Threads")))

    def throttle(self, load):
        """Stops the process while it has used more than its share, and continues it otherwise."""
        ahead = self.cpu() > self.share * load * (time.monotonic() - self.begun)
        if ahead != self.stopped:
            self.process.send_signal(signal.SIGSTOP if ahead else signal.SIGCONT)
            self.stopped = ahead

    def end(self):
        """Ends the process by the end of its input if it reads one, else by SIGINT; returns its status."""
        self.process.send_signal(signal.SIGCONT)
        if self.process.stdin:
            self.process.stdin.close()
        else:
            self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "no end within 60 s"


class Clients:
    """Threads that talk to the processes until they are told to stop."""

    def __init__(self, port):
        self.port, self.stop, self.counts, self.wrong = port, threading.Event(), Counter(), []
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/players") as answer:
            self.player = json.load(answer)[0]["name"]

    def start(self, job, *arguments):
        def loop():
            rng = random.Random(job.__name__)
            while not self.stop.is_set():
                try:
                    job(rng, *arguments)
                except Exception as error:  # told in the report
                    if not self.stop.is_set():
                        self.fail(f"{job.__name__}: {error!r}")
                        self.stop.wait(1)

        threading.Thread(target=loop, daemon=True).start()

    def fail(self, text):
        if len(self.wrong) < 1000:
            self.wrong.append(text)

    def ask(self, rng):
        """A request that has an answer, of every route in turn."""
        for method, path, body in requests(rng, self.player):
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            connection.request(method, path, body and json.dumps(body))
            response = connection.getresponse()
            text = response.read()
            connection.close()
            self.counts[f"{method} {path.split('?')[0]}" if "games/" not in path else "GET games"] += 1
            if response.status not in (200, 503):
                self.fail(f"{method} {path}: {response.status} {text[:200]!r}")
            if self.stop.wait(rng.uniform(0.2, 0.6)):
                return

    def follow(self, rng):
        """A client that follows the running training for a moment and goes without a word."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("GET", "/api/runs/train/events", headers={"Last-Event-ID": str(10**9)})
        response = connection.getresponse()
        if response.status != 200:
            self.fail(f"events: {response.status}")
        self.stop.wait(rng.uniform(0.1, 6))
        connection.sock and connection.sock.close()
        response.close()
        self.counts["event streams"] += 1

    def disturb(self, rng):
        """A request that is wrong, incomplete or not read; only a missing answer is an error later on."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            kind = rng.choice(sorted(WRONG))
            connection.sendall(WRONG[kind].replace(b"PORT", str(self.port).encode()))
            if rng.random() < 0.7:
                connection.settimeout(rng.uniform(0.1, 2))
                try:
                    connection.recv(1 << 16)
                except TimeoutError:
                    pass
        self.counts["bad: " + kind] += 1
        self.stop.wait(rng.uniform(0.2, 1))

    def analyse(self, rng, process):
        query = {"game": GAME, "moves": opening(rng), "simulations": 16}
        process.stdin.write(json.dumps(query) + "\n" if rng.random() < 0.9 else "{nonsense\n")
        process.stdin.flush()
        json.loads(process.stdout.readline())
        self.counts["queries of analyze"] += 1

    def play(self, rng, process):
        """A whole game against itself through the engine protocol."""
        for command in ["clear_board"] + ["genmove x", "genmove o"] * 21 + ["nonsense", "undo"]:
            process.stdin.write(command + "\n")
            process.stdin.flush()
            lines = iter(process.stdout.readline, "\n")
            answer = next(lines)
            assert answer[0] in "=?" and not list(lines), answer
            self.counts["commands of engine"] += 1


def opening(rng):
    """At most three stones in a column, so every turn is legal and nobody has won across yet."""
    return [str(1 + column % 7) for column in rng.sample(range(7), rng.randrange(4))]


def requests(rng, player):
    place = {"game": GAME, "moves": opening(rng)}
    game = f"/api/runs/done/games/{rng.randrange(1, 4)}"
    search = place | {"simulations": 32}
    record = {"text": '[Game "connect_four"]\n\n1. 4 4 2. 3 3 *\n'}
    return [
        ("GET", "/", None), ("GET", "/assets/board.js", None), ("GET", "/api/games", None),
        ("GET", "/api/players", None), ("GET", "/api/openapi.json", None),
        ("POST", "/api/position", place), ("POST", "/api/reply", search | {"player": player}),
        ("POST", "/api/analysis", search | {"player": player, "top": 3}),
        ("POST", "/api/reply", place | {"player": rng.choice(["uct", "alphabeta", "random"]), "time_ms": 50}),
        ("POST", "/api/records/read", record), ("POST", "/api/records/write", place | {"format": "pgn", "tags": {}}),
        ("GET", "/api/runs", None), ("GET", "/api/runs/done", None), ("GET", game, None),
        ("GET", f"{game}/{rng.randrange(32)}", None),
    ]


HOST = b"Host: 127.0.0.1:PORT\r\n"
WRONG = {
    "no body": b"POST /api/position HTTP/1.1\r\n" + HOST + b"Content-Length: 100\r\n\r\n{",
    "no JSON": b"POST /api/position HTTP/1.1\r\n" + HOST + b"Content-Length: 3\r\n\r\n{{{",
    "half a header": b"GET / HTTP/1.1\r\nHost: 127",
    "no HTTP": bytes(range(256)),
    "silence": b"",
    "other host": b"GET / HTTP/1.1\r\nHost: example.com\r\n\r\n",
    "no path": b"GET /nothing HTTP/1.1\r\n" + HOST + b"\r\n",
    "no run": b"GET /api/runs/%ff HTTP/1.1\r\n" + HOST + b"\r\n",
    "large body": b"POST /api/reply HTTP/1.1\r\n" + HOST + b"Content-Length: 99999999\r\n\r\n" + b" " * 100_000,
    "wrong method": b"DELETE /api/games HTTP/1.1\r\n" + HOST + b"\r\n",
    "whole metrics, unread": b"GET /api/runs/done HTTP/1.1\r\n" + HOST + b"\r\n",
}


def prepare(program, runs):
    """Trains a short run, of which the clients ask everything, and returns it."""
    done = runs / "done"
    subprocess.run(train_command(program, done) + ["--iterations", "3"], check=True, stderr=subprocess.DEVNULL)
    return done


def start(program, folder, load):
    runs = folder / "runs"
    done = prepare(program, runs)
    player = f"{done}?cache_mib=8"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    server_log = open(folder / "address", "w")
    ladder = ["ladder", "--folder", folder / "ladder", "--time", "1000h", "--simulations", "32", "--opening", "6"]
    commands = {
        "train": (train_command(program, runs / "train") + ["--set", "iterations=1000000"], {}),
        "ladder": ([program] + ladder + [player, "uct?rollouts=200", "alphabeta?nodes=1000", "random"], {}),
        "analyze": ([program, "analyze", "--player", player], pipes),
        "engine": ([program, "engine", "--player", player, "--simulations", "8"], pipes),
        "serve": ([program, "serve", "--port", "0", "--threads", "1", "--runs", runs, "--player", player], {"stdout": server_log}),
    }
    return [
        Watched(name, [str(word) for word in command], folder, SHARES[name], **pipes)
        for name, (command, pipes) in commands.items()
    ]


def address(folder, deadline):
    """Returns the port that the server printed."""
    while time.monotonic() < deadline:
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", (folder / "address").read_text())
        if found:
            return int(found.group(1))
        time.sleep(0.1)
    sys.exit("the server printed no address")


def watch(processes, load, duration, every):
    """Throttles and samples the processes for the time; returns the name of one that ended early."""
    begun = sampled = time.monotonic()
    while time.monotonic() < begun + duration:
        for watched in processes:
            if watched.process.poll() is not None:
                return f"{watched.name} ended early with status {watched.process.returncode}"
            if watched.share:
                watched.throttle(load)
            if time.monotonic() >= sampled + every:
                watched.sample()
        if time.monotonic() >= sampled + every:
            sampled = time.monotonic()
        time.sleep(0.05)
    return None


def growth(samples, column):
    """Returns the floors of the second and of the last quarter."""
    values = [sample[column] for sample in samples]
    quarter = len(values) // 4
    floor = lambda part: sorted(part)[len(part) // 10]
    return floor(values[quarter : 2 * quarter]), floor(values[-quarter:])


def report(processes, statuses, tolerance):
    """Prints the table and returns what grew or failed."""
    failures = []
    row = "{:<9}{:>6}  {:>18}  {:>12}  {:>12}  {}".format
    print(row("process", "CPU s", "memory MiB", "files", "threads", "end"))
    for watched in processes:
        if len(watched.samples) < 8:
            failures.append(f"{watched.name}: too few samples")
            continue
        memory, files, threads = (growth(watched.samples, column) for column in (1, 2, 3))
        arrow = lambda pair, digits=0: f"{pair[0]:.{digits}f} -> {pair[1]:.{digits}f}"
        end = statuses.get(watched.name)
        print(row(watched.name, f"{watched.used:.0f}", arrow(memory, 1), arrow(files), arrow(threads), end))
        allowed = tolerance["mib"] + tolerance["share"] * memory[0]
        for what, pair, most in [("memory", memory, allowed), ("files", files, tolerance["files"]), ("threads", threads, tolerance["threads"])]:
            if pair[1] > pair[0] + most:
                failures.append(f"{watched.name}: {what} grew from {pair[0]:.1f} to {pair[1]:.1f}, by more than {most:.1f}")
        if end != 0:
            failures.append(f"{watched.name}: ended with {end}, see its log")
    return failures


def write_samples(processes, path):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["process", "seconds", "memory_mib", "files", "threads"])
        writer.writerows([watched.name, *map(lambda value: round(value, 2), sample)] for watched in processes for sample in watched.samples)


def soak(options, folder):
    processes = start(options.program, folder, options.load)
    early = None
    try:
        named = {watched.name: watched.process for watched in processes}
        clients = Clients(address(folder, time.monotonic() + 60))
        for job, arguments in [(clients.ask, ()), (clients.follow, ()), (clients.follow, ()), (clients.disturb, ()),
                               (clients.analyse, (named["analyze"],)), (clients.play, (named["engine"],))]:
            clients.start(job, *arguments)
        try:
            early = watch(processes, options.load, seconds(options.time), options.every)
        except KeyboardInterrupt:
            early = "it was interrupted"
        clients.stop.set()
        for watched in processes:
            watched.used = watched.cpu() if watched.process.poll() is None else 0
    finally:
        statuses = {watched.name: watched.end() for watched in processes}
    write_samples(processes, folder / "samples.csv")
    tolerance = SHORT_TOLERANCE if seconds(options.time) < SHORT else TOLERANCE
    failures = report(processes, statuses, tolerance) + clients.wrong + ([early] if early else [])
    print("; ".join(f"{count} {name}" for name, count in sorted(clients.counts.items())))
    for failure in failures[:20]:
        print("FAILED", failure)
    return len(failures)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("time", nargs="?", default="2h", help="as in 90s, 10m or 2h [default: 2h]")
    parser.add_argument("--load", type=float, default=0.3, help="share of a core [default: 0.3]")
    parser.add_argument("--every", type=float, default=5, help="seconds between samples [default: 5]")
    parser.add_argument("--program", default="target/release/tavoliere", help="path of the program")
    parser.add_argument("--folder", type=Path, help="where runs and logs are written and kept [default: a temporary folder]")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: no process may stay
    folder = options.folder or Path(tempfile.mkdtemp(prefix="soak-"))
    folder.mkdir(parents=True, exist_ok=True)
    failed = soak(options, folder)
    if not failed and not options.folder:
        shutil.rmtree(folder)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
