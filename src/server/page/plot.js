// A plot with axes, a cursor and a tooltip, usable by pointer and by keyboard.

import { element, shape } from './dom.js';

const EDGE = { left: 40, right: 10, top: 8, bottom: 22 };

/** Returns the linear map from one interval to another. */
function scale([from, to], [low, high]) {
  const factor = (high - low) / (to - from || 1);
  return (value) => low + (value - from) * factor;
}

/** Returns about `count` round numbers in an interval. */
export function ticks([from, to], count) {
  const rough = (to - from) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((unit) => unit * power).find((unit) => unit >= rough);
  const [first, last] = [Math.ceil(from / step), Math.floor(to / step + 1e-9)];
  // Of numbers beyond 2^53 the next one is the same.
  const length = Number.isSafeInteger(first) && last >= first ? last - first + 1 : 0;
  return Array.from({ length }, (_, index) => (first + index) * step);
}

/** Returns the least and the greatest of any number of values. */
export function extent(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return [low, high];
}

/** Returns a line through points `[x, y]` as an SVG path. */
export function lineThrough(points) {
  return points
    .map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`)
    .join('');
}

// Iterations and turns are whole numbers.
function wholeText(x) {
  return Number.isInteger(x) ? String(x) : '';
}

/**
 * Draws `view`: `xs` (ascending positions of the cursor), `x` and `y` (intervals), `yTicks`,
 * `xText(x)` (empty where there is no label), `yText(y)`, `series(sx, sy)` (nodes), `tip(x)` (lines
 * of text), `at` (the marked position). Calls `onPick(x)` when a position is chosen, and `onMove(x)`
 * when the cursor moves; with `follows`, moving by keyboard chooses at once.
 */
export class Plot {
  #view = null;
  #cursor = null;

  constructor({ label, height, onPick, onMove, follows = false }) {
    Object.assign(this, { height, onPick, onMove, follows });
    this.svg = shape('svg', { class: 'plot', tabindex: 0, role: 'slider', 'aria-label': label });
    // Before it is drawn it takes its place, so that the page does not move.
    this.svg.style.height = `${height}px`;
    this.tip = element('div', { class: 'tip', hidden: true });
    this.box = element('div', { class: 'plot-box' }, this.svg, this.tip);
    this.svg.addEventListener('pointermove', (event) => this.#point(event));
    this.svg.addEventListener('pointerleave', () => this.#setCursor(null));
    this.svg.addEventListener('click', (event) => {
      this.#point(event);
      this.#pick();
    });
    this.svg.addEventListener('keydown', (event) => this.#key(event));
    this.svg.addEventListener('blur', () => this.#setCursor(null));
    new ResizeObserver(() => this.#draw()).observe(this.box);
  }

  /** Shows a view. */
  show(view) {
    this.#view = view;
    this.#draw();
  }

  /** Marks the position of the cursor of another plot; null if it has none. */
  mirror(x) {
    if (this.#cursor === null) this.#moveMark(x);
  }

  get #width() {
    return this.box.clientWidth;
  }

  #draw() {
    const view = this.#view;
    if (!view || this.#width === 0) return;
    const { left, right, top, bottom } = EDGE;
    this.svg.setAttribute('viewBox', `0 0 ${this.#width} ${this.height}`);
    this.svg.style.height = `${this.height}px`;
    this.sx = scale(view.x, [left, this.#width - right]);
    this.sy = scale(view.y, [this.height - bottom, top]);
    this.mark = shape('line', {
      class: 'cursor',
      y1: top,
      y2: this.height - bottom,
      visibility: 'hidden',
    });
    this.svg.replaceChildren(
      ...this.#axes(),
      ...view.series(this.sx, this.sy),
      ...this.#place(),
      this.mark,
    );
    this.#describe();
    if (this.#cursor !== null) this.#setCursor(this.#cursor);
  }

  #axes() {
    const { left, right, top, bottom } = EDGE;
    const view = this.#view;
    const rows = (view.yTicks ?? ticks(view.y, 4)).map((tick) =>
      shape(
        'g',
        { class: 'axis' },
        shape('line', { x1: left, x2: this.#width - right, y1: this.sy(tick), y2: this.sy(tick) }),
        shape(
          'text',
          { x: left - 6, y: this.sy(tick) + 4, 'text-anchor': 'end' },
          view.yText(tick),
        ),
      ),
    );
    const text = view.xText ?? wholeText;
    const columns = ticks(view.x, Math.max(2, this.#width / 55))
      .filter(text)
      .map((tick) => this.#columnLabel(this.sx(tick), text(tick)));
    return [
      ...rows,
      ...columns,
      shape('rect', {
        class: 'catch',
        x: 0,
        y: top,
        width: this.#width,
        height: this.height - top,
      }),
    ];
  }

  // A long label at the right edge ends there, as it would be cut off in the middle of its line.
  #columnLabel(x, text) {
    const isCut = x + 3.5 * text.length > this.#width;
    const place = isCut ? { x: this.#width, 'text-anchor': 'end' } : { x, 'text-anchor': 'middle' };
    return shape('text', { class: 'axis', y: this.height - 6, ...place }, text);
  }

  #place() {
    const { at } = this.#view;
    if (at === undefined) return [];
    return [
      shape('line', {
        class: 'place',
        x1: this.sx(at),
        x2: this.sx(at),
        y1: EDGE.top,
        y2: this.height - EDGE.bottom,
      }),
    ];
  }

  #point(event) {
    const box = this.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * this.#width;
    const { xs } = this.#view ?? { xs: [] };
    if (xs.length === 0) return;
    const nearest = xs.reduce((best, place) =>
      Math.abs(this.sx(place) - x) < Math.abs(this.sx(best) - x) ? place : best,
    );
    this.#setCursor(nearest);
  }

  #moveMark(x) {
    if (!this.mark) return;
    this.mark.setAttribute('visibility', x === null ? 'hidden' : 'visible');
    if (x === null) return;
    for (const end of ['x1', 'x2']) this.mark.setAttribute(end, this.sx(x));
  }

  #setCursor(x) {
    this.#cursor = x;
    this.onMove?.(x);
    this.tip.hidden = x === null;
    if (!this.mark) return;
    this.#moveMark(x);
    if (x === null) return;
    const at = this.sx(x);
    this.tip.replaceChildren(...this.#view.tip(x).map((line) => element('div', {}, line)));
    const right = at > this.#width / 2;
    this.tip.style.left = right ? 'auto' : `${at + 10}px`;
    this.tip.style.right = right ? `${this.#width - at + 10}px` : 'auto';
    this.#describe();
  }

  #describe() {
    const { xs, at, tip } = this.#view;
    const x = this.#cursor ?? at ?? xs.at(-1);
    if (x === undefined) return;
    this.svg.setAttribute('aria-valuemin', xs[0]);
    this.svg.setAttribute('aria-valuemax', xs.at(-1));
    this.svg.setAttribute('aria-valuenow', x);
    this.svg.setAttribute('aria-valuetext', tip(x).join(', '));
  }

  #pick() {
    if (this.#cursor !== null) this.onPick?.(this.#cursor);
  }

  #key(event) {
    const { xs, at } = this.#view ?? { xs: [] };
    const here = xs.indexOf(this.#cursor ?? at ?? xs.at(-1));
    const moves = {
      ArrowLeft: here - 1,
      ArrowRight: here + 1,
      ArrowDown: here - 1,
      ArrowUp: here + 1,
      Home: 0,
      End: xs.length - 1,
    };
    if (event.key in moves && xs.length > 0) {
      this.#setCursor(xs[Math.max(0, Math.min(xs.length - 1, moves[event.key]))]);
      if (this.follows) this.#pick();
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.#pick();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
