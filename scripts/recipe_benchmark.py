#!/usr/bin/env python3
"""Trains players of some games in a given time without a config, and measures how strong they are.

    scripts/recipe_benchmark.py OUT                            # ten minutes, three seeds, seven games
    scripts/recipe_benchmark.py OUT --preset                   # the same by the presets
    scripts/recipe_benchmark.py OUT --games susan --seeds 1 --time 5m --set search.c_scale=0.5
    scripts/recipe_benchmark.py OUT --solution entropy=DIR     # positions of a solution

Connect Four is measured by positions of its solver. So are games whose solution is named, by 2,000
random positions of it. All others play 400 games against the player that ships, at 100 simulations a
turn without the root prover, from balanced openings. What is done already is not done again, so a
benchmark that was stopped goes on. The machine should have nothing else to do.
"""

import argparse
import json
import pathlib
import subprocess
import sys

GAMES = "susan,neutron5,neutron7,coneutron5,entropy,checkers_gomoku,connect_four"


def train(options, game, seed, run):
    """Trains a player, unless it is there. A training that was stopped goes on."""
    named = [game] if options.preset else ["--game", game]
    command = [options.program, "train", *named, "--time", options.time, "--run", run]
    for setting in [f"seed={seed}", *options.set]:
        command += ["--set", setting]
    with open(f"{run}.log", "a") as log:
        subprocess.run(command, check=True, stdout=log, stderr=log)


def answers(command):
    """What a command says, as JSON lines. Its exit status does not count."""
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [json.loads(line) for line in said.splitlines()]


def exact(options, run, arguments, measure):
    """The shares of correct turns by simulations, each with its 95 % interval."""
    simulations = [str(number) for number in options.simulations]
    command = [options.program, "exact", f"{run}?proof_nodes=0", "--json", *arguments]
    reports = answers([*command, "--simulations", ",".join(simulations)])
    found = {}
    for report in reports:
        share = report["measures"][measure]
        name = f"{measure} at {report['simulations']} simulations"
        found[name] = [share["share"], *share["interval"], share["positions"]]
    return found


def matched(options, game, run):
    """The score against the player that ships, with its 95 % interval."""
    command = [options.program, "match", f"{run}?proof_nodes=0", f"{game}?proof_nodes=0", "--json"]
    command += ["--games", str(options.matches), "--simulations", "100", "--balanced"]
    report = answers(command)[-1]
    return {"score": [report["score"], *report["interval"], report["games"]]}


def measured(options, game, run):
    if game in options.solution:
        folder = options.solution[game]
        return exact(options, run, ["--solution", folder, "--positions", "2000"], "kept")
    if game == "connect_four":
        return exact(options, run, ["--kinds", "value"], "value")
    return matched(options, game, run)


def shown(value):
    share, low, high, count = value
    low, high = [f"{100 * bound:.1f}" for bound in (low, high)]
    return f"{100 * share:.1f} % ({low} to {high} %) of {count}"


def print_table(results):
    print("| game | seed | iterations | measured | result |\n|---|---|---|---|---|")
    for result in results:
        for measure, value in result["measured"].items():
            print(f"| {result['game']} | {result['seed']} | {result['iterations']} | {measure} | {shown(value)} |")


def pairs(texts):
    return dict(text.split("=", 1) for text in texts)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--games", default=GAMES)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--time", default="10m")
    parser.add_argument("--preset", action="store_true", help="train by the presets")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--solution", action="append", default=[], metavar="GAME=DIR")
    parser.add_argument("--simulations", type=int, nargs="+", default=[100, 800])
    parser.add_argument("--matches", type=int, default=400, metavar="GAMES")
    parser.add_argument("--program", default="target/release/tavoliere")
    options = parser.parse_args()
    options.solution = pairs(options.solution)
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "results.jsonl"
    known = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    for seed in options.seeds.split(","):
        for game in options.games.split(","):
            if any((it["game"], it["seed"]) == (game, seed) for it in known):
                continue
            run = options.out / f"{game}-{seed}"
            print(f"{game}, seed {seed}", file=sys.stderr)
            train(options, game, seed, run)
            iterations = int((run / "latest").read_text())
            result = {"game": game, "seed": seed, "iterations": iterations}
            result["measured"] = measured(options, game, run)
            known.append(result)
            with path.open("a") as file:
                file.write(json.dumps(result) + "\n")
    print_table(sorted(known, key=lambda it: (it["game"], it["seed"])))


if __name__ == "__main__":
    main()
