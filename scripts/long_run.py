#!/usr/bin/env python3
"""Trains a run of many small iterations, and draws its space, memory and open files over time.

    scripts/long_run.py --iterations 10000 --out docs/images/long-run.svg
    scripts/long_run.py --iterations 2000 --set train.prune=false

Prints a line for each tenth of the run. Needs Linux, for /proc.
"""

import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path

TINY = ["network.channels=8", "network.blocks=1", "selfplay.games=32", "selfplay.simulations=8",
        "replay.window=20000", "evaluation.games=10", "evaluation.simulations=16",
        "evaluation.panel=[\"random\"]"]
# Title, unit, color.
PANELS = [("space of the run", "MB", "#1f77b4"), ("resident memory", "MB", "#d62728"),
          ("open files", "", "#2ca02c"), ("iterations a second", "", "#9467bd")]
WIDTH, HEIGHT, LEFT, GAP = 640, 150, 60, 40


def space(folder):
    total = 0
    for entry in os.scandir(folder):
        try:
            total += space(entry.path) if entry.is_dir() else entry.stat().st_size
        except FileNotFoundError:
            pass  # It was pruned meanwhile.
    return total


def sample(process, run):
    status = Path(f"/proc/{process}/status").read_text().split()
    memory = int(status[status.index("VmRSS:") + 1]) / 1e3
    files = len(os.listdir(f"/proc/{process}/fd"))
    return int((run / "latest").read_text()), space(run) / 1e6, memory, files


def watch(training, run, every):
    """Returns the iteration and the four values of each moment."""
    rows, last = [], (0, time.monotonic())
    while training.poll() is None:
        time.sleep(every)
        try:
            iteration, *values = sample(training.pid, run)
        except (FileNotFoundError, ValueError):
            continue  # It has not begun, or is over.
        now = time.monotonic()
        if iteration > last[0]:
            rows.append((iteration, *values, (iteration - last[0]) / (now - last[1])))
            last = iteration, now
    return rows


def panel(rows, index, top):
    title, unit, color = PANELS[index]
    most = max(row[index + 1] for row in rows) * 1.1 or 1
    place = lambda row: (LEFT + (WIDTH - LEFT) * row[0] / rows[-1][0], top + HEIGHT * (1 - row[index + 1] / most))
    points = " ".join("{:.1f},{:.1f}".format(*place(row)) for row in rows)
    text = '<text x="{}" y="{}" text-anchor="{}" font-size="12" font-family="sans-serif">{}</text>'
    return [
        f'<rect x="{LEFT}" y="{top}" width="{WIDTH - LEFT}" height="{HEIGHT}" fill="none" stroke="#888"/>',
        text.format(LEFT, top - 6, "start", f"{title}{unit and f' ({unit})'}"),
        text.format(LEFT - 6, top + 4, "end", f"{most:.3g}"),
        text.format(LEFT - 6, top + HEIGHT, "end", "0"),
        text.format(LEFT, top + HEIGHT + 16, "middle", "0"),
        text.format(WIDTH, top + HEIGHT + 16, "end", f"iteration {rows[-1][0]}"),
        f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.5"/>',
    ]


def picture(rows):
    tops = [24 + index * (HEIGHT + GAP) for index in range(len(PANELS))]
    height = tops[-1] + HEIGHT + GAP
    parts = [part for index, top in enumerate(tops) for part in panel(rows, index, top)]
    size = f'viewBox="0 0 {WIDTH + 10} {height}" width="{WIDTH + 10}" height="{height}"'
    background = '<rect width="100%" height="100%" fill="#fff"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{background}{"".join(parts)}</svg>\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/tavoliere")
    parser.add_argument("--iterations", type=int, default=10_000)
    parser.add_argument("--every", type=float, default=2.0, help="seconds from one sample to the next")
    parser.add_argument("--run", type=Path, help="folder that is kept [default: a temporary one]")
    parser.add_argument("--out", type=Path, help="picture")
    parser.add_argument("--set", action="append", default=[], dest="settings")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        run = given.run or Path(temporary) / "run"
        settings = ["train.prune=true", f"iterations={given.iterations}", *TINY, *given.settings]
        command = [given.program, "train", "tic_tac_toe", "--run", run]
        command += [word for setting in settings for word in ("--set", setting)]
        training = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        rows = watch(training, run, given.every)
        if training.returncode != 0:
            raise SystemExit(f"the training ended with {training.returncode}")
    print("iteration  space MB  memory MB  files  iterations/s")
    for row in rows[:: max(1, len(rows) // 10)] + rows[-1:]:
        print("{:>9}  {:>8.1f}  {:>9.1f}  {:>5}  {:>12.1f}".format(*row))
    if given.out:
        given.out.write_text(picture(rows))


if __name__ == "__main__":
    main()
