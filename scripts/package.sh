#!/usr/bin/env bash
# Makes the package, checks its size, installs the program from it, and has the installed program play
# every shipped player from an empty folder, with nothing else of this source left. The dependencies
# are those in target/, if they were built there for a release with the same features.
#
#     scripts/package.sh [--features NAMES]
set -euo pipefail
cd "$(dirname "$0")/.."

limit=10000000 # bytes; crates.io takes no larger one

# The program of this source, which cargo would replace by the installed one.
built=target/release/tavoliere
work=$(mktemp -d)
finish() {
    if [ -e "$work/built" ]; then mv -f "$work/built" "$built"; fi
    rm -rf "$work"
}
trap finish EXIT
if [ -e "$built" ]; then cp -p "$built" "$work/built"; fi
mkdir "$work/source" "$work/root" "$work/home" "$work/empty"

cargo package --quiet --locked --no-verify --allow-dirty
version=$(cargo metadata --no-deps --format-version 1 |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["packages"][0]["version"])')
package=target/package/tavoliere-$version.crate
size=$(wc -c <"$package")
echo "$package: $size bytes"
if [ "$size" -gt "$limit" ]; then
    echo "the package is larger than $limit bytes; see \`exclude\` in Cargo.toml" >&2
    exit 1
fi

tar -xzf "$package" -C "$work/source" --strip-components=1
players=$(ls -d checkpoints/players/*/ | xargs -n 1 basename)
# Little optimisation for this package alone: its compilation is all that this script waits for.
cargo install --quiet --locked --path "$work/source" --target-dir "$PWD/target" --root "$work/root" "$@" \
    --config 'profile.release.package.tavoliere.opt-level=1'
rm -r "$work/source"

# The program alone, as a user has it.
run() { (cd "$work/empty" && env -i HOME="$work/home" "$work/root/bin/tavoliere" "$@"); }
run --version
for player in $players; do
    answer=$(run analyze --player "$player" <<<'{"moves": [], "simulations": 20}')
    turn=$(python3 -c 'import json, sys; print(json.loads(sys.argv[1])["best"])' "$answer")
    run play "$player" --side none --simulations 2 | tail -1 | sed "s/^/$player: $turn ... /"
done
if [ -n "$(ls -A "$work/empty" "$work/home" | grep -v ':$' | tr -d '\n')" ]; then
    echo "the program has left files behind" >&2
    exit 1
fi
