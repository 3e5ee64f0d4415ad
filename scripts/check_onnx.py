#!/usr/bin/env python3
"""Compares the outputs of exported networks in ONNX Runtime with expected outputs.

    pip install onnxruntime
    scripts/check_onnx.py FOLDER...

Each folder holds model.onnx and player.json, as `tavoliere export` writes them, and check.json:
`{"observations": [...], "policy": [...], "wdl": [...], "moves_left": [...]}` with flat arrays for
some positions. `{"observations": [...], "like": "FOLDER"}` expects the outputs of the model of
another folder. `cargo test --release --lib exported:: -- --ignored` writes such folders
for every game, with the outputs of burn. All positions are evaluated in one batch and one by one.
Prints the largest difference of any number. The exit status is 1 if it reaches 1e-4.
"""

import json
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


def main():
    worst = 0.0
    for folder in map(Path, sys.argv[1:] or sys.exit(__doc__)):
        game, largest = differences(folder)
        print(game, " ".join(f"{name} {difference:.1e}" for name, difference in largest.items()))
        # NaN counts as larger than any number.
        worst = max([worst, *largest.values()], key=lambda x: (x != x, x))
    print(f"largest difference {worst:.1e}")
    sys.exit(0 if worst < BOUND else 1)


if __name__ == "__main__":
    main()
