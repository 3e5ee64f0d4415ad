#!/usr/bin/env bash
# Plays matches of a trained network against itself with other search settings, and prints the rows
# of the tables in docs/experiments/search.md:
#
#   scripts/compare_searches.sh checkpoints/connect_four [GAMES]
#
# Needs a release build, and python3 to read the results.
set -euo pipefail
run=$1
games=${2:-400}
program=${TAVOLIERE:-target/release/tavoliere}

# row DESCRIPTION SIMULATIONS OPTIONS OPTIONS: prints the row of one match.
row() {
    local what=$1 simulations=$2 first=$3 second=$4
    "$program" match "$run?$first" "$run?$second" \
        --simulations "$simulations" --games "$games" --json |
        "$(dirname "$0")/match_row.py" "$what" "$simulations"
}

gumbel="root=gumbel&interior=improved"
puct="root=puct&interior=puct"
echo "| $run | simulations | won-drawn-lost | score | 95 % interval |"
echo "|---|---|---|---|---|"
for simulations in 16 32 64; do
    row "Gumbel against PUCT" $simulations "$gumbel" "$puct"
    row "the same, 16 considered" $simulations "$gumbel&considered=16" "$puct"
    row "the same, 4 considered" $simulations "$gumbel&considered=4" "$puct"
    row "the same, c_scale = 0.1" $simulations "$gumbel&c_scale=0.1" "$puct"
done
for simulations in 32 200; do
    row "proofs and look-ahead against neither" $simulations "proofs=true" "proofs=false"
    row "look-ahead against none" $simulations "lookahead=true" "lookahead=false"
    row "reuse against none" $simulations "reuse=true" "reuse=false"
    row "with a Gumbel root, proofs against none" $simulations "$gumbel" "$gumbel&proofs=false"
done
