"""The games as PettingZoo environments.

    from tavoliere.pettingzoo import env
    game = env("connect_four")
    game.reset()
    for agent in game.agent_iter():
        observation, reward, termination, truncation, info = game.last()
        action = None if termination else game.action_space(agent).sample(observation["action_mask"])
        game.step(action)
"""

from __future__ import annotations

from typing import Any

import gymnasium.spaces as spaces
import numpy as np
import numpy.typing as npt
from pettingzoo import AECEnv

from . import BatchEnv

__all__ = ["GameEnv", "env"]

RENDER_MODES = ["ansi", "human"]


def env(game: str, render_mode: str | None = None, **rules: Any) -> "GameEnv":
    """The environment of a game; ``rules`` are options of the game."""
    return GameEnv(game, render_mode, **rules)


class GameEnv(AECEnv):
    """A game of two agents, ``first`` and ``second``.

    A step is an action, of which several may make a turn, so an agent may be selected again. An
    observation has the planes, ``[planes, height, width]``, as its agent sees the board, and
    ``action_mask``, 1 for each legal action. An agent that is not to move sees what it saw when it
    was, with no legal action.
    """

    metadata = {"render_modes": RENDER_MODES, "name": "tavoliere_v0", "is_parallelizable": False}

    def __init__(self, game: str, render_mode: str | None = None, **rules: Any) -> None:
        super().__init__()
        if render_mode not in (None, *RENDER_MODES):
            raise ValueError(f"render_mode {render_mode!r} is none of {RENDER_MODES}")
        self.render_mode = render_mode
        self._games = BatchEnv(game, 1, **rules)
        planes, height, width, actions = self._games.sizes
        self.possible_agents = ["first", "second"]
        observation = spaces.Dict(
            {
                "observation": spaces.Box(0.0, 1.0, (planes, height, width), np.float32),
                "action_mask": spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        self.observation_spaces = {agent: observation for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self.reset()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game. Nothing in it is random, so ``seed`` changes nothing."""
        self._games.reset()
        self.agents = self.possible_agents[:]
        self.rewards = {agent: 0.0 for agent in self.agents}
        self._cumulative_rewards = {agent: 0.0 for agent in self.agents}
        self.terminations = {agent: False for agent in self.agents}
        self.truncations = {agent: False for agent in self.agents}
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._seen = {agent: self._games.observations[0].copy() for agent in self.agents}
        self._select()

    def _select(self) -> None:
        self.agent_selection = self.possible_agents[int(self._games.to_move[0])]
        self._seen[self.agent_selection] = self._games.observations[0].copy()

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        is_to_move = agent == self.agent_selection and not self._games.finished[0]
        legal = self._games.legal[0].astype(np.int8)
        mask = legal if is_to_move else np.zeros_like(legal)
        return {"observation": self._seen[agent], "action_mask": mask}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._games.step(np.array([action], dtype=np.int64))
        if self._games.finished[0]:
            results = self._games.rewards[0]
            self.rewards = {name: float(results[i]) for i, name in enumerate(self.possible_agents)}
            self.terminations = {name: True for name in self.agents}
            self.agent_selection = self.possible_agents[1 - self.possible_agents.index(agent)]
        else:
            self._select()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        board = self._games.board(0)
        if self.render_mode == "human":
            print(board)
            return None
        return board

    def close(self) -> None:
        pass
