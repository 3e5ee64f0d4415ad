#!/usr/bin/env bash
# Trains a config with two builds of the program, with three seeds each. The players of equal seeds
# play a match through the Go Text Protocol. For changes that no setting controls, such as the
# observation of a game. Prints rows for docs/experiments with the score of the first build:
#
#   git worktree add /tmp/before COMMIT && (cd /tmp/before && cargo build --release)
#   scripts/compare_builds.sh target/release/tavoliere /tmp/before/target/release/tavoliere \
#       configs/neutron5.toml OUT GAMES --iterations 30 --set selfplay.games=128
#
# The arguments after OUT and GAMES are passed to both trainings, which run in parallel on one thread
# each.
set -euo pipefail
new=$(realpath "$1") old=$(realpath "$2") config=$3 out=$4 games=$5
shift 5
mkdir -p "$out"
game=$(sed -n 's/^game *= *"\([a-z0-9_]*\)".*/\1/p' "$config")
player="simulations=64&proof_nodes=0"
row=$(dirname "$0")/match_row.py

for seed in 1 2 3; do
    "$new" train "$config" --run "$out/new.$seed" --threads 1 "$@" \
        --set seed=$seed --set evaluation.every=0 > "$out/new.$seed.log" 2>&1 &
    first=$!
    "$old" train "$config" --run "$out/old.$seed" --threads 1 "$@" \
        --set seed=$seed --set evaluation.every=0 > "$out/old.$seed.log" 2>&1
    wait $first
    opponent="gtp:\"$old\" engine --game $game --player \"$out/old.$seed?$player\""
    "$new" match "$out/new.$seed?$player" "$opponent" --games "$games" --json |
        "$row" "$game, seed $seed"
done
