// Cell names that depend on an option of the rules.

const renamed = new Map();

// The notation of Susan's author: a letter for the row, from the top, and the number of the cell in
// it, from the left.
function linhart(game) {
  const rows = [...new Set(game.cells.map(({ y }) => y))].sort((a, b) => a - b);
  const lefts = rows.map((y) =>
    Math.min(...game.cells.filter((cell) => cell.y === y).map(({ x }) => x)),
  );
  const letter = (row) => 'abcdefghi'[row];
  const cells = game.cells.map(({ x, y }) => {
    const row = rows.indexOf(y);
    return { x, y, name: `${letter(row)}${Math.round(x - lefts[row]) + 1}` };
  });
  return {
    ...game,
    cells,
    coordinates: rows.map((y, row) => ({ text: letter(row), x: lefts[row] - 1, y })),
  };
}

/** Returns the game with the cell names of these rules; always the same object for a game. */
export function underRules(game, rules) {
  if (game?.shape !== 'hexagon' || rules.notation !== 'linhart') return game;
  if (!renamed.has(game)) renamed.set(game, linhart(game));
  return renamed.get(game);
}
