"""Players and records."""

import pytest

import tavoliere
from tavoliere import Player


def test_a_shipped_player_analyses_and_plays():
    player = Player("neutron5")
    assert player.game == "neutron5" and player.rules["forbid"] == "none"
    answer = player.analyze(["A5-A2"], simulations=100, top=3)
    assert answer["best"] in answer["legal"] and len(answer["turns"]) <= 3
    assert abs(sum(answer["value"].values()) - 1) < 1e-3
    assert player.analyze(["A5-A2"], simulations=100, top=3) == answer
    assert player.best(["A5-A2"]) in answer["legal"]


def test_an_observation_is_that_of_the_environment():
    encoding = Player("connect_four").analyze(encode=True, simulations=1)["encoding"]
    env = tavoliere.BatchEnv("connect_four", 1)
    assert encoding["observation"] == env.observations[0].ravel().tolist()
    assert [it["action"] for it in encoding["actions"]] == env.legal[0].nonzero()[0].tolist()


def test_a_game_between_players_is_a_record():
    players = [Player("alphabeta?depth=3", game="tic_tac_toe"), Player("tic_tac_toe")]
    moves = []
    while (answer := players[1].analyze(moves, simulations=20))["outcome"] is None:
        moves.append(players[len(moves) % 2].best(moves))
    text = tavoliere.write_record("tic_tac_toe", moves, tags={"White": "alphabeta"})
    (game,) = tavoliere.read_records(text)
    assert game["moves"] == moves and game["outcome"] == answer["outcome"]
    assert game["tags"]["White"] == "alphabeta"
    assert tavoliere.read_records(text.encode()) == [game]


def test_a_turn_of_neutron_is_whole():
    moves = []
    for player in [Player("random", game="neutron5", seed=2), Player("uct?rollouts=50", game="neutron5")]:
        moves.append(player.best(moves))
    assert "," in moves[1] or len(moves[1]) == 2


def test_bad_arguments_are_refused():
    with pytest.raises(ValueError, match="plays many games"):
        Player("random")
    with pytest.raises(ValueError, match="plays susan"):
        Player("susan", game="entropy")
    with pytest.raises(ValueError, match="cannot load the player `nobody`"):
        Player("nobody")
    with pytest.raises(TypeError, match="name of their game"):
        Player("random", forbid="own")
    with pytest.raises(ValueError):
        Player("susan").analyze(["Z9"])
    with pytest.raises(ValueError, match="the game is over"):
        Player("tic_tac_toe").best(["a1", "b1", "a2", "b2", "a3"])
    with pytest.raises(ValueError, match="`chess` is not a format"):
        tavoliere.write_record("susan", [], format="chess")
    with pytest.raises(ValueError):
        tavoliere.read_records("nothing")
