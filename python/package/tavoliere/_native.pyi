import numpy as np
import numpy.typing as npt
from typing_extensions import Self

__version__: str

class BatchEnv:
    def __new__(cls, game_name: str, batch: int, seed: int, rules: str) -> Self: ...
    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Planes, height, width, and the number of actions."""
    @property
    def batch(self) -> int:
        """The number of games."""
    @property
    def observations(self) -> npt.NDArray[np.float32]:
        """``[batch, planes, height, width]``, as the sides to move see the boards."""
    @property
    def legal(self) -> npt.NDArray[np.bool_]:
        """``[batch, actions]``. No action is legal in a finished game."""
    @property
    def to_move(self) -> npt.NDArray[np.uint8]:
        """``[batch]``, 0 for the side that moves first. Without a meaning in finished games."""
    @property
    def finished(self) -> npt.NDArray[np.bool_]:
        """``[batch]``."""
    @property
    def rewards(self) -> npt.NDArray[np.float32]:
        """``[batch, 2]``, for both sides: 1 and -1 after a win, 0 after a draw and before the end."""
    def _step(self, actions: npt.NDArray[np.int64]) -> None: ...
    def reset(self) -> None:
        """Restarts all games."""
    def reset_finished(self) -> None:
        """Restarts the finished games."""
    def random_actions(self) -> npt.NDArray[np.int64]:
        """Random legal actions, ``[batch]``, and 0 for finished games."""
    def board(self, index: int) -> str:
        """A board as text."""
    def position(self, index: int) -> str:
        """A position in the notation of positions."""
    def action_text(self, index: int, action: int) -> str:
        """A legal action in the notation of turns, of which it may be a part."""

class Player:
    def __new__(
        cls, spec: str, game_name: str | None, rules: str, seed: int, threads: int
    ) -> Self: ...
    @property
    def game(self) -> str:
        """The name of its game."""
    def _rules(self) -> str: ...
    def _answer(self, query: str) -> str: ...
    def _choose(self, query: str) -> str: ...

def games_json() -> str: ...
def main(words: list[str], arguments: list[str]) -> int: ...
def read_records(text: bytes) -> str: ...
def write_record(object: str) -> str: ...
