// The pieces of a game, and their drawings. They differ in lightness and form, not only in colour.

import { shape } from './dom.js';

/** The looks of the pieces of each side. */
export const SIDE_LOOKS = { x: 'black', o: 'white' };

/** Returns the kind of pieces `{symbol, name, look, sign}` of a symbol; undefined for no piece. */
export function pieceOf(game, symbol) {
  return game.pieces.find((piece) => piece.symbol === symbol);
}

/** Returns the look of the piece of a symbol; null for no piece. */
export function lookOf(game, symbol) {
  return pieceOf(game, symbol)?.look ?? null;
}

/** Returns the first kind of pieces of a look, or undefined. */
export function firstOf(game, look) {
  return game.pieces.find((piece) => piece.look === look);
}

function star() {
  const points = [...Array(16).keys()].map((corner) => {
    const [angle, radius] = [(corner * Math.PI) / 8, corner % 2 === 0 ? 0.25 : 0.1];
    return `${(radius * Math.sin(angle)).toFixed(3)},${(-radius * Math.cos(angle)).toFixed(3)}`;
  });
  return shape('polygon', { class: 'sign', points: points.join(' ') });
}

const SIGNS = {
  black: () => shape('path', { class: 'sign', d: 'M-.1-.1L.1 .1M.1-.1L-.1 .1' }),
  white: () => shape('circle', { class: 'sign', r: 0.14 }),
  neutral: star,
  hole: () => shape('circle', { class: 'sign', r: 0.28 }),
};
const CLASSES = { black: 'black', white: 'white', neutral: 'neutron', hole: 'hole' };

/** Draws a kind of pieces at a point. */
export function drawPiece({ look, sign }, { x, y }) {
  const body = shape(
    'g',
    {},
    shape('circle', { class: 'body', r: look === 'hole' ? 0.38 : 0.36 }),
    sign === '' ? SIGNS[look]() : shape('text', { class: 'sign' }, sign),
  );
  return shape(
    'g',
    { class: `piece ${CLASSES[look]}`, transform: `translate(${x.toFixed(3)} ${y.toFixed(3)})` },
    body,
  );
}

/** Draws the pieces of a position at the points of its cells; null for empty cells. */
export function drawPieces(game, squares, points) {
  return [...squares].map((symbol, cell) => {
    const piece = pieceOf(game, symbol);
    return piece ? drawPiece(piece, points[cell]) : null;
  });
}

/** Draws a piece of a side as an icon for a line of text. */
export function pieceIcon(side) {
  const icon = shape('svg', { class: 'icon', viewBox: '-.4 -.4 .8 .8', 'aria-hidden': 'true' });
  icon.append(drawPiece({ look: SIDE_LOOKS[side], sign: '' }, { x: 0, y: 0 }));
  return icon;
}
