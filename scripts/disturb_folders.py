"""Commands on folders from elsewhere, under limits, and with broken streams.

Part of scripts/disturb.py. A run, an exported player, a solution, a ladder and a site are made once.
Then a command that uses such a folder must end soon, without a panic, and must change nothing outside
the folder:

    replace   one of its files or folders is a pipe, a link, a device, a sparse file, ...; also with
              little more memory than before
    limits    memory, open files, processes, size of files or stack are limited
    streams   standard input, output or error is closed, full, or not read
"""

import hashlib
import os
import resource
import shutil
import signal
import socket
import subprocess
import time
from collections import Counter

# Seconds that a command may take longer than undisturbed.
PATIENCE = 5
# Bytes of memory that it may take more.
MEMORY = 64 << 20
SPARSE = 1 << 40


def pipe(path, _):
    os.mkfifo(path)


def link_to_zeros(path, _):
    path.symlink_to("/dev/zero")


def link_to_pipe(path, victim):
    fifo = victim.parent / "pipe"
    if not fifo.exists():
        os.mkfifo(fifo)
    path.symlink_to(fifo)


def link_to_terminal(path, _):
    path.symlink_to("/dev/tty")


def link_elsewhere(path, victim):
    path.symlink_to(victim)


def dangling_link(path, victim):
    path.symlink_to(victim.parent / "nothing")


def link_to_itself(path, _):
    path.symlink_to(path)


def folder(path, _):
    path.mkdir()
    (path / "something").write_text("a file in a folder")


def empty(path, _):
    path.touch()


def sparse(path, _):
    with open(path, "wb") as file:
        file.truncate(SPARSE)


def sparse_gibibyte(path, _):
    with open(path, "wb") as file:
        file.truncate(1 << 30)


def listener(path, _):
    # The name of a socket is short; it is made in the folder itself.
    before = os.getcwd()
    os.chdir(path.parent)
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(before)


KINDS = [
    pipe, link_to_zeros, link_to_pipe, link_to_terminal, link_elsewhere, dangling_link, link_to_itself,
    folder, empty, sparse, sparse_gibibyte, listener,
]


def small(settings):
    return [word for setting in settings for word in ("--set", setting)]


class Made:
    """A folder, files that a command would make there, and the commands that use it. `{}` is it."""

    def __init__(self, name, make, commands, more=()):
        self.name, self.make, self.commands, self.more = name, make, commands, more


def folders(run_settings):
    train = ["train", "configs/tic_tac_toe.toml", "--run", "{}"]
    settings = small(run_settings)
    plain = ["uct?rollouts=5", "alphabeta?nodes=50", "random"]
    ladder = ["ladder", *plain, "--game", "tic_tac_toe", "--folder", "{}", "--games"]
    quick = ["--games", "2", "--simulations", "4"]
    return [
        Made("run", [*train, *settings], [
            [*train, *settings, "--set", "iterations=5"],
            [*train, *settings],
            ["digest", "{}"],
            ["prune", "{}"],
            ["match", "{}", "random", *quick],
            ["match", "{}@best", "random", *quick],
            ["export", "{}", "--output", "{}.player"],
            ["records", "{}/games/000002.games", "--format", "lines"],
            ["selfplay", "{}", "--games", "1", "--simulations", "2"],
            ["sweep", "{}/config.toml", "--vary", "replay.reuse=2", "--iterations", "1", "--seeds", "2",
             "--games", "2", "--simulations", "2", "--out", "{}.sweep"],
        ], ["000005", "000005.part", "games/000005.games", "games/000005.games.part", "latest.part",
            "activity.json", "pruned.jsonl"]),
        Made("player", ["export", "{run}", "--output", "{}"], [
            ["match", "{}", "random", *quick],
            ["export", "{}", "--output", "{}.player"],
            ["export", "{run}@2", "--output", "{}"],
            ["site", "--out", "{}.site", "{}"],
        ], ["levels.json", "../.work.tavoliere-part", "../.work.tavoliere-old"]),
        Made("solution", ["solve", "tic_tac_toe", "--out", "{}"], [
            ["solve", "tic_tac_toe", "--out", "{}"],
            ["match", "solution:{}", "random", "--games", "2"],
        ], ["unfinished", "values.part", "solution.part"]),
        Made("ladder", [*ladder, "4"], [[*ladder, "6"], [*ladder, "4"]], []),
        Made("site", ["site", "--out", "{}", "tic_tac_toe"], [["site", "--out", "{}", "tic_tac_toe"]],
             ["../.work.tavoliere-part", "../.work.tavoliere-old", "CNAME"]),
    ]


