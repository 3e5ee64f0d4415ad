#!/usr/bin/env python3
"""Measures the levels of trained players and writes their levels.json.

A first ladder rates players along a path from the weakest to the strongest: more simulations, less
noise. Levels are the places on that path whose ratings are a step apart, from the strongest down. A
second ladder, of the levels alone, gives the ratings that are written. UCT with 1,000 rollouts has
1,500 points in every game.

    scripts/levels.py neutron5 susan --program target/release/tavoliere --folder /tmp/levels
"""

import argparse
import json
import math
import pathlib
import subprocess

ANCHOR, ANCHOR_ELO = "uct?rollouts=1000", 1500

# Simulations, nodes of the root prover for each, temperature, noise of values.
PATH = [
    (1, 0, 25, 6),
    (1, 0, 10, 6),
    (1, 0, 6, 6),
    (1, 0, 4, 4),
    (2, 0, 4, 4),
    (2, 0, 3, 3),
    (4, 0, 3, 3),
    (4, 0, 2, 2.5),
    (8, 0, 2, 2),
    (8, 0, 1.5, 1.5),
    (16, 0, 1, 1),
    (32, 20, 0.5, 0.5),
    (64, 100, 0.2, 0.2),
    (200, 500, 0, 0),
    (800, 500, 0, 0),
]
KEYS = ("simulations", "proof_nodes", "temperature", "value_noise")

NAMES = [
    "Beginner",
    "Novice",
    "Casual",
    "Improving",
    "Intermediate",
    "Skilled",
    "Advanced",
    "Expert",
    "Master",
    "Grandmaster",
    "Champion",
    "Strongest",
]

# Players without noise would meet in batches, where simulations are for an action. Noise too small
# to matter lets them search whole turns, as they do against people.
HARDLY_ANY = 1e-6


def spec(player, strength):
    simulations, proof_nodes, temperature, noise = strength
    options = (simulations, proof_nodes, temperature, noise or HARDLY_ANY)
    pairs = (f"{key}={value:g}" for key, value in zip(KEYS, options))
    return f"{player}?{'&'.join(pairs)}"


def rated(arguments, name, specs, games):
    """Plays a ladder; returns the rating, interval and number of games of each spec."""
    command = [arguments.program, "ladder", *specs, ANCHOR, "--anchor", ANCHOR, "--json"]
    folder = arguments.folder / pathlib.Path(name).name
    command += ["--folder", str(folder), "--games", str(games)]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    players = {player["name"]: player for player in json.loads(output)["players"]}
    # The ladder writes shipped players with their folder.
    ends = {name.rsplit("/", 1)[-1]: player for name, player in players.items()}
    return [ends[spec.rsplit("/", 1)[-1]] for spec in specs]


def rising(ratings):
    """The nearest ratings that never fall (pool adjacent violators)."""
    pools = []
    for rating in ratings:
        pools.append([rating, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (low, count), (high, more) = pools[-2:]
            pools[-2:] = [[(low * count + high * more) / (count + more), count + more]]
    return [value for value, count in pools for _ in range(count)]


def between(first, second, share):
    """The strength at a share of the way between two places of the path."""
    mixed = [(1 - share) * low + share * high for low, high in zip(first, second)]
    simulations = math.exp((1 - share) * math.log(first[0]) + share * math.log(second[0]))
    return round(simulations), round(mixed[1]), round(mixed[2], 2), round(mixed[3], 2)


def strength_of(elo, ratings):
    """The place on the path with this rating."""
    elo = max(elo, ratings[0])  # by a rounding error, the lowest goal may lie below all of them
    for index in range(len(PATH) - 1):
        low, high = ratings[index : index + 2]
        if low <= elo <= high and high > low:
            return between(PATH[index], PATH[index + 1], (elo - low) / (high - low))
    return PATH[-1]


def names(count):
    """Names for this number of levels, the first and the last among them."""
    last = len(NAMES) - 1
    return [NAMES[round(index * last / max(count - 1, 1))] for index in range(count)]


def levels(arguments, player):
    first = rated(arguments, f"{player}-path", [spec(player, it) for it in PATH], arguments.first)
    ratings = rising([found["elo"]["value"] for found in first])
    width = ratings[-1] - ratings[0]
    # Steps are larger where there would be more levels than names, or the weakest would be left out.
    step = max(arguments.step, width / (len(NAMES) - 1))
    count = 1 + int(width / step + 1e-9)
    goals = [ratings[-1] - step * index for index in reversed(range(count))]
    strengths = [strength_of(goal, ratings) for goal in goals[:-1]] + [PATH[-1]]
    specs = [spec(player, strength) for strength in strengths]
    found = rated(arguments, f"{player}-levels", specs, arguments.second)
    return [
        {"name": name}
        | {
            "elo": round(ANCHOR_ELO + it["elo"]["value"]),
            "interval": [round(ANCHOR_ELO + it["elo"][end]) for end in ("low", "high")],
        }
        | dict(zip(KEYS, strength))
        for name, strength, it in zip(names(count), strengths, found)
    ]


def text(found, games):
    lines = ",\n".join(f"    {json.dumps(level)}" for level in found)
    anchor = json.dumps([ANCHOR, ANCHOR_ELO])
    return f'{{\n  "anchor": {anchor},\n  "games": {games},\n  "levels": [\n{lines}\n  ]\n}}\n'


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("players", nargs="+", help="folders of players, or names of shipped ones")
    parser.add_argument("--program", default="target/release/tavoliere")
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="keeps the ladders")
    parser.add_argument("--step", type=float, default=200, help="Elo between levels [200]")
    parser.add_argument("--first", type=int, default=2000, help="games of the first ladder [2000]")
    parser.add_argument("--second", type=int, default=2000, help="games of the second one [2000]")
    arguments = parser.parse_args()
    for player in arguments.players:
        found = levels(arguments, player)
        shipped = pathlib.Path(__file__).parent.parent / "checkpoints/players" / player
        folder = shipped if shipped.is_dir() else pathlib.Path(player)
        (folder / "levels.json").write_text(text(found, arguments.second))
        for level in found:
            print(player, *level.values(), flush=True)


if __name__ == "__main__":
    main()
