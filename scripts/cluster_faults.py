"""Faults of a cluster and what learner and workers must make of them; `scripts/cluster.py fault`.

Garbage and far too large messages, workers of another version, clocks that are wrong by an hour, a
full disk below the run, and servers that refuse.
"""

import base64
import hashlib
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import time

OTHER_VERSION = "9.9.9/1"
# Mebibytes of the disk of the run when it begins, and those that it grows by when it is full. At first
# there is room for the run without its games.
DISK, GROWTH = 0.1, 0.3


class Client:
    """A client of a NATS server that sends what it likes."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.lines = self.socket.makefile("rb")
        self.lines.readline()
        self.send(b'CONNECT {"verbose":false}\r\n')

    def send(self, data):
        self.socket.sendall(data)

    def publish(self, subject, payload):
        self.send(f"PUB {subject} {len(payload)}\r\n".encode() + payload + b"\r\n")

    def answer(self):
        """The subject and the payload of the next message."""
        while not (line := self.lines.readline()).startswith(b"MSG"):
            if line.startswith(b"PING"):
                self.send(b"PONG\r\n")
            elif not line:
                sys.exit("the server hung up")
        words = line.split()
        payload = self.lines.read(int(words[-1]) + 2)[:-2]
        return words[1].decode(), payload

    def listen(self, subject):
        self.send(f"SUB {subject} 1\r\n".encode())

    def heard(self, start):
        """The next message to a subject that starts so."""
        while not (answer := self.answer())[0].startswith(start):
            pass
        return answer

    def asked(self, subject):
        """The answer to an empty request."""
        self.send(f"SUB answers 2\r\nPUB {subject} answers 0\r\n\r\n".encode())
        while (answer := self.answer())[0] != "answers":
            pass
        return answer[1]


def disturb_by_garbage(port, run, tasks, games):
    """Sends garbage, records that are none and a message of 100 MB to the subjects of a run."""
    client = Client(port)
    for payload in [b"", b"garbage", b"{}", b"\x00" * 1000, b"TAVGAME\n" + b"\xff" * 100]:
        client.publish(games, payload)
        client.publish(f"tavoliere.{run}.games.x", payload)
        client.publish(tasks, payload)
    try:
        Client(port).publish(games, b"\x00" * 100_000_000)
    except OSError:
        pass  # The server hangs up.


class OtherVersion:
    """A run whose learner has another version, and tasks of such a job in our run."""

    def __init__(self, port, run):
        self.client, self.run, self.at = Client(port), run, 0.0
        bucket = "tavoliere_runs"
        entry = json.loads(self.client.asked(f"$JS.API.DIRECT.GET.KV_{bucket}.$KV.{bucket}.{run}"))
        self.entry = json.dumps(entry | {"version": OTHER_VERSION, "owner": "x"}).encode()

    def stay(self):
        """Tells the server again and again that the run is there, as a learner does."""
        if time.monotonic() > self.at + 10:
            self.client.publish("$KV.tavoliere_runs.newer", self.entry)
            self.at = time.monotonic()

    def disturb(self, tasks, task, said):
        """Publishes tasks like `task` until workers have `said` that they refuse them, and the run."""
        self.stay()
        job = json.dumps({"version": OTHER_VERSION, "new": "field"}).encode()
        name = put_object(self.client, f"tavoliere_{self.run}", job)
        task = json.dumps(json.loads(task) | {"job": name}).encode()
        theirs = f"has version {OTHER_VERSION}, this worker"
        lines = [f"run newer is left alone: its learner {theirs}", f"run {self.run}: the learner {theirs}"]
        for _ in range(30):
            self.client.publish(tasks, task)
            time.sleep(1)
            if all(line in said() for line in lines):
                return
        sys.exit(f"no worker says `{' or '.join(lines)}`:\n{said()[-2000:]}")


def put_object(client, bucket, content):
    """Puts a small object into an object store, under its SHA-256. Returns its name."""
    digest = hashlib.sha256(content)
    name, encoded = digest.hexdigest(), base64.urlsafe_b64encode(digest.digest()).decode()
    told = {
        "name": name, "bucket": bucket, "nuid": "of-another-version", "size": len(content),
        "chunks": 1, "digest": f"SHA-256={encoded}",
    }
    meta = base64.urlsafe_b64encode(name.encode()).decode()
    client.publish(f"$O.{bucket}.C.of-another-version", content)
    client.publish(f"$O.{bucket}.M.{meta}", json.dumps(told).encode())
    return name


def refused(cluster, options, login, words):
    """Checks what learner and worker say to a server that is started with these options."""
    cluster.start_server(options)
    address = f"nats://{login}127.0.0.1:{cluster.port}"
    learner = ["train", cluster.folder / "config.toml", "--run", cluster.folder / "refused"]
    commands = [[*learner, "--cluster", address]]
    if "no room" not in words:
        commands.append(["worker", address])
    for command in commands:
        command = [cluster.program, *command]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if done.returncode != 1 or words not in done.stderr or "wrong" in done.stderr:
            sys.exit(f"{command} ended with {done.returncode}, not with `{words}`:\n{done.stderr}")
    cluster.server.kill()
    cluster.server.wait()


def check_refusals(cluster):
    refused(cluster, [], "", "has no JetStream")
    login = ["-js", "--user", "me", "--pass", "right"]
    refused(cluster, login, "me:wrong@", "refuses our user and password")
    small = cluster.folder / "small.conf"
    small.write_text("jetstream { max_file_store: 20MB }\n")
    refused(cluster, ["-c", small], "", "no room")
    shutil.rmtree(cluster.folder / "server")
    print("servers without JetStream, with another password and without room: said")


def wrong_clocks(hours):
    """Environments of programs whose clocks are wrong by these hours. None without `faketime`."""
    if shutil.which("faketime") is None:
        print("wrong clocks: skipped, there is no faketime")
        return {}
    # Not by the command itself: a signal to it would not reach the program.
    command = ["faketime", "-m", "-f", "+0h", "printenv", "LD_PRELOAD"]
    library = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    # As on a machine with a wrong clock, time passes as ever.
    common = {"LD_PRELOAD": library, "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    return {name: common | {"FAKETIME": f"{number:+}h"} for name, number in hours.items()}


class Disk:
    """A small disk for the runs of a cluster, if one can be mounted here."""

    def __init__(self, folder):
        self.folder, self.size, self.times = folder, DISK, 0
        folder.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", self.option(), "none", folder]
        self.is_mounted = subprocess.run(mount, capture_output=True).returncode == 0
        if not self.is_mounted:
            print("full disk: skipped, a tmpfs cannot be mounted here")

    def option(self):
        return f"size={int(self.size * 1024)}k"

    def grow(self):
        self.size, self.times = self.size + GROWTH, self.times + 1
        command = ["mount", "-o", f"remount,{self.option()}", self.folder]
        subprocess.run(command, check=True)

    def remove(self):
        """Keeps what is on it in an ordinary folder."""
        if self.is_mounted:
            kept = self.folder.with_name("kept")
            shutil.copytree(self.folder, kept)
            subprocess.run(["umount", self.folder], check=True)
            self.folder.rmdir()
            kept.rename(self.folder)
            self.is_mounted = False


class Faults:
    """Prepares a cluster for a training with faults, and checks what was said."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.disk = Disk(cluster.folder / "cluster")
        self.clocks = wrong_clocks({"worker0": 1, "learner": -1})
        cluster.environment.update(self.clocks)

    def listen(self, run):
        """A client that hears what is said in a run that begins."""
        client = Client(self.cluster.port)
        client.listen(f"tavoliere.{run}.>")
        return client

    def begin(self, run, client):
        """Disturbs the training that has begun, as the `client` has heard."""
        tasks, task = client.heard(f"tavoliere.{run}.tasks")
        games, _ = client.heard(f"tavoliere.{run}.games")
        disturb_by_garbage(self.cluster.port, run, tasks, games)
        self.check_presence(run)
        self.other_version = OtherVersion(self.cluster.port, run)
        self.other_version.disturb(tasks, task, self.workers_said)

    def go_on(self):
        """Disturbs it further. Workers must play for the run beside another one, too."""
        self.other_version.stay()

    def check_presence(self, run):
        """Nobody may look dead or alive by a wrong clock."""
        command = [self.cluster.program, "cluster", self.cluster.address, "--json"]
        for _ in range(50):
            told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            runs, workers = ({it["name"] for it in json.loads(told)[key]} for key in ("runs", "workers"))
            if runs == {run} and len(workers) == len(self.cluster.workers):
                return
            time.sleep(0.2)
        sys.exit(f"`tavoliere cluster` does not show the run and all workers: {told}")

    def learner_ended(self):
        """Gives the learner the room that it says it lacks, and sets its clock right."""
        said = self.log("learner").strip().splitlines()[-1]
        if self.disk.is_mounted and "No space left" in said and str(self.disk.folder) in said:
            self.disk.grow()
            self.cluster.environment.pop("learner", None)

    def check_said(self):
        if self.disk.is_mounted and self.disk.times == 0:
            sys.exit(f"a disk of {DISK} MiB was never full")
        said = self.log("learner") + self.workers_said()
        if "panicked" in said:
            sys.exit(f"somebody panicked:\n{said[-2000:]}")
        clocks = ", ".join(self.clocks) or "none"
        print(f"another version: said; disk full {self.disk.times} times; wrong clocks: {clocks}")

    def workers_said(self):
        return "".join(self.log(f"worker{index}") for index in range(len(self.cluster.workers)))

    def log(self, name):
        path = pathlib.Path(self.cluster.folder / f"{name}.log")
        return path.read_text() if path.exists() else ""
