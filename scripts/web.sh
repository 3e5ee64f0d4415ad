#!/usr/bin/env bash
# Builds the program as WebAssembly, for `tavoliere site`.
#
#     scripts/web.sh            into target/web/tavoliere.wasm
#     scripts/web.sh --quick    the same, slower and larger, in half the time
#     scripts/web.sh --write    also into the source, as src/server/site/tavoliere.wasm.gz
#     scripts/web.sh --manifest MY_GAME/Cargo.toml [--quick]
#                               the games of that crate, whose library calls `tavoliere::page!`,
#                               into target/web/MY_GAME.wasm
#
# Takes the target wasm32-unknown-unknown of rustup, if it is there or can be added. Otherwise it builds the
# standard library from Debian's packages: rustc-web, cargo-web, rust-web-src and lld, which it installs.
set -euo pipefail

manifest=web/Cargo.toml write= quick=
while [ $# -gt 0 ]; do
    case $1 in
        --quick) quick=1 ;;
        --write) write=1 ;;
        --manifest) manifest=$(realpath "$2"); shift ;;
        *) echo "$0: there is no option $1" >&2; exit 2 ;;
    esac
    shift
done
cd "$(dirname "$0")/.."

target=wasm32-unknown-unknown
# The page's CPU has vectors of four numbers. Fewer inlined copies make a file of two thirds the size.
export RUSTFLAGS="-C target-feature=+simd128 -C llvm-args=--inline-threshold=25"
# Small, as people wait for it.
options=(--config 'profile.release.panic="abort"' --config 'profile.release.strip=true')
options+=(--config 'profile.release.incremental=false')
if [ "$quick" ]; then
    options+=(--config 'profile.release.lto=false' --config 'profile.release.opt-level=1')
    options+=(--config 'profile.release.codegen-units=16')
else
    options+=(--config 'profile.release.lto="fat"' --config 'profile.release.codegen-units=1')
fi

if rustup target list --installed 2>/dev/null | grep -q "^$target$" ||
    rustup target add "$target" >/dev/null 2>&1; then
    cargo=cargo
else
    linker=$(compgen -c wasm-ld | sort | tail -1 || true)
    if [ -z "$linker" ] || [ ! -d /usr/lib/rustlib/src/rust/library ] || [ ! -x /usr/bin/cargo ]; then
        apt-get update -qq
        lld=$(apt-cache search --names-only '^lld-[0-9]+$' | sort -V | tail -1 | cut -d' ' -f1)
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            rustc-web cargo-web rust-web-src "$lld" >/dev/null
        linker=$(compgen -c wasm-ld | sort | tail -1)
    fi
    # The standard library is built by unstable options of a stable compiler.
    export RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$linker
    cargo=/usr/bin/cargo
    options+=(-Zbuild-std=std,panic_abort)
fi

# Cargo.lock of a crate elsewhere is its author's.
name=tavoliere
if [ "$manifest" = web/Cargo.toml ]; then
    options+=(--locked)
else
    name=$("$cargo" metadata --no-deps --format-version 1 --manifest-path "$manifest" |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["packages"][0]["name"].replace("-", "_"))')
fi
"$cargo" rustc --release --lib --crate-type cdylib --no-default-features --manifest-path "$manifest" \
    --target "$target" --target-dir target/web "${options[@]}"
built=target/web/$name.wasm
cp "target/web/$target/release/${name/%tavoliere/tavoliere_web}.wasm" "$built"
echo "$built: $(wc -c <"$built") bytes, $(gzip -9 -n -c "$built" | wc -c) bytes with gzip"
if [ "$write" ]; then
    [ "$name" = tavoliere ] || { echo "$0: --write is for the games that ship" >&2; exit 2; }
    gzip -9 -n -c "$built" >src/server/site/tavoliere.wasm.gz
fi
