#!/usr/bin/env bash
# Fuzzes the readers of foreign bytes, each target for a time; fuzz/README.md says more.
#
#   scripts/fuzz.sh                         all targets, 60 s each
#   scripts/fuzz.sh 10                      all targets, 10 s each
#   scripts/fuzz.sh 600 config gtp-engine   these targets, ten minutes each
#   scripts/fuzz.sh repeat config FILE      runs an input once
#
# Prints the number of inputs of each target. A crash, a hang or too much memory fails: the input is
# kept, and the command that repeats it is printed. Inputs that reach new code are kept in
# fuzz/corpus, from which the next run goes on.
set -euo pipefail
cd "$(dirname "$0")/.."

# The program's compiled dependencies are used, which are not instrumented.
target=${CARGO_TARGET_DIR:-$PWD/target}
RUSTC_WRAPPER=$PWD/fuzz/instrument cargo build --quiet --release \
    --manifest-path fuzz/Cargo.toml --target-dir "$target"
program=$target/release/tavoliere-fuzz
# Inputs run one after the other; threads for a network would only get in each other's way.
export RAYON_NUM_THREADS=1

if [[ ${1:-} == repeat ]]; then
    FUZZ_TARGET=$2 exec "$program" "$3"
fi

seconds=${1:-60}
if (($# > 1)); then
    targets=("${@:2}")
else
    mapfile -t targets < <(FUZZ_TARGET=list "$program")
fi

total=0
failed=0
mkdir -p fuzz/corpus fuzz/artifacts
for name in "${targets[@]}"; do
    corpus=fuzz/corpus/$name
    log=fuzz/artifacts/$name.log
    mkdir -p "$corpus"
    # Short inputs are fast; those of several files and of tensors have to be longer.
    case $name in
        run | player | ladder | metrics | weights | optimizer) longest=32768 ;;
        *) longest=4096 ;;
    esac
    options=(-max_total_time="$seconds" -max_len="$longest" -timeout=10 -rss_limit_mb=1024
        -print_final_stats=1 -verbosity=0 -artifact_prefix="fuzz/artifacts/$name-")
    if [[ -f fuzz/dictionaries/$name.dict ]]; then
        options+=(-dict="fuzz/dictionaries/$name.dict")
    fi
    status=0
    FUZZ_TARGET=$name "$program" "$corpus" "fuzz/seeds/$name" "${options[@]}" >"$log" 2>&1 ||
        status=$?
    count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    total=$((total + ${count:-0}))
    printf '%-14s %10d inputs, %d kept\n' "$name" "${count:-0}" "$(find "$corpus" -type f | wc -l)"
    if ((status != 0)); then
        failed=1
        tail -n 30 "$log" >&2
        input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
        printf 'FAILED; repeat it by: scripts/fuzz.sh repeat %s %s\n' "$name" "$input" >&2
    fi
done
printf '%-14s %10d inputs\n' "all targets" "$total"
exit "$failed"
