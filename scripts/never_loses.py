#!/usr/bin/env python3
"""Checks that a trained tic-tac-toe player never loses, against every sequence of opponent turns.

    scripts/never_loses.py checkpoints/tic_tac_toe [--simulations 100] [--program PATH]

The opponent tries every legal turn, and the player replies with its best turn; both sides are
checked. Prints the number of positions and the results. The exit status is 1 if a game is lost.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter


class Analyst:
    """A process of `tavoliere analyze`."""

    def __init__(self, program, player, simulations):
        command = [program, "analyze", "--player", player]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.simulations = simulations

    def ask(self, moves):
        query = {"game": "tic_tac_toe", "moves": moves, "simulations": self.simulations}
        self.process.stdin.write(json.dumps(query) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(self.process.wait() or 1)
        answer = json.loads(line)
        if "error" in answer:
            sys.exit(f"{moves}: {answer['error']}")
        return answer


def walk(analyst, own, moves, seen, results):
    """Plays all games that continue `moves`; `own` is the letter of the player's stones."""
    answer = analyst.ask(moves)
    # Different orders of moves lead to the same position.
    if answer["board"] in seen:
        return
    seen.add(answer["board"])
    if answer["outcome"] is not None:
        result = {own: "won", "draw": "drawn"}.get(answer["outcome"], "lost")
        results[result] += 1
        if result == "lost":
            print("lost:", " ".join(moves))
        return
    turns = [answer["best"]] if answer["to_move"] == own else answer["legal"]
    for turn in turns:
        walk(analyst, own, moves + [turn], seen, results)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("player", help="a run of tic_tac_toe, or RUN@ITERATION")
    parser.add_argument("--simulations", type=int, default=100, help="simulations for each action")
    parser.add_argument("--program", default="target/release/tavoliere", help="path of the program")
    args = parser.parse_args()
    analyst = Analyst(args.program, args.player, args.simulations)
    lost = 0
    for own in "xo":
        seen, results = set(), Counter()
        walk(analyst, own, [], seen, results)
        lost += results["lost"]
        counts = ", ".join(f"{results[key]} {key}" for key in ("won", "drawn", "lost"))
        print(f"as {own}: {len(seen)} positions, results: {counts}")
    sys.exit(1 if lost else 0)


if __name__ == "__main__":
    main()
