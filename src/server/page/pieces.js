// Drawings of pieces. They differ in lightness and form, not only in colour.

import { shape } from './dom.js';

function star() {
  const points = [...Array(16).keys()].map((corner) => {
    const [angle, radius] = [(corner * Math.PI) / 8, corner % 2 === 0 ? 0.25 : 0.1];
    return `${(radius * Math.sin(angle)).toFixed(3)},${(-radius * Math.cos(angle)).toFixed(3)}`;
  });
  return shape('polygon', { class: 'sign', points: points.join(' ') });
}

const SIGNS = {
  x: () => [
    shape('circle', { class: 'body', r: 0.36 }),
    shape('path', { class: 'sign', d: 'M-.1-.1L.1 .1M.1-.1L-.1 .1' }),
  ],
  o: () => [
    shape('circle', { class: 'body', r: 0.36 }),
    shape('circle', { class: 'sign', r: 0.14 }),
  ],
  '*': () => [shape('circle', { class: 'body', r: 0.36 }), star()],
  '#': () => [
    shape('circle', { class: 'body', r: 0.38 }),
    shape('circle', { class: 'sign', r: 0.28 }),
  ],
};
const NAMES = { x: 'black', o: 'white', '*': 'neutron', '#': 'hole' };

/** Draws a piece at a point. */
export function drawPiece(kind, { x, y }) {
  const body = shape('g', {}, ...SIGNS[kind]());
  return shape(
    'g',
    { class: `piece ${NAMES[kind]}`, transform: `translate(${x.toFixed(3)} ${y.toFixed(3)})` },
    body,
  );
}

/** Draws a piece as an icon for a line of text. */
export function pieceIcon(kind) {
  const icon = shape('svg', { class: 'icon', viewBox: '-.4 -.4 .8 .8', 'aria-hidden': 'true' });
  icon.append(drawPiece(kind, { x: 0, y: 0 }));
  return icon;
}
