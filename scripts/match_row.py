#!/usr/bin/env python3
"""Prints a row of a table in docs/ from the result of `tavoliere match --json`: first what the
arguments name, then won-drawn-lost, the score and its 95 % interval.

    tavoliere match A B --json | scripts/match_row.py "A against B"
"""

import json
import sys

result = json.load(sys.stdin)
counts = "{wins}-{draws}-{losses}".format(**result)
score = f"{100 * result['score']:.1f} %"
low, high = (f"{100 * bound:.1f}" for bound in result["interval"])
print("| " + " | ".join([*sys.argv[1:], counts, score, f"{low} to {high} %"]) + " |")
