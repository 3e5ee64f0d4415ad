#!/usr/bin/env python3
"""Plays whole games of Connect Four against `tavoliere engine` through OpenSpiel's GTP bot.

    pip install open_spiel
    scripts/openspiel_gtp.py [--games 20] [--player 'uct?rollouts=1000'] [--program PATH]

Uses OpenSpiel's `GTPBot` unchanged. OpenSpiel has the rules, and the engine moves first in every
other game. OpenSpiel's names of turns (`x3`: Black into the column of index 3) are translated to
the columns of the engine's protocol. The opponent is OpenSpiel's uniformly random bot. Prints the
results. The exit status is 1 if OpenSpiel and the engine differ on the legal turns, the result or
the end of a game.
"""

import argparse
import shlex
import sys
from collections import Counter

import numpy
import pyspiel
from open_spiel.python.bots import gtp, uniform_random

COLOURS = ("b", "w")


class Columns:
    """A state of OpenSpiel whose turns are named by their columns, from 1."""

    def __init__(self, state):
        self.state = state

    def current_player(self):
        return self.state.current_player()

    def action_to_string(self, action):
        return str(action + 1)

    def string_to_action(self, text):
        action = int(text) - 1
        if action not in self.state.legal_actions():
            sys.exit(f"the engine played {text}, which OpenSpiel calls illegal in\n{self.state}")
        return action


def check_legal(bot, state):
    """Exits unless OpenSpiel and the engine have the same legal turns."""
    player = state.current_player()
    ours = bot.gtp_cmd("tavoliere-legal_moves", COLOURS[player]).split()
    theirs = [str(action + 1) for action in state.legal_actions()]
    if ours != theirs:
        sys.exit(f"legal turns are {theirs} for OpenSpiel, {ours} for the engine in\n{state}")


def check_result(bot, state):
    """Exits unless OpenSpiel and the engine have the same result."""
    ours = bot.gtp_cmd("final_score")
    # GTPBot converts responses to lower case.
    theirs = {1: "b+", -1: "w+", 0: "0"}[int(state.returns()[0])]
    if ours != theirs:
        sys.exit(f"the result is {theirs} for OpenSpiel, {ours} for the engine in\n{state}")


def play(game, bot, opponent, own):
    """Plays a game in which the engine is player `own`; gives the return of the engine."""
    state = game.new_initial_state()
    bot.restart()
    while not state.is_terminal():
        check_legal(bot, state)
        if state.current_player() == own:
            action = bot.step(Columns(state))
        else:
            action = opponent.step(state)
            bot.inform_action(Columns(state), state.current_player(), action)
        state.apply_action(action)
    check_result(bot, state)
    return state.returns()[own]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=20, help="number of games")
    parser.add_argument("--player", default="uct?rollouts=1000", help="player spec of the engine")
    parser.add_argument("--program", default="target/release/tavoliere", help="path of the program")
    options = parser.parse_args()

    game = pyspiel.load_game("connect_four")
    command = [options.program, "engine", "--game", "connect_four", "--player", options.player]
    bot = gtp.GTPBot(game, command, suppress_stderr=False)
    print(f"{bot.name} {bot.version}: {shlex.join(command)}")
    bot.gtp_cmd("boardsize", 7)
    results = Counter()
    for number in range(options.games):
        own = number % 2
        opponent = uniform_random.UniformRandomBot(1 - own, numpy.random.RandomState(number))
        results[{1: "won", 0: "drawn", -1: "lost"}[int(play(game, bot, opponent, own))]] += 1
    bot.close()
    counts = ", ".join(f"{results[result]} {result}" for result in ("won", "drawn", "lost"))
    print(f"{options.games} games against a random bot: {counts}")


if __name__ == "__main__":
    main()
