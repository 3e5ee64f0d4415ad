#!/usr/bin/env python3
"""Measures how `tavoliere serve` bears clients that hold connections. It starts a server on a made-up
run with large metrics, opens connections that send nothing, half a request or half a body, and
clients that ask for the run or its events and never read, and times honest requests all the while.

    scripts/server_load.py
    scripts/server_load.py --files 128 --seconds 30

The slow clients connect again when they are disconnected. It needs Linux, for the memory in /proc.
Exits with status 1 if an honest request takes more than --latency or the memory grows by more than
--memory.
"""

import argparse
import http.client
import json
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


def honest(address):
    """The time of a few requests, each on a connection of its own."""
    position = json.dumps({"game": "neutron5", "moves": ["A5-A2"]})
    begun = time.monotonic()
    for method, path, body in [("GET", "/", None), ("POST", "/api/position", position)]:
        connection = http.client.HTTPConnection(*address, timeout=60)
        connection.request(method, path, body)
        response = connection.getresponse()
        response.read()
        assert response.status == 200, response.status
        connection.close()
    return time.monotonic() - begun


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


def main():
    args = options()
    clients = args.slow + args.stuck + 100
    resource.setrlimit(resource.RLIMIT_NOFILE, (clients, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    with tempfile.TemporaryDirectory() as folder:
        make_run(pathlib.Path(folder) / "large", args.metrics)
        server, address = start(args, folder)
        try:
            quiet = sorted(honest(address) for _ in range(20))
            before = memory(server)[0]
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
