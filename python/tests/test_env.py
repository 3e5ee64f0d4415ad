"""The batched environment."""

import numpy as np
import pytest

import tavoliere
from tavoliere import BatchEnv

NAMES = [game["name"] for game in tavoliere.games()]


def play_out(env):
    """Plays random actions to the end; returns all arrays of all steps, copied."""
    seen = []
    while not env.finished.all():
        arrays = (env.observations, env.legal, env.to_move, env.finished, env.rewards)
        seen.append([array.copy() for array in arrays])
        env.step(env.random_actions())
    return seen


def test_there_are_all_games():
    assert len(NAMES) == len(set(NAMES)) >= 20
    assert {"susan", "neutron5", "coneutron7", "entropy", "connect_four"} <= set(NAMES)
    assert all(game["title"] and game["summary"] for game in tavoliere.games())


@pytest.mark.parametrize("name", NAMES)
def test_games_have_shapes_and_end(name):
    env = BatchEnv(name, 6, seed=1)
    planes, height, width, actions = env.sizes
    assert env.observations.shape == (6, planes, height, width)
    assert env.observations.dtype == np.float32 and env.legal.dtype == np.bool_
    assert env.legal.shape == (6, actions) and env.legal.any(axis=1).all()
    assert env.to_move.tolist() == [0] * 6 and not env.rewards.any()
    seen = play_out(env)
    assert all(array[0].min() >= 0 and array[0].max() <= 1 for array in seen)
    assert not env.legal.any() and (env.rewards.sum(axis=1) == 0).all()
    env.reset_finished()
    assert (env.observations == seen[0][0]).all() and not env.finished.any()


def test_the_same_seed_gives_the_same_games():
    games = [play_out(BatchEnv("connect_four", 40, seed=seed)) for seed in (3, 3, 4)]
    same = [np.array_equal(x, y) for a, b in zip(games[0], games[1]) for x, y in zip(a, b)]
    assert all(same) and len(games[0]) == len(games[1])
    assert len(games[0]) != len(games[2]) or not np.array_equal(games[0][-1][0], games[2][-1][0])


def test_who_wins_is_told():
    env = BatchEnv("connect_four", 2)
    for column in [0, 1, 0, 1, 0, 1, 0]:
        mask = env.legal[0].reshape(6, 7)[:, column]
        action = np.flatnonzero(env.legal[0])[np.flatnonzero(env.legal[0]) % 7 == column][0]
        assert mask.any() and env.action_text(0, int(action)) == str(column + 1)
        env.step([action, env.random_actions()[1]])
    assert env.finished.tolist()[0] and env.rewards[0].tolist() == [1, -1]
    assert env.board(0).count("x") == 4 and env.position(0)


def test_arrays_are_views_that_cannot_be_written():
    env = BatchEnv("tic_tac_toe", 3)
    before, kept = env.observations, env.observations.copy()
    address = before.__array_interface__["data"][0]
    env.step([0, 4, 8])
    assert env.observations.__array_interface__["data"][0] == address
    assert not np.array_equal(before, kept) and np.array_equal(before, env.observations)
    for array in (env.observations, env.legal, env.to_move, env.finished, env.rewards):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    del env  # The array keeps what it shows.
    assert before.sum() > 0


def test_options_change_the_rules():
    free, single = BatchEnv("neutron5", 1), BatchEnv("neutron5", 1, forbid="own")
    assert free.legal.sum() >= single.legal.sum()
    with pytest.raises(ValueError, match="did you mean `forbid`"):
        BatchEnv("neutron5", 1, forbidden="own")


@pytest.mark.parametrize(
    "actions, error, words",
    [
        ([0, 1], ValueError, "got 2 actions for 3 games"),
        ([0, 0, 99], ValueError, "action 99 is not legal in game 2"),
        ([0, -1, 0], ValueError, "action -1 is not legal in game 1"),
        ([0, 1 << 40, 0], ValueError, "is not legal in game 1"),
        ([0.0, 1.0, 2.0], TypeError, "row of integers"),
        ([[0], [1], [2]], TypeError, "row of integers"),
    ],
)
def test_bad_actions_change_nothing(actions, error, words):
    env = BatchEnv("tic_tac_toe", 3)
    before = env.observations.copy()
    with pytest.raises(error, match=words):
        env.step(actions)
    assert np.array_equal(env.observations, before)


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="did you mean `susan`"):
        BatchEnv("susn", 1)
    with pytest.raises(ValueError, match="at least one game"):
        BatchEnv("susan", 0)
    with pytest.raises(IndexError, match="no game 7 among 2"):
        BatchEnv("susan", 2).board(7)
    with pytest.raises(ValueError, match="not legal"):
        BatchEnv("tic_tac_toe", 1).action_text(0, 9)
