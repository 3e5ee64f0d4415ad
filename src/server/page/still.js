// Pictures of positions that cannot be played on, drawn as the board is.

import { shape } from './dom.js';
import { Geometry } from './geometry.js';
import { drawPieces } from './pieces.js';
import { SIDES } from './values.js';

/** How the names of pieces are told that are not of a side. */
const TOLD = {
  neutral: (name) => `the ${name.toLowerCase()}`,
  hole: (name) => `${name.toLowerCase()}s`,
};

/** Describes a position in words: who has pieces where, for screen readers. */
function inWords(game, squares) {
  const on = (symbol) =>
    game.cells.filter((_, cell) => squares[cell] === symbol).map(({ name }) => name);
  const told = game.pieces
    .map(({ symbol, name, look }) => [TOLD[look]?.(name) ?? name, on(symbol)])
    .filter(([, cells]) => cells.length > 0)
    .map(([name, cells]) => `${name} on ${cells.join(', ')}`);
  return told.length > 0 ? told.join('; ') : 'an empty board';
}

/**
 * Returns a picture of a position of `game`. Marked are its `marks`, or the cells that decided it,
 * or its last turn.
 */
export function drawStill(game, { squares, marks = [], last = [], ending = null }) {
  const geometry = new Geometry(game, false);
  const marked = [marks, ending?.cells ?? [], last].find((cells) => cells.length > 0) ?? [];
  const spot = (cell, attributes) => {
    const [tag, form] = geometry.spot(cell);
    return shape(tag, { ...form, ...attributes });
  };
  const cells = game.cells.map(({ x, y }, cell) => {
    const isShaded = game.shape === 'square' && (x + y) % 2 === 1;
    return spot(cell, { class: isShaded ? 'cell shade' : 'cell' });
  });
  const pieces = drawPieces(game, squares, geometry.points);
  const layer = (name, nodes) => shape('g', { class: name }, ...nodes);
  return shape(
    'svg',
    {
      class: 'still',
      role: 'img',
      'aria-label': `Board of ${game.title}: ${inWords(game, squares)}`,
      viewBox: geometry.box.map((n) => n.toFixed(3)).join(' '),
      'data-shape': game.drop ? 'drop' : game.shape,
    },
    layer(
      'frame',
      geometry.frame.map((points) => shape('polygon', { points })),
    ),
    layer('cells', cells),
    layer(
      'glow',
      marked.map((cell) => spot(cell, { class: 'last' })),
    ),
    layer(
      'edges',
      geometry.edges.map(([side, d]) => shape('path', { class: `edge ${side}`, d })),
    ),
    layer(
      'labels',
      geometry.labels.map(({ text, x, y }) => shape('text', { x, y }, text)),
    ),
    layer('pieces', pieces.filter(Boolean)),
  );
}

/** Says who is to move in a position, or how the game ended. */
export function standing({ to_move, outcome, ending }) {
  if (to_move) return `${SIDES[to_move]} to move.`;
  const result = outcome === 'draw' ? 'A draw' : `${SIDES[outcome]} has won`;
  return `${result}: ${ending.reason}.`;
}
