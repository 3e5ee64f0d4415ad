#!/usr/bin/env bash
# A game in a crate of its own, as its author has it: examples/hex, and what `tavoliere new` writes. Both
# are tested, played, trained for two iterations and exported. The arguments are options of cargo:
#
#     scripts/own_game.sh
#     scripts/own_game.sh --no-default-features     # rules and search alone: nothing is trained
#
# Needs target/release/tavoliere. Compiled dependencies are those in target/, if they were built there for a
# release.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
export CARGO_TARGET_DIR=$root/target
options=("$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Tests and builds the crate in the current folder. The same versions as here, so that nothing is compiled
# twice.
build() {
    cp "$root/Cargo.lock" .
    cargo test --release "${options[@]}"
    cargo build --release "${options[@]}"
}

# What the program of a game does.
try() {
    local program=$CARGO_TARGET_DIR/release/$1 game=$2
    "$program" games
    "$program" rules "$game" >"$work/rules"
    "$program" perft "$game" 2
    "$program" match 'uct?rollouts=300' random --game "$game" --games 10 --require 'score>0.6'
    "$program" bench playouts env uct tree --game "$game" --seconds 0.1
    echo "{\"game\": \"$game\"}" | "$program" analyze | grep -q '"legal"'
    printf 'boardsize\nquit\n' | "$program" engine --player random --game "$game" >/dev/null
    if [[ " ${options[*]} " == *" --no-default-features "* ]]; then return; fi
    "$program" train "$game" --run "$work/$game-run" --iterations 2 \
        --set selfplay.games=16 --set evaluation.games=2 2>"$work/log" || { cat "$work/log"; return 1; }
    "$program" export "$work/$game-run" --output "$work/$game-player"
    "$program" match "$work/$game-player" "$work/$game-run@1" --games 4 --simulations 8
    echo '{"simulations": 16}' | "$program" analyze --player "$work/$game-player" | grep -q '"best"'
    "$program" positions "$game" --kinds win1,only2 --each 2 --games 8 --output "$work/$game.jsonl"
    "$program" exact "$work/$game-player" --positions "$work/$game.jsonl"
}

"$root/target/release/tavoliere" new four_here --output "$work/four_here" --library "$root"
cd "$work/four_here"
build
try four_here four_here
cd "$root/examples/hex"
build
try hex hex5
