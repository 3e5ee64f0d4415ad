#!/usr/bin/env bash
# A game in a crate of its own, as its author sees it: examples/hex, and what `tavoliere new` writes. Both
# are tested, trained for a few iterations, and asked what they know.
#
#     scripts/own_game.sh             with the network
#     scripts/own_game.sh --quick     rules and search alone
#
# Rust's compiled dependencies are those in target/, if they were built there for a release.
set -euo pipefail
cd "$(dirname "$0")/.."

export CARGO_TARGET_DIR="$PWD/target"
features=()
if [ "${1:-}" = --quick ]; then
    features=(--no-default-features)
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Builds and tests the crate in a folder, and prints the path of its program.
built() {
    local name=$1
    # The same versions as here, so that nothing is compiled twice.
    [ -f Cargo.lock ] || cp "$root/Cargo.lock" .
    cargo test --release --quiet "${features[@]}" >&2
    cargo build --release --quiet "${features[@]}"
    echo "$CARGO_TARGET_DIR/release/$name"
}

# What the program of a game does.
tried() {
    local program=$1 game=$2
    "$program" games
    "$program" rules "$game" | head -4
    "$program" perft "$game" 2
    "$program" match 'uct?rollouts=200' random --game "$game" --games 4 --require 'score>0.5'
    echo "{\"game\": \"$game\"}" | "$program" analyze >/dev/null
    if [ ${#features[@]} -eq 0 ]; then
        "$program" train "$game" --run "$work/run-$game" --iterations 2 \
            --set selfplay.games=16 --set evaluation.every=0
        "$program" exact --help >/dev/null
        "$program" export "$work/run-$game" --output "$work/player-$game"
        "$program" match "$work/player-$game" random --game "$game" --games 4 --simulations 16
    fi
}

root=$PWD
program=$(cargo metadata --no-deps --format-version 1 >/dev/null && echo "$CARGO_TARGET_DIR/release/tavoliere")
[ -x "$program" ] || cargo build --release
"$program" new four_here --output "$work/four_here" --library "$root"
cd "$work/four_here"
tried "$(built four_here)" four_here
cd "$root/examples/hex"
tried "$(built hex)" hex5
