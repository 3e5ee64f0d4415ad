#!/usr/bin/env python3
"""Checks a book of Neutron 5x5 or a variant of it by the rules of the game alone.

    scripts/check_book.py checkpoints/solutions/neutron5.book

A book is a list of positions that the side to move has lost, each with a number of turns. It proves
that the other side wins from the start if, after each turn of the loser, the winner can end the game
in its favour or move to a position of the list with a smaller number. This program has the rules in
its own words and shares no code with the one that wrote the book. docs/formats.md describes the file.
"""

import json
import pathlib
import sys
import zlib

SIZE = 5
DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]
# White's home row is the last one, Black's the first. White begins.
HOME = {"o": SIZE - 1, "x": 0}
OTHER = {"o": "x", "x": "o"}


def rays():
    """For each cell the cells in each direction, the nearest first."""
    found = []
    for cell in range(SIZE * SIZE):
        x, y = cell % SIZE, cell // SIZE
        lines = []
        for dx, dy in DIRECTIONS:
            line, (nx, ny) = [], (x + dx, y + dy)
            while 0 <= nx < SIZE and 0 <= ny < SIZE:
                line.append(ny * SIZE + nx)
                nx, ny = nx + dx, ny + dy
            if line:
                lines.append(line)
        found.append(lines)
    return found


RAYS = rays()


def slides(taken, cell):
    """Where a piece comes to a stop: before the first taken cell, or at the edge."""
    for line in RAYS[cell]:
        end = None
        for target in line:
            if target in taken:
                break
            end = target
        if end is not None:
            yield end


class Game:
    """The rules. A position is the cells of White and of Black and the cell of the neutron."""

    def __init__(self, rules):
        expected = {"holes": 0, "restriction": "illegal"}
        for option, value in expected.items():
            if rules[option] != value:
                sys.exit(f"this checker knows {option}={value} only, not {rules[option]}")
        self.goal_is_own = {"own": True, "opponent": False}[rules["goal"]]
        self.first_is_whole = {"piece": False, "full": True}[rules["first_turn"]]
        self.forbids = {"none": (), "own": ("own",), "opponent": ("other",), "both": ("own", "other")}
        self.forbids = self.forbids[rules["forbid"]]

    def winner_at(self, cell):
        """Who wins with the neutron on this cell."""
        for side, row in HOME.items():
            if cell // SIZE == row:
                return side if self.goal_is_own else OTHER[side]
        return None

    def piece_turns(self, position, side):
        """The positions after one piece of a side has moved."""
        pieces, neutron = position
        rows = {"own": HOME[side], "other": HOME[OTHER[side]]}
        forbidden = [rows[name] for name in self.forbids]
        taken = pieces["o"] | pieces["x"] | {neutron}
        for piece in pieces[side]:
            for end in slides(taken, piece):
                if end // SIZE not in forbidden:
                    moved = (pieces[side] - {piece}) | {end}
                    yield ({**pieces, side: moved}, neutron)

    def turns(self, position, side, is_first=False):
        """What the turns of a side lead to: (winner, None) or (None, position). No turn: it has lost."""
        if is_first and not self.first_is_whole:
            yield from ((None, after) for after in self.piece_turns(position, side))
            return
        pieces, neutron = position
        for end in slides(pieces["o"] | pieces["x"], neutron):
            winner = self.winner_at(end)
            if winner:
                yield winner, None
            else:
                # A slide after which no piece can move is no part of a turn.
                yield from ((None, after) for after in self.piece_turns((pieces, end), side))


def start():
    rows = lambda row: frozenset(range(row * SIZE, row * SIZE + SIZE))
    return ({"o": rows(HOME["o"]), "x": rows(HOME["x"])}, SIZE * SIZE // 2)


def read_position(text):
    board, side = text.split()[:2]
    cells = board.replace("/", "")
    assert len(cells) == SIZE * SIZE and set(cells) <= set("xo.*") and cells.count("*") == 1, text
    of = lambda sign: frozenset(cell for cell, found in enumerate(cells) if found == sign)
    return ({"o": of("o"), "x": of("x")}, cells.index("*")), side


def key_of(position):
    """The same for a position and its mirror image."""
    mirror = lambda cell: cell - cell % SIZE + SIZE - 1 - cell % SIZE
    pieces, neutron = position
    plain = (sorted(pieces["o"]), sorted(pieces["x"]), neutron)
    turned = tuple(sorted(map(mirror, plain[side])) for side in (0, 1)) + (mirror(neutron),)
    return repr(min(plain, turned))


class Book:
    def __init__(self, path):
        header, _, lines = pathlib.Path(path).read_text().partition("\n")
        about = json.loads(header)
        if about["book"] != 1:
            sys.exit(f"{path} has another format")
        if f"{zlib.crc32(lines.encode()):08x}" != about["checksum"]:
            sys.exit(f"{path} is damaged")
        self.name, self.turns = about["game"], about["turns"]
        self.winner = {"P1": "o", "P2": "x"}[about["winner"]]
        self.game, self.positions, self.lost = Game(about["rules"]), [], {}
        for line in lines.splitlines():
            turns, text = line.split(" ", 1)
            position, side = read_position(text)
            if side == self.winner:
                sys.exit(f"the winner is to move in {text}")
            self.positions.append((position, int(turns), text))
            self.lost[key_of(position)] = int(turns)

    def wins(self, position, turns, is_first=False):
        """Whether the winner, who is to move, wins within this number of turns by the book."""
        for winner, after in self.game.turns(position, self.winner, is_first):
            if after is None:
                won = winner == self.winner and turns >= 1
            else:
                won = self.lost.get(key_of(after), turns) <= turns - 1 or self.blocked(after)
            if won:
                return True
        return False

    def blocked(self, position):
        """Whether the loser, who is to move, has no turn."""
        return not any(True for _ in self.game.turns(position, OTHER[self.winner]))

    def check_replies(self, position, turns, text, is_first=False):
        """Checks that the loser, who is to move, loses within this number of turns."""
        count = 0
        for winner, after in self.game.turns(position, OTHER[self.winner], is_first):
            count += 1
            if after is None:
                if winner != self.winner:
                    sys.exit(f"in {text} the loser wins at once")
            elif not self.wins(after, turns - 1):
                sys.exit(f"in {text} a turn to {after} has no answer")
        return count

    def check(self):
        if self.winner == "o":
            if not self.wins(start(), self.turns, is_first=True):
                sys.exit("the book has no first turn")
            replies = 0
        else:
            replies = self.check_replies(start(), self.turns, "the start", is_first=True)
        replies += sum(self.check_replies(*entry) for entry in self.positions)
        name = {"o": "White", "x": "Black"}[self.winner]
        print(
            f"{self.name}: {name} wins in at most {self.turns} turns. {len(self.positions)} positions,"
            f" {replies} replies, all of them answered."
        )


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        Book(path).check()


if __name__ == "__main__":
    main()
