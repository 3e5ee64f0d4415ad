#!/usr/bin/env bash
# Runs unit tests under the address sanitizer, which finds accesses out of bounds and after a
# buffer's end of life, also within burn. By default those of the kernels and of erased positions,
# without burn; the arguments are those of a test program, the features those of cargo:
#
#   scripts/sanitize.sh
#   scripts/sanitize.sh tests::records --nocapture
#   FEATURES=net scripts/sanitize.sh tests::infer tests::backprop
#
# Needs a Rust for x86-64 Linux that has the sanitizer; the stable one is allowed its unstable flag.
# The first build takes two minutes, the tests as long; both go to target/sanitizer, or to CARGO_TARGET_DIR.
set -euo pipefail
cd "$(dirname "$0")/.."

target=x86_64-unknown-linux-gnu
libraries=$(rustc --print sysroot)/lib/rustlib/$target/lib
if ! compgen -G "$libraries/librustc-*_rt.asan.a" >/dev/null; then
    echo "sanitize.sh: needs a Rust with the address sanitizer, librustc-*_rt.asan.a in $libraries" >&2
    exit 1
fi
export RUSTC_BOOTSTRAP=1

# With a target, the flags do not apply to build scripts and procedural macros. Where memory was
# allocated is told by lines of code.
export RUSTFLAGS="-Zsanitizer=address" CARGO_INCREMENTAL=0
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target/sanitizer}
export CARGO_PROFILE_RELEASE_STRIP=none CARGO_PROFILE_RELEASE_DEBUG=line-tables-only
export CARGO_PROFILE_RELEASE_OPT_LEVEL=1
# Threads and tables live as long as the program.
export ASAN_OPTIONS=detect_leaks=0
if [[ $# == 0 ]]; then set -- nn:: registry:: tests::contract tests::search tests::env; fi
cargo test --release --lib --target "$target" \
    --no-default-features --features "${FEATURES:-}" -- "$@"
