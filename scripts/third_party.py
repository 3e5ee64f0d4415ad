#!/usr/bin/env python3
"""Generates THIRD_PARTY.md, the notice of what is linked into the program: packages, their licences
and the texts of these. `tavoliere licences` prints it. python/THIRD_PARTY-python.md is that of the Python package.

    scripts/third_party.py                  print the notice
    scripts/third_party.py --write          write THIRD_PARTY.md
    scripts/third_party.py --check          exit status 1 if it is not what --write would write
    scripts/third_party.py --features cuda  print the notice of a build with these features
    scripts/third_party.py --of python      the same, of the package in this folder

A package that offers several licences is taken under Apache-2.0 if it is among them, else under MIT.
Needs Python 3 and cargo, which fetches the sources of packages that are not there yet.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# The same as in deny.toml.
TARGETS = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
]

# Words by which the text of a licence is found among the files of a package.
SIGNATURES = {
    "Apache-2.0": "TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION",
    "MIT": "Permission is hereby granted, free of charge",
    "BSD-2-Clause": "Redistribution and use in source and binary forms",
    "BSD-3-Clause": "Redistribution and use in source and binary forms",
    "ISC": "Permission to use, copy, modify, and",
    "MPL-2.0": "Mozilla Public License Version 2.0",
    "Zlib": "This software is provided 'as-is'",
}

# Files that have to be passed on whatever the licence is.
NOTICES = re.compile(r"(NOTICE|COPYRIGHT|LICENSE-THIRD-PARTY)", re.IGNORECASE)
LICENCES = re.compile(r"(LICEN[CS]E|COPYING|UNLICENSE)", re.IGNORECASE)

# Lines of a licence that name who holds the copyright.
HOLDER = re.compile(r"^\s*(Copyright\b.*|\(c\) .*)$", re.IGNORECASE)
TITLE = re.compile(r"^\W*(The )?(MIT|Zlib|ISC|BSD.*) Licen[cs]e\b.*$", re.IGNORECASE)


def cargo(folder, *arguments):
    """Returns what cargo prints in a folder."""
    done = subprocess.run(["cargo", *arguments], cwd=folder, check=True, stdout=subprocess.PIPE)
    return done.stdout.decode()


def linked(folder, features):
    """Returns the packages that are linked into what a folder builds, by name and version."""
    # Downloads what is missing, and knows where it lies.
    metadata = json.loads(cargo(folder, "metadata", "--locked", "--format-version", "1", *features))
    packages = {(it["name"], it["version"]): it for it in metadata["packages"]}
    targets = [word for target in TARGETS for word in ("--target", target)]
    edges = ["--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}"]
    tree = cargo(folder, "tree", "--locked", *edges, *targets, *features)
    names = {tuple(line.split()[:2]) for line in tree.splitlines() if line.strip()}
    found = [packages[name, version.removeprefix("v")] for name, version in sorted(names)]
    found = [package for package in found if package["source"] is not None]
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def taken(package):
    """Returns the licences that apply: one of those that can be chosen, or all that must be met."""
    terms = package["license"].replace("/", " OR ")
    options = [option.strip(" ()") for option in terms.split(" OR ")]
    for wanted in ("Apache-2.0", "MIT"):
        if wanted in options:
            return [wanted]
    if len(options) > 1 or "(" in terms:
        sys.exit(f"{package['name']}: choose from `{terms}` in {Path(__file__).name}")
    return options[0].split(" AND ")


def files(package, pattern):
    """Returns the texts of the files of a package whose names begin so."""
    folder = Path(package["manifest_path"]).parent
    paths = sorted(path for path in folder.iterdir() if path.is_file() and pattern.match(path.name))
    return [path.read_text(errors="replace").replace("\r\n", "\n") for path in paths]


def texts(package, licence):
    """Returns the texts of a licence in a package, or the usual one if it has none."""
    signature = SIGNATURES.get(licence)
    if signature is None:
        sys.exit(f"{package['name']}: the licence {licence} is not in {Path(__file__).name}")
    words = lambda text: " ".join(text.split())
    found = [text for text in files(package, LICENCES) if signature in words(text)]
    if found or licence != "MIT":
        return found or sys.exit(f"{package['name']}: no text of {licence}")
    body = (ROOT / "LICENSE-MIT").read_text()
    authors = ", ".join(package["authors"]) or f"the authors of {package['name']}"
    return ["\n".join(f"Copyright {authors}" if HOLDER.match(line) else line for line in
                      body.splitlines())]


def split(text):
    """Splits a text into its holders of the copyright and the rest, without a title. A long text,
    which is more than one licence or speaks of copyright itself, is left as it is."""
    lines = [line.rstrip() for line in text.strip().splitlines()]
    if len(lines) > 60:
        return [], "\n".join(lines)
    holders = [line.strip() for line in lines if HOLDER.match(line)]
    rest = [line for line in lines if not HOLDER.match(line) and not TITLE.match(line)]
    return holders, "\n".join(rest).strip()


def bodies(packages):
    """Returns for each licence its different texts, with the packages and their holders."""
    found = {}
    for package in packages:
        for licence in taken(package):
            if licence == "Apache-2.0":
                continue
            for text in texts(package, licence):
                holders, body = split(text)
                key = re.sub(r"\W+", " ", body).lower()
                entry = found.setdefault(licence, {}).setdefault(key, (body, []))
                entry[1].append((package, holders))
    return found


def quoted(text):
    return "```text\n" + text.strip("\n") + "\n```"


def title(package):
    return f"{package['name']} {package['version']}"


def render(packages, command):
    out = [
        "# Third-party software",
        "",
        "The program contains the packages below, the standard library of Rust (MIT or Apache-2.0,",
        "https://github.com/rust-lang/rust) and the font Roboto Regular 2.138 by Christian Robertson",
        "(copyright 2011 Google Inc., Apache-2.0). Where a package offers several licences, Apache-2.0",
        "is taken if it is among them, else MIT. Procedural macros and what only builds or tests the",
        "program are not part of it. A build without default features contains fewer packages.",
        "",
        "The source of each package, unchanged, is what cargo downloads by its name and version.",
        "",
        f"This page is generated: `{command}`.",
        "",
        "## Packages",
        "",
        "| package | licences | source |",
        "|---|---|---|",
    ]
    for package in packages:
        source = package["repository"] or "by cargo"
        out.append(f"| {title(package)} | {package['license']} | {source} |")
    out += ["", "## Apache-2.0", "", quoted((ROOT / "LICENSE-APACHE").read_text())]
    for licence, different in sorted(bodies(packages).items()):
        out += ["", f"## {licence}"]
        for body, users in sorted(different.values(), key=lambda it: -len(it[1])):
            out.append("")
            for package, holders in users:
                notice = "; ".join(dict.fromkeys(holders)).replace("<", "\\<")
                out.append(f"* {title(package)}" + (f": {notice}" if notice else ""))
            out += ["", quoted(body)]
    notices = {}
    for package in packages:
        for text in files(package, NOTICES):
            notices.setdefault(text.strip(), []).append(title(package))
    if notices:
        out += ["", "## Notices of packages"]
    for text, users in notices.items():
        out += ["", "* " + ", ".join(users), "", quoted(text)]
    return "\n".join(out) + "\n"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true")
    mode.add_argument("--check", action="store_true")
    mode.add_argument("--features", help="features of cargo, separated by commas")
    parser.add_argument("--of", default=".", metavar="FOLDER", help="folder of the package")
    arguments = parser.parse_args()
    features = ["--features", arguments.features] if arguments.features else []
    folder, of = ROOT / arguments.of, [] if arguments.of == "." else ["--of", arguments.of]
    command = " ".join([f"scripts/{Path(__file__).name}", *of, "--write"])
    # One name of its own, as a source distribution has both in one folder.
    name = f"THIRD_PARTY-{arguments.of}.md" if of else "THIRD_PARTY.md"
    notice, text = folder / name, render(linked(folder, features), command)
    if arguments.write:
        notice.write_text(text)
    elif not arguments.check:
        print(text, end="")
    elif not notice.exists() or notice.read_text() != text:
        sys.exit(f"{notice.relative_to(ROOT)} is out of date: run {command}")


if __name__ == "__main__":
    main()