class Failed(Exception):
    pass


class Replacer:
    def __init__(self, disturber, settings):
        self.program, self.rng, self.place = disturber.program, disturber.rng, disturber.folder
        self.work, self.victim = self.place / "work", self.place / "victim"
        self.settings, self.undisturbed = settings, {}

    def command(self, arguments):
        run = str(self.place / "run")
        return [self.program, *(word.replace("{run}", run).replace("{}", str(self.work)) for word in arguments)]

    def run(self, arguments, patience, before_it=None):
        """Returns status, seconds, memory and text of a command, which is killed after `patience`.
        `before_it` is called in the new process."""
        log = self.place / "log"
        begun = time.monotonic()
        with open(log, "wb") as errors:
            # A session of its own has no terminal to wait for.
            process = subprocess.Popen(self.command(arguments), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=errors, start_new_session=True, preexec_fn=before_it)
        while True:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            if ended:
                break
            if time.monotonic() - begun > patience:
                os.killpg(process.pid, signal.SIGKILL)
                os.wait4(process.pid, 0)
                process.returncode = -signal.SIGKILL
                raise Failed("it hangs")
            time.sleep(0.002)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begun
        return process.returncode, seconds, usage.ru_maxrss << 10, log.read_text(errors="replace")

    def fresh(self, made):
        for path in self.place.iterdir():
            if path.name not in ("made", "run", "log", "disturb.so"):
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        shutil.copytree(self.place / "made" / made.name, self.work)
        shutil.copytree(self.work, self.victim)

    def prepare(self, made):
        """Makes the folder, and runs each command undisturbed."""
        shutil.rmtree(self.work, ignore_errors=True)
        status, _, _, text = self.run(made.make, 120)
        if status != 0:
            raise Failed(f"{made.make}: {status} {text}")
        (self.place / "made").mkdir(exist_ok=True)
        shutil.copytree(self.work, self.place / "made" / made.name)
        if made.name == "run":
            shutil.copytree(self.work, self.place / "run")
        for arguments in made.commands:
            self.fresh(made)
            status, seconds, memory, text = self.run(arguments, 120)
            if status != 0:
                raise Failed(f"undisturbed {arguments}: {status} {text}")
            self.undisturbed[tuple(arguments)] = seconds, memory

    def names(self, made):
        folder = self.place / "made" / made.name
        return sorted(str(path.relative_to(folder)) for path in folder.rglob("*")) + list(made.more)

    def snapshot(self):
        """Everything outside the folder, without following links."""
        found = {}
        for path in sorted(self.place.rglob("*")):
            name = str(path.relative_to(self.place))
            own = ("work", ".work", "log", "made")
            if name.startswith(own) or path.is_symlink():
                continue
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else path.stat().st_mode
        return found

    def disturb(self, made, name, kind, arguments):
        self.fresh(made)
        path, victim = self.work / name, self.victim / name
        if path.is_symlink() or path.is_file():
            path.unlink()
        elif path.is_dir():
            shutil.rmtree(path)
        if not victim.exists():
            victim = self.victim
        kind(path, victim)
        before = self.snapshot()
        seconds, memory = self.undisturbed[tuple(arguments)]
        status, _, used, text = self.run(arguments, seconds + PATIENCE)
        if "panicked" in text or status not in (0, 1, 2):
            raise Failed(f"it ended with {status}: {text[-2000:]}")
        if used > memory + MEMORY:
            raise Failed(f"it used {used >> 20} MiB of memory instead of {memory >> 20}: {text[-1000:]}")
        after = self.snapshot()
        changed = [it for it in sorted({*before, *after}) if before.get(it) != after.get(it)]
        if changed:
            raise Failed(f"it changed {', '.join(changed)} (status {status}): {text[-1000:]}")


def limit(which, *sizes):
    """Limits a resource to one of these sizes."""
    def choose(rng):
        size = rng.choice(sizes)
        return lambda: resource.setrlimit(which, (size, size))
    choose.__name__ = f"{which} of {sizes}"
    return choose


