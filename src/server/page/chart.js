// A chart of training runs: curves by iteration, or by time.

import { element, shape } from './dom.js';
import { Plot, extent, lineThrough } from './plot.js';

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

/**
 * `measures` are `{name, read(iteration)}`; `read` returns a number, an interval or null. `place` is
 * the name of what runs along the horizontal axis.
 */
export class Chart {
  constructor({
    title,
    unit = '',
    measures,
    text = brief,
    floor = [],
    onPick,
    place = 'Iteration',
    height = 190,
  }) {
    Object.assign(this, { title, measures, text, floor, place });
    this.plot = new Plot({ label: `${title} by ${place.toLowerCase()}`, height, onPick });
    const legend = measures.map(({ name }, index) =>
      element('span', { class: `key s${index}` }, name),
    );
    this.node = element(
      'section',
      { class: 'card chart', hidden: true },
      element('h3', {}, title, unit && element('small', {}, ` ${unit}`)),
      this.plot.box,
      measures.length > 1 ? element('p', { class: 'legend' }, ...legend) : '',
    );
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
    this.draw(lines, at);
  }

  /** Draws a line of points `{x, value}`, perhaps with `low` and `high`, for each measure. */
  draw(lines, at) {
    const points = lines.flat();
    this.node.hidden = points.length === 0;
    if (points.length === 0) return;
    const xs = [...new Set(points.map(({ x }) => x))].sort((a, b) => a - b);
    const values = points.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
    this.plot.show({
      xs,
      x: [Math.min(xs[0], 1), Math.max(xs.at(-1), 2)],
      y: interval(values, this.floor),
      yText: this.text,
      at,
      series: (sx, sy) => lines.flatMap((line, index) => this.#line(sx, sy, line, index)),
      tip: (x) => [`${this.place} ${Number(x.toFixed(2))}`, ...this.#tip(lines, x)],
    });
  }

  #line(sx, sy, line, index) {
    const path = shape('path', {
      class: `series s${index}`,
      d: lineThrough(line.map(({ x, value }) => [sx(x), sy(value)])),
    });
    const whiskers = line
      .filter(({ low }) => low !== undefined)
      .map((point) => whisker(sx, sy, point, index));
    const dots =
      line.length > 60
        ? []
        : line.map(({ x, value }) =>
            shape('circle', { class: `spot s${index}`, cx: sx(x), cy: sy(value), r: 2.5 }),
          );
    return [...whiskers, path, ...dots];
  }

  #tip(lines, x) {
    return lines.flatMap((line, index) => {
      const point = line.find((candidate) => candidate.x === x);
      if (!point) return [];
      const range =
        point.low === undefined ? '' : ` (${this.text(point.low)} to ${this.text(point.high)})`;
      return [`${this.measures[index].name}: ${this.text(point.value)}${range}`];
    });
  }
}
