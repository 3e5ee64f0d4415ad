#!/usr/bin/env python3
"""Prints a table row for docs/ from the result of `tavoliere match --json`. The first cells are the
arguments; won-drawn-lost, the score and its 95 % interval follow.

    tavoliere match A B --json | scripts/match_row.py "A against B"
"""

import json
import sys

result = json.load(sys.stdin)
counts = "{wins}-{draws}-{losses}".format(**result)
score = f"{100 * result['score']:.1f} %"
low, high = (f"{100 * bound:.1f}" for bound in result["interval"])
print("| " + " | ".join([*sys.argv[1:], counts, score, f"{low} to {high} %"]) + " |")
