"""Counts the sequences of turns of Hex: `python3 perft.py SIZE DEPTH`.

A plain program to compare the rules with. It shares nothing with them: a board is a dictionary of
cells, neighbours come from coordinates in the plane, and a chain is a set of cells that grows.
Prints a line for each depth: depth, sequences of exactly that many turns, those whose last turn ended
the game, and of these the wins of Black and of White and the draws.
"""

import sys

SIZE, DEPTH = int(sys.argv[1]), int(sys.argv[2])
CELLS = [(column, row) for row in range(SIZE) for column in range(SIZE)]


def centre(cell):
    """The centre in the plane: each row is half a cell to the right of the one above."""
    column, row = cell
    return column + row / 2, row * 3**0.5 / 2


def touch(one, two):
    (x, y), (u, v) = centre(one), centre(two)
    return 0.9 < ((x - u) ** 2 + (y - v) ** 2) ** 0.5 < 1.1


NEIGHBOURS = {cell: [other for other in CELLS if touch(cell, other)] for cell in CELLS}


def has_won(board, colour):
    """Whether a chain joins the sides of a colour: rows for Black, columns for White."""
    axis = 1 if colour == "x" else 0
    chain = {cell for cell in CELLS if board.get(cell) == colour and cell[axis] == 0}
    rest = list(chain)
    while rest:
        for cell in NEIGHBOURS[rest.pop()]:
            if board.get(cell) == colour and cell not in chain:
                chain.add(cell)
                rest.append(cell)
    return any(cell[axis] == SIZE - 1 for cell in chain)


def count(board, depth, counts):
    colour = "xo"[depth % 2]
    for cell in CELLS:
        if cell in board:
            continue
        board[cell] = colour
        row = counts[depth]
        row["sequences"] += 1
        if has_won(board, colour):
            row[colour] += 1
        elif len(board) == len(CELLS):
            row["draws"] += 1
        elif depth + 1 < DEPTH:
            count(board, depth + 1, counts)
        del board[cell]


counts = [{"sequences": 0, "x": 0, "o": 0, "draws": 0} for _ in range(DEPTH)]
count({}, 0, counts)
for depth, row in enumerate(counts):
    finished = row["x"] + row["o"] + row["draws"]
    print(depth + 1, row["sequences"], finished, row["x"], row["o"], row["draws"])
