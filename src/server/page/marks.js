// Marks of turns on the board: arrows, rings, numbers, and the heat map of their destinations.

import { shape } from './dom.js';
import { isHole, pathIn, played } from './steps.js';

function arrow(from, to, name, weight) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy);
  const [ux, uy] = [dx / length, dy / length];
  const [head, half] = [0.2 + 0.9 * weight, 0.1 + 0.75 * weight];
  const start = [from.x + 0.24 * ux, from.y + 0.24 * uy];
  const neck = [to.x - (0.1 + head) * ux, to.y - (0.1 + head) * uy];
  const tip = [to.x - 0.1 * ux, to.y - 0.1 * uy];
  const corner = (sign) => [neck[0] - sign * half * uy, neck[1] + sign * half * ux];
  const points = (list) => list.map((point) => point.map((n) => n.toFixed(3)).join()).join(' ');
  return shape(
    'g',
    { class: name },
    shape('line', { x1: start[0], y1: start[1], x2: neck[0], y2: neck[1], 'stroke-width': weight }),
    shape('polygon', { points: points([tip, corner(1), corner(-1)]) }),
  );
}

function ring(point, name, weight) {
  return shape('circle', {
    class: `${name} ring`,
    cx: point.x,
    cy: point.y,
    r: 0.4,
    'stroke-width': weight,
  });
}

function number(point, text) {
  const at = { x: point.x + 0.3, y: point.y - 0.3 };
  return shape(
    'g',
    { class: 'number' },
    shape('circle', { cx: at.x, cy: at.y, r: 0.17 }),
    shape('text', at, text),
  );
}

function drawn(points, actions, name, weight) {
  return actions.map(({ kind, from, at }) =>
    kind === 'move'
      ? arrow(points[from], points[at], name, weight)
      : ring(points[at], kind === 'capture' ? `${name} capture` : name, weight),
  );
}

/** The least strength of a turn that has an arrow, and the number of turns that have one. */
const [FAINTEST, ARROWS] = [0.2, 3];

/**
 * Marks of the best turns in the position of a session. `strengths` has by turn how strongly to
 * show it, from 0 to 1, best first.
 */
export function turnMarks(points, { game, position }, strengths, prefix) {
  const paths = new Map(position.legal.map(({ turn, path }) => [turn, path]));
  const shown = [...strengths]
    .slice(0, ARROWS)
    .filter(([turn, strength]) => paths.has(turn) && strength >= FAINTEST);
  const marks = shown.map(([turn, strength], rank) => {
    const path = paths.get(turn);
    if (!prefix.every((cell, step) => path[step] === cell)) return [];
    const { squares, to_move: side } = position;
    const { actions } = played(game, squares, path, side, isHole(turn));
    return drawn(points, actions, rank === 0 ? 'best' : 'other', 0.05 + 0.09 * strength);
  });
  // SVG draws later elements on top: the best turn comes last.
  return marks.reverse().flat();
}

/** Marks of one turn. */
export function turnMark(points, session, turn, prefix) {
  return turnMarks(points, session, new Map([[turn, 1]]), prefix);
}

/** The turns of a line that are drawn: the next one, and the one after it faintly. */
const DRAWN = ['', ' faint'];

/** Marks of a line of turns, numbered from `first`, which is replayed without the server. */
export function lineMarks(points, game, position, line, first = 1) {
  let [squares, side] = [position.squares, position.to_move];
  const marks = line.slice(0, DRAWN.length).map((turn, index) => {
    const after = played(game, squares, pathIn(game, squares, turn), side, isHole(turn));
    const name = `line ${side === 'x' ? 'black' : 'white'}${DRAWN[index]}`;
    const shapes = drawn(points, after.actions, name, index === 0 ? 0.1 : 0.06);
    const end = after.actions.at(-1);
    if (end) shapes.push(number(points[end.at], first + index));
    [squares, side] = [after.squares, side === 'x' ? 'o' : 'x'];
    return shapes;
  });
  // SVG draws later elements on top: the next turn comes last.
  return marks.reverse().flat();
}

/** The strength of the best turn by next cell, over the turns whose path begins with `prefix`. */
export function heatOf(position, strengths, prefix) {
  const paths = new Map(position.legal.map(({ turn, path }) => [turn, path]));
  const heat = new Map();
  for (const [turn, strength] of strengths) {
    const path = paths.get(turn);
    if (!path || strength === 0 || !prefix.every((cell, step) => path[step] === cell)) continue;
    const next = path[prefix.length];
    if (next === undefined) continue;
    heat.set(next, Math.max(heat.get(next) ?? 0, strength));
  }
  return heat;
}
