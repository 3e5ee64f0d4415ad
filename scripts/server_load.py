#!/usr/bin/env python3
"""Measures how `tavoliere serve` bears clients that hold connections. It starts a server on a made-up
run with large metrics, opens connections that send nothing, half a request or half a body, and
clients that ask for the run or its events and never read, and times honest requests all the while.

    scripts/server_load.py
    scripts/server_load.py --files 128 --seconds 30
    scripts/server_load.py --expensive 200

With --expensive N, N clients send expensive requests, one kind after the other, each client again as soon as
it is answered. It measures how long other clients wait.

The slow clients connect again when they are disconnected. It needs Linux, for the memory in /proc.
Exits with status 1 if an honest request takes more than --latency or the memory grows by more than
--memory.
"""

import argparse
import http.client
import json
import multiprocessing
import pathlib
import resource
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ASK = "GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n"
SLOW = [
    "",
    "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    "POST /api/position HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n{",
]
STUCK = [ASK.format("/api/runs/large"), ASK.format("/api/runs/large/events")]


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", default=ROOT / "target/release/tavoliere")
    parser.add_argument("--slow", type=int, default=500, help="slow connections")
    parser.add_argument("--stuck", type=int, default=100, help="clients that never read")
    parser.add_argument("--expensive", type=int, metavar="N", help="clients that send expensive requests")
    parser.add_argument("--metrics", type=int, default=32, metavar="MIB", help="size of the metrics")
    parser.add_argument("--seconds", type=float, default=30, help="time of the measurement")
    parser.add_argument("--files", type=int, help="files that the server may have open")
    parser.add_argument("--latency", type=float, default=2, metavar="S")
    parser.add_argument("--memory", type=float, default=64, metavar="MIB")
    return parser.parse_args()


def make_run(folder, mib):
    """Makes a run like that of the tests of the page, with so many MiB of metrics."""
    made = ROOT / "tests/browser/run"
    folder.mkdir()
    for name in ("run.json", "config.toml", "latest"):
        shutil.copy(made / name, folder / name)
    lines = [json.loads(line) for line in (made / "metrics.jsonl").read_text().splitlines()]
    written, iteration = 0, 0
    with open(folder / "metrics.jsonl", "w") as file:
        while written < mib << 20:
            iteration += 1
            for line in lines[:2]:
                written += file.write(json.dumps({**line, "iteration": iteration}) + "\n")


def start(args, runs):
    command = [args.binary, "serve", "--port", "0", "--runs", runs, "--player", "uct"]
    limit = lambda: args.files and resource.setrlimit(resource.RLIMIT_NOFILE, (args.files, args.files))
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, preexec_fn=limit)
    host, port = server.stdout.readline().strip().removeprefix("http://").rstrip("/").split(":")
    return server, (host, int(port))