def few_processes(rng):
    """Limits the processes and threads of a user, who is not root: that one has no limit."""
    count = rng.choice([1, 2, 3, 5])

    def become():
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        resource.setrlimit(resource.RLIMIT_NPROC, (count, count))
    return become


def stream(number, kind):
    """Replaces standard input, output or error."""
    def choose(_):
        def become():
            if kind == "closed":
                os.close(number)
                return
            if kind == "full":
                file = os.open("/dev/full", os.O_RDWR)
            else:
                reader, file = os.pipe()
                os.close(reader)
            os.dup2(file, number)
            os.close(file)
        return become
    choose.__name__ = f"stream {number} {kind}"
    return choose


LIMITS = {
    "memory": limit(resource.RLIMIT_AS, *(size << 20 for size in (50, 100, 200, 400))),
    "files": limit(resource.RLIMIT_NOFILE, 4, 6, 8, 10, 12, 16, 24),
    "processes": few_processes,
    "file size": limit(resource.RLIMIT_FSIZE, 0, 100, 1000, 4000, 20000),
    "stack": limit(resource.RLIMIT_STACK, 128 << 10, 256 << 10, 1 << 20),
}
STREAMS = {
    f"{name} {kind}": stream(number, kind)
    for number, name in enumerate(["input", "output", "error"])
    for kind in ("closed", "full", "unread")
}


def constrained(replacer, made, name, arguments):
    """Runs a command under a limit, or with another stream."""
    choose = {**LIMITS, **STREAMS}[name]
    replacer.fresh(made)
    replacer.place.chmod(0o777)
    for path in [replacer.place.parent, replacer.work, *replacer.work.rglob("*")]:
        path.chmod(0o777)
    before = replacer.snapshot()
    seconds, _ = replacer.undisturbed[tuple(arguments)]
    status, _, _, text = replacer.run(arguments, seconds + PATIENCE, choose(replacer.rng))
    # Rust's own end where memory is refused, and that of the loader before the program begins.
    is_out_of_memory = name == "memory" and (status == -signal.SIGABRT or status == 127)
    is_loader = status == 127 and "error while loading" in text
    if "panicked" in text or not (status in (0, 1, 2) or is_out_of_memory or is_loader):
        raise Failed(f"it ended with {status}: {text[-2000:]}")
    if status == 0 and name == "output full" and arguments[0] != "train":
        raise Failed("it lost its output and says nothing")
    if replacer.snapshot() != before:
        raise Failed("it changed something elsewhere")


def replaced(replacer, made, _, arguments):
    """Replaces a file and runs a command."""
    # A pipe that the command line names may be read: then somebody writes to it.
    names = [name for name in replacer.names(made) if not any(word.endswith(f"/{name}") for word in arguments)]
    name, kind = replacer.rng.choice(names), replacer.rng.choice(KINDS)
    try:
        replacer.disturb(made, name, kind, arguments)
    except Failed as failure:
        raise Failed(f"{name} as {kind.__name__}: {failure}") from failure


def disturb(disturber, kind, wanted, only, settings):
    """Disturbs commands `wanted` times, on all folders in turn, and prints how many of each."""
    replacer, counts = Replacer(disturber, settings), Counter()
    all_made = folders(settings)
    for made in all_made:
        replacer.prepare(made)
    chosen = [made for made in all_made if only in (None, made.name)]
    how, names = {"replace": (replaced, [""]), "limits": (constrained, [*LIMITS]), "streams": (constrained, [*STREAMS])}[kind]
    failures = []
    for number in range(wanted):
        made, name = chosen[number % len(chosen)], names[number // len(chosen) % len(names)]
        arguments = replacer.rng.choice(made.commands)
        try:
            how(replacer, made, name, arguments)
        except Failed as failure:
            failures.append(f"{made.name}, {name}, {' '.join(arguments)}: {failure}")
        counts[made.name] += 1
    if failures:
        raise Failed(f"{len(failures)} of {wanted}:\n" + "\n".join(failures))
    parts = ", ".join(f"{counts[made.name]} of a {made.name}" for made in chosen)
    print(f"{wanted} times {kind}: {parts}; nothing hangs, panics, grows or writes elsewhere")
