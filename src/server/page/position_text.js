// The text of a position: rows joined by `/`, the side to move, and words such as `ply=4`.

import { lookOf } from './pieces.js';

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

/** Returns the numbers of a counter among the words of a text; none if it is not there. */
export function counterIn(words, key) {
  const word = words.find((it) => it.startsWith(`${key}=`)) ?? '';
  return word.slice(key.length + 1).split(',').filter(Boolean).map(Number);
}

/** Returns the words with a counter set to these numbers; zeros are the default and not written. */
export function withCounter(words, key, numbers) {
  const others = words.filter((word) => !word.startsWith(`${key}=`));
  return numbers.some(Boolean) ? [...others, `${key}=${numbers.join(',')}`] : others;
}

/** Returns the symbols of the pieces that a game has under these rules. */
export function piecesUnder(game, rules) {
  const { holes } = { ...game.rules, ...rules };
  const isThere = (look) => look !== null && !(look === 'hole' && holes === 0);
  return [...game.symbols].filter((symbol) => isThere(lookOf(game, symbol))).join('');
}
