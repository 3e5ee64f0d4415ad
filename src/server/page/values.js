// Values. They are always Black's, so that a colour means the same side everywhere.

/** Converts a value for a side to `{black, draw, white}`. */
export function fromBlack(value, side) {
  const { win, draw, loss } = value;
  return side === 'x' ? { black: win, draw, white: loss } : { black: loss, draw, white: win };
}

/** Converts a proven result for a side to `black`, `draw` or `white`; null if none is proven. */
export function provenFor(proven, side) {
  if (proven === null || proven === undefined) return null;
  if (proven === 'draw') return 'draw';
  return (proven === 'win') === (side === 'x') ? 'black' : 'white';
}

/** What a solution says of a value for a side: `{winner, turns}`; the winner is null for neither. */
export function exactFor(exact, side) {
  const winner = exact.value === 'neither' ? null : provenFor(exact.value, side);
  return { winner, turns: exact.in };
}

/** Formats a number of turns. */
function turnsInWords(turns) {
  return turns === 1 ? '1 turn' : `${turns} turns`;
}

/** Formats what a solution says. */
export function exactInWords({ winner, turns }) {
  if (!winner) return 'Solved: nobody can force a win';
  const name = { black: 'Black', white: 'White' }[winner];
  return `Solved: ${name} wins in ${turnsInWords(turns)}`;
}

/** Formats a proven result, and in how many turns it comes if that is known. */
export function provenInWords(proven, turns) {
  return turns ? `${PROVEN[proven]} in ${turnsInWords(turns)}` : PROVEN[proven];
}

/** Returns the value of a finished game. */
export function ofOutcome(outcome) {
  return { black: +(outcome === 'x'), draw: +(outcome === 'draw'), white: +(outcome === 'o') };
}

/** Returns Black's expected score, from 0 to 1. */
export function score(value) {
  return value.black + value.draw / 2;
}

/** Returns the expected score of a side, from 0 to 1. */
export function scoreOf(value, side) {
  return side === 'x' ? score(value) : 1 - score(value);
}

/** Formats a share as a percentage. */
export function percent(share) {
  return `${Math.round(100 * share)} %`;
}

/** Says by which search a number is. */
export function bySearch({ title }, simulations) {
  return `by ${title}, ${simulations} simulation${simulations === 1 ? '' : 's'}`;
}

/** Formats a value as text. */
export function inWords(value) {
  return `Black ${percent(value.black)}, draw ${percent(value.draw)}, White ${percent(value.white)}`;
}

/** Texts of proven results. */
export const PROVEN = {
  black: 'Proven win for Black',
  white: 'Proven win for White',
  draw: 'Proven draw',
};

/** The names of the sides. */
export const SIDES = { x: 'Black', o: 'White' };
