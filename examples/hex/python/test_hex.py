"""Tests of the package with Hex: `python test_hex.py PLAYER`, an exported player of hex5."""

import subprocess
import sys

import numpy as np
import tavoliere

PLAYER = sys.argv[1]


def names_are_those_of_hex() -> None:
    assert [game["name"] for game in tavoliere.games()] == ["hex5", "hex7", "hex9", "hex11"]


def games_end_with_a_winner() -> None:
    env = tavoliere.BatchEnv("hex5", 32, seed=1)
    assert env.legal.shape == (32, 25) and env.legal.all(), "all cells are free"
    assert env.action_text(0, 12) == "c3"
    while not env.finished.all():
        env.step(env.random_actions())
    assert (np.sort(env.rewards) == [-1, 1]).all(), "there are no draws"


def a_trained_player_plays() -> None:
    player = tavoliere.Player(PLAYER)
    assert (player.game, player.rules) == ("hex5", {})
    moves: list[str] = []
    while (position := player.analyze(moves, simulations=8))["outcome"] is None:
        assert len(position["legal"]) == 25 - len(moves)
        moves.append(player.best(moves, simulations=8))
    assert 9 <= len(moves) <= 25
    record = tavoliere.write_record("hex5", moves)
    assert tavoliere.read_records(record)[0]["moves"] == moves


def an_other_game_is_not_there() -> None:
    try:
        tavoliere.BatchEnv("susan", 1)
    except ValueError as error:
        assert "there is no game `susan`" in str(error)
    else:
        raise AssertionError("susan does not belong to this package")


def the_program_plays_hex() -> None:
    command = [sys.executable, "-m", "tavoliere", "games"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert [line.split()[0] for line in said.splitlines()][:1] == ["hex5"] and "susan" not in said


for test in [
    names_are_those_of_hex,
    games_end_with_a_winner,
    a_trained_player_plays,
    an_other_game_is_not_there,
    the_program_plays_hex,
]:
    test()
    print("ok", test.__name__.replace("_", " "))
