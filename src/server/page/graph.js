// The graph of a game: Black's expected score after each turn, where it is known.

import { shape } from './dom.js';
import { Plot, lineThrough } from './plot.js';
import { PROVEN, inWords, percent, score } from './values.js';

function words(session, ply, review) {
  const value = session.valueAt(ply);
  const turn = ply === 0 ? 'Start' : `Turn ${ply}: ${session.moves[ply - 1]}`;
  if (!value) return [turn, 'not evaluated yet'];
  if (value.over) return [turn, 'game over'];
  const fault = review.faultOf(session.moves.slice(0, ply));
  const remarks = [
    value.proven && PROVEN[value.proven],
    fault && `${fault.kind.name}: costs ${percent(fault.cost)}`,
  ];
  return [turn, inWords(value), value.by, ...remarks.filter(Boolean)];
}

function diamond(x, y) {
  return shape('path', {
    class: 'proven',
    d: `M${x} ${y - 6}L${x + 6} ${y}L${x} ${y + 6}L${x - 6} ${y}Z`,
  });
}

// Splits the points at gaps, so that lines connect consecutive plies only.
function runs(points) {
  const lines = [];
  for (const point of points) {
    const line = lines.at(-1);
    if (line && line.at(-1).ply === point.ply - 1) line.push(point);
    else lines.push([point]);
  }
  return lines;
}

function pointOf({ value, fault }, x, y) {
  if (value.proven || value.over) return diamond(x, y);
  const name = fault ? `dot fault ${fault.kind.name}` : 'dot';
  return shape('circle', { class: name, cx: x, cy: y, r: fault ? 4.5 : 2.5 });
}

function series(points) {
  return (sx, sy) => {
    const place = ({ ply, value }) => [sx(ply), sy(score(value))];
    const base = sy(0.5);
    const lines = runs(points).flatMap((line) => {
      const path = lineThrough(line.map(place));
      const [from, to] = [sx(line[0].ply), sx(line.at(-1).ply)];
      return [
        shape('path', { class: 'area', d: `${path}L${to} ${base}L${from} ${base}Z` }),
        shape('path', { class: 'line', d: path }),
      ];
    });
    const dots = points.map((point) => pointOf(point, ...place(point)));
    return [...lines, ...dots];
  };
}

/** The graph of a session; calls `onPick(ply)` when a position is chosen. */
export class Graph {
  constructor(onPick) {
    this.plot = new Plot({
      label: 'Black’s expected score over the game',
      height: 130,
      onPick,
      follows: true,
    });
    this.node = this.plot.box;
  }

  /** Draws the known values of a session, and the mistakes that a review found. */
  show(session, review) {
    const plies = [...Array(session.moves.length + 1).keys()];
    const points = plies
      .map((ply) => ({
        ply,
        value: session.valueAt(ply),
        fault: review.faultOf(session.moves.slice(0, ply)),
      }))
      .filter(({ value }) => value);
    this.plot.show({
      xs: plies,
      x: [0, Math.max(session.moves.length, 8)],
      y: [-0.04, 1.04],
      yTicks: [0, 0.5, 1],
      yText: percent,
      series: series(points),
      tip: (ply) => words(session, ply, review),
      at: session.ply,
    });
  }
}
