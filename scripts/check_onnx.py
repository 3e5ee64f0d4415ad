#!/usr/bin/env python3
"""Compares the outputs of exported networks in ONNX Runtime with expected outputs.

    pip install onnxruntime
    scripts/check_onnx.py FOLDER...
    scripts/check_onnx.py --program target/release/tavoliere FOLDER...

Each folder holds model.onnx and player.json, as `tavoliere export` writes them, and check.json:
`{"observations": [...], "policy": [...], "wdl": [...], "moves_left": [...]}` with flat arrays for
some positions. `{"observations": [...], "like": "FOLDER"}` expects the outputs of the model of
another folder. `cargo test --release --lib exported:: -- --ignored` writes such folders
for every game, with the outputs of burn. All positions are evaluated in one batch and one by one.
Prints the largest difference of any number. The exit status is 1 if it reaches 1e-4.

With --program the expected outputs are those of `tavoliere analyze` in random positions of the player's
game: first with the player's usual engine and policy temperature, which differ from the model's, then
with `policy_temperature=1.0&engine=portable`, which must agree.
"""

import argparse
import json
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime

BOUND = 1e-4
# The outputs of every model.
NAMES = ["policy", "wdl", "moves_left"]


def session_of(folder):
    """ONNX Runtime with the model of a folder."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        folder / "model.onnx", options, providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    assert names == NAMES, names
    return session


def differences(folder):
    """The largest difference of each output over all positions, batched and one by one."""
    card = json.loads((folder / "player.json").read_text())
    check = json.loads((folder / "check.json").read_text())
    session = session_of(folder)
    shape = card["observation"]["shape"]
    observations = np.array(check["observations"], np.float32).reshape([-1, *shape])
    if "like" in check:
        like = session_of(Path(check["like"])).run(NAMES, {"observation": observations})
        check.update(zip(NAMES, like))
    batches = [observations] + [observations[i : i + 1] for i in range(len(observations))]
    found = [session.run(NAMES, {"observation": batch}) for batch in batches]
    together, alone = found[0], [np.concatenate(part) for part in zip(*found[1:])]
    largest = {}
    for name, one, other in zip(NAMES, together, alone):
        size = card["outputs"][name]["size"]
        expected = np.array(check[name], np.float32).reshape([-1, size])
        largest[name] = max(float(np.abs(numbers - expected).max()) for numbers in (one, other))
    return card["game"], largest


def analyses(program, player, count):
    """Answers of `tavoliere analyze` in `count` positions of random games."""
    process = subprocess.Popen(
        [program, "analyze", "--player", player], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    chance, moves = random.Random(1), []
    for _ in range(count):
        # Each turn is searched, so that it has a prior.
        query = {"moves": moves, "encode": True, "simulations": 64}
        print(json.dumps(query), file=process.stdin, flush=True)
        answer = json.loads(process.stdout.readline())
        if "error" in answer:
            raise SystemExit(answer["error"])
        if answer["outcome"] is None:
            yield answer
        moves = [*moves, chance.choice(answer["legal"])] if answer["outcome"] is None else []
    process.stdin.close()
    process.wait()


def compared(session, program, player, shape):
    """The largest difference of win, draw and loss, and of the priors of turns of one action."""
    raw = prior = 0.0
    for answer in analyses(program, player, 60):
        encoding = answer["encoding"]
        observation = np.array(encoding["observation"], np.float32).reshape([1, *shape])
        policy, wdl, _ = session.run(NAMES, {"observation": observation})
        told = [answer["raw"][key] for key in ("win", "draw", "loss")]
        raw = max(raw, float(np.abs(wdl[0] - told).max()))
        actions = encoding["actions"]
        logits = np.array([policy[0][action["action"]] for action in actions], np.float64)
        shares = np.exp(logits - logits.max())
        shares /= shares.sum()
        priors = {turn["turn"]: turn["prior"] for turn in answer["turns"]}
        for action, share in zip(actions, shares):
            if action["turn"] in priors:
                prior = max(prior, abs(float(share) - priors[action["turn"]]))
    return {"raw": raw, "prior": prior}


def against(program, folder):
    """Compares a model with the program. Returns the differences that must be small."""
    card = json.loads((folder / "player.json").read_text())
    session, shape = session_of(folder), card["observation"]["shape"]
    for options in ["", "?policy_temperature=1.0&engine=portable"]:
        largest = compared(session, program, f"{folder}{options}", shape)
        print(f"{folder}{options}: {told(largest)}")
    return card["game"], largest


def told(largest):
    return " ".join(f"{name} {difference:.1e}" for name, difference in largest.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--program", help="compare with this program instead of check.json")
    given = parser.parse_args()
    worst = 0.0
    for folder in given.folders:
        game, largest = against(given.program, folder) if given.program else differences(folder)
        print(game, told(largest))
        # NaN counts as larger than any number.
        worst = max([worst, *largest.values()], key=lambda x: (x != x, x))
    print(f"largest difference {worst:.1e}")
    sys.exit(0 if worst < BOUND else 1)


if __name__ == "__main__":
    main()
