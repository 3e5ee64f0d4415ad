// A chart of training runs: curves by iteration, or by time.

import { element, shape } from './dom.js';
import { Plot, extent, lineThrough } from './plot.js';

/** Pixels of a column, whose points a line of more than `MANY` points draws as one. */
const COLUMN = 3;
const MANY = 300;

/** A line of more points has no dots, and a band for its intervals. */
const DOTTED = 60;

/** A number with three significant digits; thousands as `k`. */
export function brief(value) {
  const size = Math.abs(value);
  if (size >= 1000) return `${Number((value / 1000).toPrecision(3))} k`;
  return String(Number(value.toPrecision(3)));
}

function interval(values, floor) {
  const [least, most] = extent(values);
  const [low, high] = [Math.min(least, ...floor), Math.max(most, ...floor)];
  const spare = 0.06 * (high - low || Math.abs(high) || 1);
  return [floor.includes(low) ? low : low - spare, high + spare];
}

function whisker(sx, sy, { x, low, high }, index) {
  const [at, top, bottom] = [sx(x), sy(high), sy(low)];
  return shape('path', {
    class: `whisker s${index}`,
    d: `M${at} ${top}V${bottom}M${at - 3} ${top}h6M${at - 3} ${bottom}h6`,
  });
}

function band(sx, sy, points, index) {
  const high = points.map((point) => [sx(point.x), sy(point.high)]);
  const low = points.map((point) => [sx(point.x), sy(point.low)]).reverse();
  return shape('path', { class: `band s${index}`, d: `${lineThrough([...high, ...low])}Z` });
}

function mean(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

// The mean of some points, with the mean of their intervals, or else from the least to the greatest.
function middle(points) {
  const values = points.map(({ value }) => value);
  const withIntervals = points.filter(({ low }) => low !== undefined);
  const [low, high] =
    withIntervals.length > 0
      ? ['low', 'high'].map((end) => mean(withIntervals.map((point) => point[end])))
      : extent(values);
  return { x: mean(points.map(({ x }) => x)), value: mean(values), low, high };
}

// No screen shows thousands of points, and drawing them all is slow.
function thinned(line, sx) {
  if (line.length <= MANY) return line;
  const columns = new Map();
  for (const point of line) {
    const column = Math.floor(sx(point.x) / COLUMN);
    if (!columns.has(column)) columns.set(column, []);
    columns.get(column).push(point);
  }
  return [...columns.values()].map(middle);
}

// The point at a position, or with `isHeld` the last one before, if the line goes on behind it.
function pointAt(line, x, isHeld) {
  if (!isHeld) return line.find((point) => point.x === x);
  return x > line.at(-1)?.x ? undefined : line.findLast((point) => point.x <= x);
}

/**
 * `measures` are `{name, read(iteration), colour}`; `read` returns a number, an interval or null, and
 * `colour` is the number of a colour. `place` is the name of what runs along the horizontal axis, and
 * `xText(x)` writes it. `onMove` is called as by `Plot`. With `isHeld`, the tooltip shows values that
 * were measured before, as lines may have points at different positions.
 */
export class Chart {
  constructor({
    title,
    unit = '',
    measures,
    text = brief,
    floor = [],
    onPick,
    onMove,
    place = 'Iteration',
    xText,
    isHeld = false,
    height = 190,
  }) {
    Object.assign(this, { title, measures, text, floor, place, xText, isHeld });
    this.plot = new Plot({ label: `${title} by ${place.toLowerCase()}`, height, onPick, onMove });
    const legend = measures.flatMap(({ name }, index) => [
      element('span', { class: `key s${this.#colour(index)}` }, name),
      ' ',
    ]);
    this.node = element(
      'section',
      { class: 'card chart', hidden: true },
      element('h3', {}, title, unit && element('small', {}, ` ${unit}`)),
      this.plot.box,
      measures.length > 1 ? element('p', { class: 'legend' }, ...legend) : '',
    );
  }

  #colour(index) {
    return this.measures[index].colour ?? index;
  }

  #points(read, iterations) {
    return iterations.flatMap((iteration) => {
      const found = read(iteration);
      if (found === null || found === undefined) return [];
      const point = typeof found === 'number' ? { value: found } : found;
      return [{ x: iteration.iteration, ...point }];
    });
  }

  /** Draws iterations, objects with the metrics of each phase; `at` is the iteration to mark. */
  show(iterations, at) {
    const lines = this.measures.map(({ read }) => this.#points(read, iterations));
    this.draw(lines, { at });
  }

  /**
   * Draws a line of points `{x, value}`, perhaps with `low` and `high`, for each measure. `range` is
   * the interval of the horizontal axis.
   */
  draw(lines, { at, range } = {}) {
    const points = lines.flat();
    this.node.hidden = points.length === 0;
    if (points.length === 0) return;
    const xs = [...new Set(points.map(({ x }) => x))].sort((a, b) => a - b);
    const values = points.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
    this.plot.show({
      xs,
      x: range ?? [Math.min(xs[0], 1), Math.max(xs.at(-1), 2)],
      xText: this.xText,
      y: interval(values, this.floor),
      yText: this.text,
      at,
      series: (sx, sy) => lines.flatMap((line, index) => this.#line(sx, sy, line, index)),
      tip: (x) => [`${this.place} ${Number(x.toFixed(2))}`, ...this.#tip(lines, x)],
    });
  }

  #line(sx, sy, all, index) {
    const line = thinned(all, sx);
    const colour = this.#colour(index);
    const path = shape('path', {
      class: `series s${colour}`,
      d: lineThrough(line.map(({ x, value }) => [sx(x), sy(value)])),
    });
    const withIntervals = line.filter(({ low }) => low !== undefined);
    if (line.length > DOTTED)
      return withIntervals.length > 0 ? [band(sx, sy, withIntervals, colour), path] : [path];
    const whiskers = withIntervals.map((point) => whisker(sx, sy, point, colour));
    const dots = line.map(({ x, value }) =>
      shape('circle', { class: `spot s${colour}`, cx: sx(x), cy: sy(value), r: 2.5 }),
    );
    return [...whiskers, path, ...dots];
  }

  #tip(lines, x) {
    return lines.flatMap((line, index) => {
      const point = pointAt(line, x, this.isHeld);
      if (!point) return [];
      const range =
        point.low === undefined ? '' : ` (${this.text(point.low)} to ${this.text(point.high)})`;
      return [`${this.measures[index].name}: ${this.text(point.value)}${range}`];
    });
  }
}
