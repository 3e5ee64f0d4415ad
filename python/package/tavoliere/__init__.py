"""Abstract board games for reinforcement learning: batched rules, players, records and a trainer.

    import tavoliere
    env = tavoliere.BatchEnv("neutron5", 1024)
    while not env.finished.all():
        env.step(env.random_actions())
    print(env.rewards.mean(axis=0))

``tavoliere.pettingzoo`` has the games as PettingZoo environments, and ``python -m tavoliere`` is the program.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Mapping, Sequence

if TYPE_CHECKING:
    import numpy.typing as npt

from . import _native
from ._native import __version__

__all__ = ["BatchEnv", "Player", "games", "read_records", "write_record", "__version__"]


def games() -> list[dict[str, Any]]:
    """All games: ``name``, ``title``, ``summary``, the default ``rules`` and their version."""
    found: list[dict[str, Any]] = json.loads(_native.games_json())
    return found


class BatchEnv(_native.BatchEnv):
    """Many games of one kind, stepped together on all cores.

    A step plays an action in every game. An action is an index into the policy; several actions of
    the same side may make a turn, so the same side may be to move again. A finished game stays as it
    is, with no legal actions, and ignores its action until :meth:`reset_finished`.

    The arrays are read-only views of the environment's memory, so reading them copies nothing, and
    the next step changes them: copy what is to be kept.

    ``rules`` are options of the game, as in ``BatchEnv("connect_four", 8)`` or
    ``BatchEnv("neutron5", 8, forbid="own")``; :func:`games` lists their defaults. ``seed`` is that of
    :meth:`random_actions`.
    """

    def __new__(cls, game: str, batch: int, seed: int = 0, **rules: Any) -> "BatchEnv":
        return super().__new__(cls, game, batch, seed, json.dumps(rules))

    def step(self, actions: npt.ArrayLike) -> None:
        """Plays an action in every game, ``[batch]``. Raises ``ValueError`` if the number of actions
        is wrong or one is not legal; then none is played."""
        # Not above: the program, which is started with this package, needs no arrays.
        import numpy as np

        given = np.asarray(actions)
        if given.dtype.kind not in "iu" or given.ndim != 1:
            raise TypeError(f"actions are a row of integers, not {given.dtype} of shape {given.shape}")
        self._step(np.ascontiguousarray(given, dtype=np.int64))


class Player(_native.Player):
    """A player by its player spec, as ``tavoliere match --help`` explains them.

    The name of a game is that of a trained player, which is part of this package: ``Player("susan")``.
    Others are ``Player("checkpoints/mine")``, the newest network of a run, ``Player("checkpoints/mine@20")``,
    that of an iteration, ``Player("players/mine")``, a folder that ``tavoliere export`` wrote, and
    ``Player("uct?rollouts=1000", game="entropy")``.
    """

    def __new__(
        cls,
        spec: str,
        game: str | None = None,
        seed: int = 0,
        threads: int | None = None,
        **rules: Any,
    ) -> "Player":
        if rules and game is None:
            raise TypeError("rules need the name of their game")
        threads = threads or os.cpu_count() or 1
        return super().__new__(cls, spec, game, json.dumps(rules), seed, threads)

    @property
    def rules(self) -> dict[str, Any]:
        """All options of its game."""
        rules: dict[str, Any] = json.loads(self._rules())
        return rules

    def analyze(self, moves: Sequence[str] = (), **query: Any) -> dict[str, Any]:
        """Analyses the position after these turns, as ``tavoliere analyze`` does: a dictionary with
        ``legal``, ``outcome``, and if the player searches ``best``, ``value``, ``turns``, ``pv`` and
        more. ``simulations``, ``time_ms``, ``position``, ``top`` and ``encode`` are as there."""
        answer: dict[str, Any] = json.loads(self._answer(json.dumps({"moves": list(moves), **query})))
        if "error" in answer:
            raise ValueError(answer["error"])
        return answer

    def best(self, moves: Sequence[str] = (), **query: Any) -> str:
        """The turn that it plays after these turns, with its own simulations or time."""
        return self._choose(json.dumps({"moves": list(moves), **query}))


def read_records(text: str | bytes) -> list[dict[str, Any]]:
    """The games of a record in any format that Tavoliere reads. Each has its ``game``, ``rules``,
    ``position``, ``moves``, ``tags`` and ``outcome``."""
    given = text.encode() if isinstance(text, str) else text
    found: list[dict[str, Any]] = json.loads(_native.read_records(given))
    return found


def write_record(
    game: str,
    moves: Sequence[str],
    format: str = "pgn",
    tags: Mapping[str, str] | None = None,
    rules: Mapping[str, Any] | None = None,
    position: str | None = None,
) -> str:
    """A game as text. The formats are ``pgn``, ``lines`` and, for finished games, ``abstractplay``."""
    query: dict[str, Any] = {"game": game, "moves": list(moves), "format": format}
    given = {"rules": rules and dict(rules), "tags": tags and dict(tags), "position": position}
    query.update({name: value for name, value in given.items() if value})
    return _native.write_record(json.dumps(query))
