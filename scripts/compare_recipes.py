#!/usr/bin/env python3
"""Trains a config with and without parts of the recipe, with several seeds each, plays matches
between the players, and prints the rows of the tables in docs/experiments.

    scripts/compare_recipes.py configs/connect_four.toml --iterations 40 --out /tmp/recipes

The rows are in scripts/recipes.toml; --only NAME selects some. All runs have the same number of
iterations, so other work of the machine does not change the result. The table has the median
seconds of a run on one thread. Every player of a row plays every player of the unchanged config.
The interval is Student's t interval of the means by seed, so it covers the seeds of both.

Existing runs and matches are not repeated: run the command again after an interruption or with
more seeds. Needs a release build and Python 3.11.
"""

import argparse
import json
import math
import re
import statistics
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Two-sided 95 % quantiles of Student's t for 1, 2, ... degrees of freedom.
STUDENT = [12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14]
BASE = "as it is"


def run(command, log=None):
    """Returns the output of a command; its progress is written to `log`."""
    with open(log or "/dev/null", "w") as errors:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors, text=True)
    if done.returncode not in (0, 3):
        sys.exit(f"{' '.join(map(str, command))} failed; see {log}")
    return done.stdout


class Comparison:
    def __init__(self, args):
        self.args = args
        self.out = Path(args.out)
        self.out.mkdir(parents=True, exist_ok=True)
        recipes = tomllib.loads(Path(args.recipes).read_text())
        names = args.only or list(recipes)
        unknown = [name for name in names if name not in recipes]
        if unknown:
            sys.exit(f"{args.recipes} has no row {unknown[0]!r}; it has {', '.join(map(repr, recipes))}")
        self.rows = {BASE: []} | {name: recipes[name] for name in names}
        self.seeds = range(1, args.seeds + 1)

    def folder(self, row, seed):
        return self.out / f"{re.sub('[^a-z0-9.]+', '_', row.lower())}.{seed}"

    def player(self, row, seed):
        """The player spec, without the root prover, which would hide the difference."""
        return f"{self.folder(row, seed)}?proof_nodes=0"

    def train(self, job):
        """Trains one player on one thread; a finished run has nothing left to do."""
        row, seed = job
        settings = [f"seed={seed}", f"iterations={self.args.iterations}", "evaluation.every=0"]
        sets = [part for setting in settings + self.args.set + self.rows[row] for part in ("--set", setting)]
        folder = self.folder(row, seed)
        command = [self.args.program, "train", self.args.config, "--run", folder, "--threads", "1", *sets]
        run(command, folder.with_suffix(folder.suffix + ".log"))

    def last(self, row, seed):
        lines = [json.loads(line) for line in open(self.folder(row, seed) / "metrics.jsonl")]
        return [line for line in lines if line["phase"] == "learn"][-1]

    def seconds(self, row):
        def of_run(seed):
            lines = map(json.loads, open(self.folder(row, seed) / "metrics.jsonl"))
            return sum(line["seconds"] for line in lines)
        return statistics.median(of_run(seed) for seed in self.seeds)

    def score(self, row, seed, other):
        """Score of the player of a row against one of the unchanged config, 0 to 1."""
        openings = ["--balanced"] if self.args.balanced else []
        match = "".join([f".{seed}.against.{other}", *openings])
        kept = self.folder(row, seed).with_suffix(f"{match}.json")
        if not kept.exists():
            players = [self.player(row, seed), self.player(BASE, other)]
            limits = ["--simulations", str(self.args.simulations), "--games", str(self.args.games)]
            kept.write_text(run([self.args.program, "match", *players, *limits, *openings, "--json"]))
        return json.loads(kept.read_text())["score"]

    def exact(self, row, seed):
        """Accuracy in the selected kind of positions."""
        kept = self.folder(row, seed).with_suffix(f".{seed}.exact.json")
        if not kept.exists():
            limits = ["--kinds", self.args.exact, "--simulations", str(self.args.exact_simulations)]
            kept.write_text(run([self.args.program, "exact", self.player(row, seed), *limits, "--json"]))
        return json.loads(kept.read_text())["measures"][self.args.exact]["share"]

    def against_base(self, row):
        """Elo against the unchanged config, and half the width of its 95 % interval."""
        table = [[self.score(row, seed, other) for other in self.seeds] for seed in self.seeds]
        by_seed = [statistics.mean(line) for line in table]
        by_other = [statistics.mean(column) for column in zip(*table)]
        n = len(by_seed)
        variance = (statistics.variance(by_seed) + statistics.variance(by_other)) / n
        reach = STUDENT[min(2 * n - 2, len(STUDENT)) - 1] * math.sqrt(variance)
        mean = statistics.mean(by_seed)
        return elo(mean), (elo(mean + reach) - elo(mean - reach)) / 2

    def line(self, row):
        last = [self.last(row, seed) for seed in self.seeds]
        mean = lambda key: statistics.mean(line[key] for line in last)
        gap = mean("fresh_value_loss") - mean("value_loss")
        cells = [row, "" if row == BASE else "{:+.0f} ± {:.0f}".format(*self.against_base(row))]
        if self.args.exact:
            shares = [100 * self.exact(row, seed) for seed in self.seeds]
            cells.append(f"{statistics.mean(shares):.1f} ({min(shares):.1f} to {max(shares):.1f})")
        cells += [f"{mean('policy_loss'):.2f}", f"{mean('value_loss'):.2f}", f"{gap:+.2f}", f"{self.seconds(row):.0f}"]
        return "| " + " | ".join(cells) + " |"

    def main(self):
        jobs = [(row, seed) for seed in self.seeds for row in self.rows]
        with ThreadPoolExecutor(self.args.workers) as pool:
            list(pool.map(self.train, jobs))
        heads = ["recipe", "Elo"] + ["accuracy, %"] * bool(self.args.exact)
        heads += ["policy loss", "value loss", "on new games", "seconds"]
        print("| " + " | ".join(heads) + " |\n" + "|---" * len(heads) + "|")
        for row in self.rows:
            print(self.line(row), flush=True)


def elo(score):
    score = min(max(score, 0.001), 0.999)
    return -400 * math.log10(1 / score - 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config", help="config file of the training")
    parser.add_argument("--out", required=True, help="folder of the runs")
    parser.add_argument("--recipes", default="scripts/recipes.toml", help="file of the rows")
    parser.add_argument("--only", action="append", help="name of a row to compare; may be repeated")
    parser.add_argument("--set", action="append", default=[], help="setting of all runs, as in `train`")
    parser.add_argument("--seeds", type=int, default=3, help="number of seeds, at least 2")
    parser.add_argument("--iterations", type=int, default=40, help="iterations of each run")
    parser.add_argument("--games", type=int, default=100, help="games of each pair of players")
    parser.add_argument("--balanced", action="store_true", help="use balanced openings")
    parser.add_argument("--simulations", type=int, default=64, help="simulations for each action in matches")
    parser.add_argument("--exact", help="kind of test positions whose accuracy is measured too")
    parser.add_argument("--exact-simulations", type=int, default=100, help="simulations for each action in them")
    parser.add_argument("--workers", type=int, default=2, help="number of parallel trainings")
    parser.add_argument("--program", default="target/release/tavoliere", help="path of the program")
    args = parser.parse_args()
    if args.seeds < 2:
        parser.error("--seeds must be at least 2, to estimate the spread")
    Comparison(args).main()


if __name__ == "__main__":
    main()
