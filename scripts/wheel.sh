#!/usr/bin/env bash
# Makes the wheels of the Python package, for every Linux with glibc 2.17 and every Python from 3.10, and
# installs the one for this CPU where no Rust is, to test it.
#
#     scripts/wheel.sh              the wheel for x86-64, into target/wheels
#     scripts/wheel.sh --arm        also the one for 64-bit ARM, which is not run
#     scripts/wheel.sh --debian     the test takes place in a bare Debian (root; `apt-get install debootstrap`)
#     scripts/wheel.sh --no-build   tests the wheel that is there
#
# pip fetches maturin and zig, whose linker and headers are those of the old glibc.
set -euo pipefail
cd "$(dirname "$0")/.."

targets=(x86_64-unknown-linux-gnu) debian='' build=1
while [ $# -gt 0 ]; do
    case $1 in
        --arm) targets+=(aarch64-unknown-linux-gnu) ;;
        --debian) debian=1 ;;
        --no-build) build='' ;;
        *) echo "$0: there is no option $1" >&2; exit 2 ;;
    esac
    shift
done

root=$PWD
wheels=$root/target/wheels
maker=$root/target/maker
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ -x "$maker/bin/maturin" ] || python3 -m venv "$maker"
"$maker/bin/pip" install --quiet 'maturin>=1.9,<2' 'ziglang<1' 'auditwheel>=6,<7'

make() {
    local target=$1
    if [ "$target" != "$(rustc -vV | sed -n 's/^host: //p')" ]; then rustup --quiet target add "$target"; fi
    (cd python && PATH="$maker/bin:$PATH" CARGO_INCREMENTAL=0 "$maker/bin/maturin" build --release --locked \
        --zig --compatibility manylinux2014 --target "$target" --target-dir ../target --out "$wheels")
}

if [ "$build" ]; then
    rm -f "$wheels"/tavoliere-*.whl
    for target in "${targets[@]}"; do make "$target"; done
fi
for wheel in "$wheels"/tavoliere-*.whl; do
    echo "${wheel##*/}: $(wc -c <"$wheel") bytes"
    "$maker/bin/auditwheel" show "$wheel" | tr '\n' ' ' | grep -o 'consistent with.*tag: "[^"]*"'
done

# What the tests of the command and of players need; a Debian has no network.
mkdir "$work/needed" "$work/tests"
cp "$wheels"/tavoliere-*_x86_64.whl "$work/needed"
cp python/tests/test_command.py python/tests/test_players.py "$work/tests"
python_version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')

if [ "$debian" ]; then
    place=$root/target/debian
    [ -e "$place/usr/bin/python3" ] ||
        debootstrap --variant=minbase --include=python3,python3-venv stable "$place" >"$work/log" ||
        { tail "$work/log"; exit 1; }
    inside() { chroot "$place" env -i HOME=/root PATH=/usr/bin:/bin "$@"; }
    python_version=$(inside python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    python3=python3
else
    place=
    inside() { env -i HOME="$work" PATH="$work/env/bin" "$@"; }
    python3=$(python3 -c 'import sys; print(sys.executable)')
fi
"$maker/bin/pip" download --quiet --dest "$work/needed" --only-binary=:all: --python-version "$python_version" \
    numpy pytest
there=$place/tmp/$(basename "$work")
if [ -z "$debian" ]; then there=$work; else rm -rf "$there" && cp -r "$work" "$there"; fi
here=${there#"$place"}
inside "$python3" -m venv "$here/env"
inside "$here/env/bin/pip" install --quiet --no-index --find-links "$here/needed" tavoliere pytest
if inside /bin/sh -c 'command -v cargo'; then echo "there is a Rust"; exit 1; fi
inside "$here/env/bin/tavoliere" --version
inside "$here/env/bin/python" -m pytest --quiet -p no:cacheprovider --rootdir "$here/tests" "$here/tests"
if [ "$debian" ]; then rm -rf "$there"; fi
