#!/usr/bin/env bash
# Type-checks the program and its tests for Windows and for macOS on ARM, with all features that need no
# graphics processor. Nothing is linked or run: for that it takes such a computer.
#
# Takes the targets of rustup, if they are there or can be added. Otherwise it builds the standard library
# from Debian's packages rustc-web, cargo-web and rust-web-src, which it installs.
set -euo pipefail
cd "$(dirname "$0")/.."

targets=(x86_64-pc-windows-gnu aarch64-apple-darwin)
cargo=cargo
options=()
is_there() { rustup target list --installed 2>/dev/null | grep -q "^$1$" || rustup target add "$1" >/dev/null 2>&1; }
for target in "${targets[@]}"; do
    options+=(--target "$target")
    # A crate of the feature `cluster` compiles C, which a check has no use for: that compiler does nothing.
    export "CC_${target//-/_}=true" "AR_${target//-/_}=true"
    is_there "$target" || cargo=/usr/bin/cargo
done
if [ $cargo = /usr/bin/cargo ]; then
    if ! [ -d /usr/lib/rustlib/src/rust/library ] || ! [ -x $cargo ]; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends rustc-web cargo-web rust-web-src >/dev/null
    fi
    # The standard library is checked by unstable options of a stable compiler.
    export RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc
    options+=(-Zbuild-std)
fi
RUSTFLAGS="-D warnings" "$cargo" check --release --locked --all-targets --features cluster "${options[@]}" \
    --target-dir target/platforms
