// The text of a position: rows joined by `/`, the side to move, and words such as `ply=4`.

/** Returns the `squares`, `side` and `words` of a text, or null if it does not fit the board. */
export function readText(game, text) {
  const [board = '', side = '', ...words] = text.trim().toLowerCase().split(/\s+/);
  const rows = board.split('/');
  const fits =
    rows.length === game.row_lengths.length &&
    rows.every((row, index) => row.length === game.row_lengths[index]) &&
    [...rows.join('')].every((symbol) => game.symbols.includes(symbol));
  return fits && 'xo'.includes(side) ? { squares: rows.join(''), side, words } : null;
}

/** Returns the text of these parts. */
export function boardText(game, { squares, side, words = [] }) {
  let at = 0;
  const rows = game.row_lengths.map((length) => {
    at += length;
    return [...squares].slice(at - length, at).join('');
  });
  return [rows.join('/'), side, ...words].join(' ');
}

/** Returns the text of the empty board. */
export function emptyText(game) {
  return boardText(game, { squares: '.'.repeat(game.cells.length), side: game.first });
}
