#!/usr/bin/env bash
# Builds what needs no tensors for 64-bit ARM, and runs the tests of the forward pass on an emulated CPU.
# How fast they are there says nothing.
#
# Takes the target aarch64-unknown-linux-gnu of rustup, if it is there or can be added. Otherwise it builds
# the standard library from Debian's packages rustc-web, cargo-web and rust-web-src. It installs these, a
# linker and the emulator.
set -euo pipefail
cd "$(dirname "$0")/.."

target=aarch64-unknown-linux-gnu
packages=()
command -v aarch64-linux-gnu-gcc >/dev/null || packages+=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross)
command -v qemu-aarch64-static >/dev/null || packages+=(qemu-user-static)
cargo=cargo
# Little optimisation: the compilation is all that this script waits for.
options=(--config 'profile.release.lto="off"' --config 'profile.release.package.tavoliere.opt-level=1')
if ! { rustup target list --installed 2>/dev/null | grep -q "^$target$" ||
    rustup target add "$target" >/dev/null 2>&1; }; then
    { [ -d /usr/lib/rustlib/src/rust/library ] && [ -x /usr/bin/cargo ]; } ||
        packages+=(rustc-web cargo-web rust-web-src)
    # The standard library is built by unstable options of a stable compiler.
    export RUSTC_BOOTSTRAP=1 RUSTC=/usr/bin/rustc
    cargo=/usr/bin/cargo
    options+=(-Zbuild-std)
fi
if [ ${#packages[@]} -gt 0 ]; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi

export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER="qemu-aarch64-static -L /usr/aarch64-linux-gnu"
"$cargo" test --release --locked --no-default-features --lib --target "$target" --target-dir target/arm \
    "${options[@]}" -- nn:: every_instruction_set
