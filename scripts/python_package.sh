#!/usr/bin/env bash
# Makes the source distribution of the Python package, installs it in an empty virtual environment, and runs
# its tests there: nothing of this clone is imported. Rust's compiled dependencies are those in target/, if
# they were built there for a release.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/maker"
"$work/maker/bin/pip" install --quiet 'maturin>=1.9,<2'
(cd python && "$work/maker/bin/maturin" sdist --out "$work" 2>&1 | tail -1)
ls -l "$work"/*.tar.gz | awk '{print $NF ": " $5 " bytes"}'

python3 -m venv "$work/user"
# Little optimisation for this project's own code: its compilation is all that this script waits for.
CARGO_TARGET_DIR="$PWD/target" MATURIN_PEP517_ARGS='--config profile.release.package.tavoliere.opt-level=1' \
    "$work/user/bin/pip" install --quiet "$(echo "$work"/*.tar.gz)[test]"

# As docs/python.md has it: started beside its source, a program imports the package.
(cd python && "$work/user/bin/python" -c 'import tavoliere; tavoliere.games()')

mkdir "$work/python" "$work/docs"
cp -r python/tests python/README.md "$work/python"
cp docs/python.md "$work/docs"
cd "$work/python"
PATH="$work/user/bin:$PATH"
python -m mypy --strict --disable-error-code import-untyped --disable-error-code misc --package tavoliere
python -m pytest --quiet tests