def memory(server):
    """The memory of the server now and at its highest, and its open files."""
    status = pathlib.Path(f"/proc/{server.pid}/status").read_text().splitlines()
    fields = dict(line.split(":", 1) for line in status)
    mib = [int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM")]
    return *mib, sum(1 for _ in pathlib.Path(f"/proc/{server.pid}/fd").iterdir())


class Crowd:
    """Clients that connect again when they are disconnected. They never read."""

    def __init__(self, address):
        self.address, self.clients, self.ended = address, {}, 0
        self.disconnected = select.epoll()

    def open(self, text):
        client = socket.create_connection(self.address, timeout=10)
        client.sendall(text.encode())
        self.clients[client.fileno()] = (client, text)
        # Not when there is something to read.
        self.disconnected.register(client, select.EPOLLRDHUP)

    def renew(self):
        """Replaces the clients that were disconnected."""
        for number, _ in self.disconnected.poll(0):
            client, text = self.clients.pop(number)
            client.close()
            self.open(text)
            self.ended += 1


def time_of(address, method, path, body=None):
    """The time of a request on a connection of its own."""
    begun = time.monotonic()
    connection = http.client.HTTPConnection(*address, timeout=60)
    connection.request(method, path, body)
    response = connection.getresponse()
    response.read()
    assert response.status == 200, response.status
    connection.close()
    return time.monotonic() - begun


def honest(address):
    """The time of a few requests."""
    position = json.dumps({"game": "neutron5", "moves": ["A5-A2"]})
    return time_of(address, "GET", "/") + time_of(address, "POST", "/api/position", position)


def measure(args, address, server):
    times, highest = [], 0
    crowd = Crowd(address)
    for number in range(args.stuck):
        crowd.open(STUCK[number % len(STUCK)])
    for number in range(args.slow):
        crowd.open(SLOW[number % len(SLOW)])
    end = time.monotonic() + args.seconds
    while time.monotonic() < end:
        times.append(honest(address))
        highest = max(highest, memory(server)[2])
        crowd.renew()
        time.sleep(0.05)
    return sorted(times), highest, crowd.ended


def post(path, body):
    body = json.dumps(body)
    return f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n{body}"


def expensive():
    """Expensive requests, by name."""
    long = "connect_fou" * 5_000
    turns = [f"{row}{file}" for row in "ABCDE" for file in range(1, 6)] * 400
    tag = '[Game "tic_tac_toe"]\n[' + "Event" * 20_000 + ' "' + "neutron5" * 100_000 + '"]\n\n1. a1\n'
    return {
        "long name of a game": post("/api/position", {"game": long}),
        "long name of an option": post("/api/position", {"game": "neutron5", "rules": {long: 1}}),
        "long position": post("/api/position", {"game": "neutron5", "position": "x" * 50_000}),
        "many turns": post("/api/position", {"game": "neutron5", "moves": turns[:7_000]}),
        "long turn": post("/api/position", {"game": "checkers_gomoku", "moves": ["A1" * 25_000]}),
        "deep JSON": "POST /api/position HTTP/1.1\r\nHost: localhost\r\nContent-Length: 60000\r\n\r\n" + "[" * 60_000,
        "long name of a player": post("/api/analysis", {"player": long, "game": "neutron5", "moves": []}),
        "long tags of a record": post("/api/records/read", {"text": tag}),
        "many games of a record": post("/api/records/read", {"text": '{"game":"tic_tac_toe","moves":["a1"]}\n' * 25_000}),
        "long name of rules": ASK.format("/api/rules/" + "neutron" * 1_000),
        "a large run": ASK.format("/api/runs/large"),
        "all runs": ASK.format("/api/runs"),
    }


def ask_again(crowd, text, address, until):
    """Lets `crowd` clients send a request again and again until `until`."""
    poll, text = select.epoll(), text.encode()

    def begin():
        client = socket.create_connection(address, timeout=10)
        client.settimeout(10)
        try:
            client.sendall(text)
        except OSError:
            pass
        poll.register(client, select.EPOLLIN | select.EPOLLRDHUP)
        return client

    clients = {}
    for _ in range(crowd):
        client = begin()
        clients[client.fileno()] = client
    while time.monotonic() < until:
        for number, _ in poll.poll(0.05):
            client = clients.pop(number)
            client.close()
            client = begin()
            clients[client.fileno()] = client
    for client in clients.values():
        client.close()


def others(address):
    """The times of a few requests of others."""
    return [time_of(address, "GET", path) for path in ("/api/rules", "/api/games", "/")]


def measure_expensive(args, address, server):
    """Prints how long others wait under each kind of request. Returns the longest time."""
    longest = 0
    for name, text in expensive().items():
        until = time.monotonic() + args.seconds / 5
        crowd = multiprocessing.Process(target=ask_again, args=(args.expensive, text, address, until))
        crowd.start()
        time.sleep(0.3)
        times = []
        while time.monotonic() < until:
            times += others(address)
            time.sleep(0.02)
        crowd.join()
        times.sort()
        longest = max(longest, times[-1])
        print(
            f"{name:<24} {len(times):>4} requests of others, median {times[len(times) // 2]:.4f} s, "
            f"longest {times[-1]:.4f} s, memory {memory(server)[0]:.0f} MiB",
            flush=True,
        )
    return longest


def main():
    args = options()
    clients = args.slow + args.stuck + (args.expensive or 0) + 100
    resource.setrlimit(resource.RLIMIT_NOFILE, (clients, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    with tempfile.TemporaryDirectory() as folder:
        make_run(pathlib.Path(folder) / "large", args.metrics)
        server, address = start(args, folder)
        try:
            quiet = sorted(honest(address) for _ in range(20))
            before = memory(server)[0]
            if args.expensive:
                longest = measure_expensive(args, address, server)
                sys.exit(longest > args.latency or memory(server)[1] - before > args.memory)
            times, files, ended = measure(args, address, server)
            now, most, _ = memory(server)
        finally:
            server.terminate()
            server.wait()
    print(f"alone:   {len(quiet)} honest visits, median {quiet[len(quiet) // 2]:.3f} s")
    print(
        f"crowded: {len(times)} honest visits, median {times[len(times) // 2]:.3f} s, "
        f"longest {times[-1]:.3f} s"
    )
    print(f"memory:  {before:.0f} MiB before, {now:.0f} MiB after, {most:.0f} MiB at most")
    print(f"files:   {files} at most; {ended} clients were disconnected")
    sys.exit(times[-1] > args.latency or most - before > args.memory)


main()
