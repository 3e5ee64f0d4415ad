// Values, always from Black's view, so that the same colour means the same side everywhere.

/** `{black, draw, white}` of a value for a side. */
export function fromBlack(value, side) {
  const { win, draw, loss } = value;
  return side === 'x' ? { black: win, draw, white: loss } : { black: loss, draw, white: win };
}

/** A certain result for a side, as Black sees it: `black`, `draw` or `white`; null if there is none. */
export function provenFor(proven, side) {
  if (proven === null || proven === undefined) return null;
  if (proven === 'draw') return 'draw';
  return (proven === 'win') === (side === 'x') ? 'black' : 'white';
}

/** The value of a finished game. */
export function ofOutcome(outcome) {
  return { black: +(outcome === 'x'), draw: +(outcome === 'draw'), white: +(outcome === 'o') };
}

/** Points that Black may expect, from 0 to 1. */
export function score(value) {
  return value.black + value.draw / 2;
}

/** A share as a percentage. */
export function percent(share) {
  return `${Math.round(100 * share)} %`;
}

/** Black, White and draw in words. */
export function inWords(value) {
  return `Black ${percent(value.black)}, draw ${percent(value.draw)}, White ${percent(value.white)}`;
}

/** A certain result in words. */
export const PROVEN = {
  black: 'Black wins for certain',
  white: 'White wins for certain',
  draw: 'a draw for certain',
};

/** The names of the sides. */
export const SIDES = { x: 'Black', o: 'White' };
