#!/usr/bin/env python3
"""Validates AbstractPlay records against the schema of the recranks project.

    tavoliere records FILE --format abstractplay | scripts/check_abstractplay.py gamerecord.json

The schema is src/schemas/gamerecord.json of https://github.com/AbstractPlay/recranks. Needs the
package jsonschema, and rfc3339-validator to check the format of times.
"""

import json
import sys

from jsonschema import Draft7Validator, FormatChecker


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check_abstractplay.py SCHEMA < RECORDS")
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    records = json.load(sys.stdin)
    records = records if isinstance(records, list) else [records]
    validator = Draft7Validator(schema, format_checker=FormatChecker())
    bad = 0
    for number, record in enumerate(records, 1):
        for error in validator.iter_errors(record):
            print(f"record {number}: {error.json_path}: {error.message}")
            bad += 1
    print(f"{len(records)} records, {bad} errors")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
