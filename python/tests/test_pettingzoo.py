"""The PettingZoo environments pass PettingZoo's own tests."""

import warnings

import pytest
from pettingzoo.test import api_test, seed_test

import tavoliere
from tavoliere.pettingzoo import env

NAMES = [game["name"] for game in tavoliere.games()]


@pytest.mark.parametrize("name", NAMES)
def test_the_interface_is_that_of_pettingzoo(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(env(name), num_cycles=60, verbose_progress=False)


def test_seeds_change_nothing():
    seed_test(lambda: env("tic_tac_toe"), num_cycles=20)


def test_a_game_is_played_and_drawn(capsys):
    game = env("connect_four", render_mode="human")
    while game.agents and not all(game.terminations.values()):
        mask = game.observe(game.agent_selection)["action_mask"]
        game.step(int(mask.nonzero()[0][-1]))
    rewards = [game._cumulative_rewards[agent] for agent in game.possible_agents]
    assert sum(rewards) == 0 and "x" in capsys.readouterr().out
    with pytest.raises(ValueError, match="render_mode"):
        env("connect_four", render_mode="rgb_array")


def test_an_agent_may_act_twice():
    game = env("neutron5")
    agents = []
    for _ in range(5):
        agents.append(game.agent_selection)
        game.step(int(game.observe(game.agent_selection)["action_mask"].nonzero()[0][0]))
    assert agents == ["first", "second", "second", "first", "first"]
