// Names of cells where an option of the rules changes them.

const renamed = new Map();

// The author's own system for Susan: a letter for the row from the top, and a number from its left end.
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

/** A game with the names that its cells have under some rules; the same object each time. */
export function underRules(game, rules) {
  if (game?.shape !== 'hexagon' || rules.notation !== 'linhart') return game;
  if (!renamed.has(game)) renamed.set(game, linhart(game));
  return renamed.get(game);
}
