#!/usr/bin/env bash
# Makes the npm package: target/npm/tavoliere-VERSION.tgz.
#
#     scripts/npm.sh                      with the program of src/server/site
#     scripts/npm.sh --program FILE       with another one, such as target/web/tavoliere.wasm
#     scripts/npm.sh PLAYER...            with these players, by name or folder
#
# TAVOLIERE is the program that packs the players; default target/release/tavoliere.
set -euo pipefail

program=() players=()
while [ $# -gt 0 ]; do
    case $1 in
        --program) program=(--program "$(realpath "$2")"); shift ;;
        -*) echo "$0: there is no option $1" >&2; exit 2 ;;
        *) players+=("$1") ;;
    esac
    shift
done
cd "$(dirname "$0")/.."
# The smallest one for a first try, two games that everybody knows, and two of this project.
[ ${#players[@]} -gt 0 ] || players=(tic_tac_toe connect_four breakthrough8 neutron5 susan)

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
grep -q "\"version\": \"$version\"" npm/package.json || {
    echo "$0: npm/package.json has not the version $version of Cargo.toml" >&2
    exit 1
}
folder=target/npm
rm -rf "$folder"
mkdir -p "$folder/package/players"
tavoliere=${TAVOLIERE:-target/release/tavoliere}
"$tavoliere" site --out "$folder/site" "${program[@]}" "${players[@]}" >/dev/null
cp npm/* LICENSE-* THIRD_PARTY.md "$folder/package"
cp src/server/site/{program,worker}.js "$folder/site/assets/tavoliere.wasm.gz" "$folder/package"
cp "$folder"/site/assets/players/*.gz "$folder/package/players"
python3 - "$folder" <<'EOF'
import json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
listed = json.loads((folder / "site/assets/players.json").read_text())
own = [player for player in listed if "file" in player]
for player in own:
    player["file"] = player["file"].removeprefix("players/")
fields = ["name", "title", "game", "levels", "file"]
brief = [{field: player[field] for field in fields} for player in own]
(folder / "package/players/players.json").write_text(json.dumps(brief, indent=1))
EOF
rm -r "$folder/site"
(cd "$folder/package" && npm pack --silent --pack-destination ..) >/dev/null
packed=$folder/tavoliere-$version.tgz
echo "$packed: $(wc -c <"$packed") bytes"
(cd "$folder/package" && wc -c -- *.js *.gz players/* | sed '$d; s/^/    /')
