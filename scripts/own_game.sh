#!/usr/bin/env bash
# A game in a crate of its own, as its author has it: examples/hex, and what `tavoliere new` writes. Both
# are tested, played, trained for two iterations and exported; Hex also plays from Python, and by a worker if
# `nats-server` is there. The arguments are options of cargo:
#
#     scripts/own_game.sh
#     scripts/own_game.sh --no-default-features     # rules and search alone: nothing is trained
#
# Needs target/release/tavoliere. Compiled dependencies are those in target/, if they were built there for a
# release.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
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

# The examples in the help are commands of this program for its own games.
read_help() {
    local program=$1 name theirs='(neutron|susan|entropy|connect_four|tic_tac_toe)'
    "$program" --version | grep -q '(tavoliere '
    for name in '' $("$program" --help | awk '/^Commands:/ {on = 1; next} /^$/ {on = 0} on {print $1}'); do
        if "$program" $name --help | grep -E "^ *tavoliere |^ *(${program##*/} |echo |\\{).*$theirs"; then
            echo "the help of \`$program $name\` is about other games"
            return 1
        fi
    done
}

# What the program of a game does.
try() {
    local program=$CARGO_TARGET_DIR/release/$1 game=$2
    "$program" games
    "$program" rules "$game" >"$work/rules"
    "$program" perft "$game" 2
    "$program" match 'uct?rollouts=300' random --game "$game" --games 10 --require 'score>0.6'
    "$program" bench playouts env uct tree --seconds 0.1
    read_help "$program"
    echo "{\"game\": \"$game\"}" | "$program" analyze | grep -q '"legal"'
    printf 'boardsize\nquit\n' | "$program" engine --player random --game "$game" >/dev/null
    if [[ " ${options[*]} " == *" --no-default-features "* ]]; then return; fi
    local iterations small=(--set selfplay.games=16 --set evaluation.games=2)
    # The second command resumes.
    for iterations in 1 2; do
        "$program" train "$game" --run "$work/$game-run" --iterations $iterations "${small[@]}" 2>"$work/log" ||
            { cat "$work/log"; return 1; }
    done
    "$program" ladder "$work/$game-run@*" random --games 8 --simulations 8 --folder "$work/$game-ladder" >/dev/null
    "$program" selfplay "$work/$game-run" --games 1 --simulations 8 --output "$work/$game.games" >/dev/null
    "$program" records "$work/$game.games" >/dev/null
    "$program" export "$work/$game-run" --output "$work/$game-player"
    "$program" match "$work/$game-player" "$work/$game-run@1" --games 4 --simulations 8
    echo '{"simulations": 16}' | "$program" analyze --player "$work/$game-player" | grep -q '"best"'
    "$program" positions "$game" --kinds win1,only2 --each 2 --games 8 --output "$work/$game.jsonl"
    "$program" exact "$work/$game-player" --positions "$work/$game.jsonl"
    test -s "$work/$game-player/model.onnx"
    printf 'genmove b\nquit\n' | "$program" engine --player "$work/$game-player" | grep -q '^= [a-z]'
    echo quit | "$program" play "$work/$game-player" | grep -q "$game against"
    "$program" sweep "$game" --vary replay.reuse=2 --iterations 1 --seeds 2 --games 4 --simulations 4 \
        --out "$work/$game-sweep" "${small[@]}" --set selfplay.simulations=4 >/dev/null 2>"$work/log" ||
        { cat "$work/log"; return 1; }
    if "$program" worker --help >/dev/null 2>&1 && command -v nats-server >/dev/null; then
        try_worker "$program" "$game"
    fi
}

# A worker of the program plays for a run of the program: the games are those of one machine.
try_worker() {
    local program=$1 game=$2 port=$((20000 + RANDOM % 20000)) status=0 settings
    settings=(--iterations 1 --set selfplay.games=8 --set selfplay.simulations=4 --set evaluation.games=2)
    nats-server -js -a 127.0.0.1 -p $port -sd "$work/nats" >/dev/null 2>&1 &
    local server=$!
    sleep 1
    "$program" worker nats://127.0.0.1:$port 2>/dev/null &
    local worker=$!
    timeout 120 "$program" train "$game" --run "$work/$game-far" --cluster nats://127.0.0.1:$port \
        "${settings[@]}" 2>"$work/log" || status=$?
    kill $worker $server
    wait $worker $server || true
    if [ $status != 0 ]; then cat "$work/log"; return 1; fi
    "$program" train "$game" --run "$work/$game-near" "${settings[@]}" 2>/dev/null
    cmp "$work/$game-far/games/000001.games" "$work/$game-near/games/000001.games"
}

# The package of Python with the game. Little optimisation, as in python_package.sh.
try_python() {
    rm -rf python/package
    cp -r "$root/python/package" "$root/python/Cargo.lock" python
    python3 -m venv "$work/python"
    MATURIN_PEP517_ARGS='--config profile.release.package.tavoliere.opt-level=1' \
        "$work/python/bin/pip" install --quiet ./python
    "$work/python/bin/python" python/test_hex.py "$1"
}

"$CARGO_TARGET_DIR/release/tavoliere" new four_here --output "$work/four_here" --library "$root"
cd "$work/four_here"
build
try four_here four_here
cd "$root/examples/hex"
build
try hex hex5
if [ -e "$work/hex5-player" ]; then try_python "$work/hex5-player"; fi
