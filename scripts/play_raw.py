#!/usr/bin/env python3
"""Plays a game by the network without search: an example of an exported player in Python.

    pip install onnxruntime
    scripts/play_raw.py PLAYER_FOLDER [--program target/release/tavoliere] [--against random]

`tavoliere analyze` has the rules: it encodes a position for the network, and lists the legal
actions and the turns that they complete. The network's policy selects the actions. Prints the game
and its result for the network, which moves first.
"""

import argparse
import json
import random
import shutil
import subprocess
from pathlib import Path

import numpy as np
import onnxruntime


class Rules:
    """A process of `tavoliere analyze`."""

    def __init__(self, program, card):
        self.about = {"game": card["game"], "rules": card["rules"], "encode": True}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([program, "analyze"], stdin=pipe, stdout=pipe, text=True)

    def ask(self, moves, begun=()):
        query = {**self.about, "moves": moves, "begun": list(begun)}
        print(json.dumps(query), file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise SystemExit(answer["error"])
        return answer


def choose(rules, network, shape, moves):
    """The turn of the actions with the highest policy logits."""
    begun = []
    while True:
        encoding = rules.ask(moves, begun)["encoding"]
        observation = np.array(encoding["observation"], np.float32).reshape([1, *shape])
        policy = network.run(["policy"], {"observation": observation})[0][0]
        best = max(encoding["actions"], key=lambda action: policy[action["action"]])
        if best["turn"] is not None:
            return best["turn"]
        begun.append(best["action"])


def found():
    """The program of this clone, or that of PATH."""
    built = Path(__file__).resolve().parent.parent / "target/release/tavoliere"
    return str(built) if built.is_file() else "tavoliere"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("player", type=Path, help="folder of an exported player")
    parser.add_argument("--program", default=found(), help="path of the program [default: that of this clone, or of PATH]")
    parser.add_argument("--against", choices=["itself", "random"], default="random", help="opponent")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random opponent")
    arguments = parser.parse_args()

    if shutil.which(arguments.program) is None:
        raise SystemExit(f"there is no program {arguments.program}; name it by --program")
    if not (arguments.player / "model.onnx").is_file():
        raise SystemExit(
            f"{arguments.player} has no model.onnx; name a folder that `tavoliere export` wrote"
        )
    card = json.loads((arguments.player / "player.json").read_text())
    network = onnxruntime.InferenceSession(arguments.player / "model.onnx")
    rules, chance = Rules(arguments.program, card), random.Random(arguments.seed)
    shape, moves = card["observation"]["shape"], []
    while (answer := rules.ask(moves))["outcome"] is None:
        if arguments.against == "random" and len(moves) % 2 == 1:
            moves.append(chance.choice(answer["legal"]))
        else:
            moves.append(choose(rules, network, shape, moves))
    print(" ".join(moves))
    print({"P1": "won", "P2": "lost"}.get(answer["winner"], "drawn"))


if __name__ == "__main__":
    main()
