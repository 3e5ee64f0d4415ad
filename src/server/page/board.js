// The board: an SVG drawing whose cells are buttons.

import { shape } from './dom.js';
import { Geometry } from './geometry.js';
import { drawPieces, pieceOf } from './pieces.js';

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const LAYERS = ['frame', 'cells', 'heat', 'glow', 'edges', 'labels', 'pieces', 'targets', 'marks', 'hits'];

/** Calls `onCell(cell)` when a cell is chosen, by pointer or keyboard. */
export class Board {
  #layers = {};
  #focus = 0;
  #squares = null;

  constructor(svg, onCell) {
    this.svg = svg;
    this.onCell = onCell;
    for (const name of LAYERS) {
      this.#layers[name] = shape('g', { class: name });
      svg.append(this.#layers[name]);
    }
    svg.addEventListener('keydown', (event) => this.#key(event));
  }

  /** Draws the empty board of a game. */
  set(game, flipped) {
    if (this.game === game && this.flipped === flipped) return;
    Object.assign(this, { game, flipped, geometry: new Geometry(game, flipped) });
    this.#squares = null;
    this.#focus = Math.min(this.#focus, game.cells.length - 1);
    const { box } = this.geometry;
    this.svg.setAttribute('viewBox', box.map((n) => n.toFixed(3)).join(' '));
    this.svg.style.setProperty('--aspect', (box[2] / box[3]).toFixed(3));
    this.svg.dataset.shape = game.drop ? 'drop' : game.shape;
    const cells = [...game.cells.keys()];
    this.#put(
      'frame',
      this.geometry.frame.map((points) => shape('polygon', { points })),
    );
    this.#put(
      'cells',
      cells.map((cell) => this.#cell(cell)),
    );
    this.#put(
      'edges',
      this.geometry.edges.map(([side, d]) => shape('path', { class: `edge ${side}`, d })),
    );
    this.#put(
      'labels',
      this.geometry.labels.map(({ text, x, y }) => shape('text', { x, y }, text)),
    );
    this.#put(
      'hits',
      cells.map((cell) => this.#hit(cell)),
    );
  }

  #put(layer, nodes) {
    this.#layers[layer].replaceChildren(...nodes);
  }

  #cell(cell) {
    const { x, y } = this.game.cells[cell];
    const isShaded = this.game.shape === 'square' && (x + y) % 2 === 1;
    return this.#spot(cell, { class: isShaded ? 'cell shade' : 'cell' });
  }

  #spot(cell, attributes) {
    const [tag, form] = this.geometry.spot(cell);
    return shape(tag, { ...form, ...attributes });
  }

  #hit(cell) {
    return shape('polygon', {
      class: 'hit',
      role: 'button',
      points: this.geometry.outline(cell, 0.94),
      'data-cell': cell,
      tabindex: cell === this.#focus ? 0 : -1,
      onclick: () => this.#choose(cell),
    });
  }

  #choose(cell) {
    this.#moveFocus(cell, false);
    this.onCell(cell);
  }

  #moveFocus(cell, focus) {
    const hits = this.#layers.hits.children;
    hits[this.#focus].setAttribute('tabindex', -1);
    this.#focus = cell;
    hits[cell].setAttribute('tabindex', 0);
    if (focus) hits[cell].focus();
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in ARROWS) {
      this.#moveFocus(this.geometry.neighbour(this.#focus, ARROWS[event.key]), true);
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.#choose(this.#focus);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Draws a position: its `squares`, and the sets of cells of the `last` turn, those `chosen`, the
   * `targets` of the next step, and those that `decided` the game. `faint` draws the targets weakly,
   * for when there are many.
   */
  draw({ squares, last, chosen, targets, faint, decided = new Set() }) {
    const { points } = this.geometry;
    const glow = (cells, name) => [...cells].map((cell) => this.#spot(cell, { class: name }));
    this.#put('glow', [
      ...glow(last, 'last'),
      ...glow(chosen, 'chosen'),
      ...glow(decided, 'decided'),
    ]);
    this.#pieces(squares);
    this.#put(
      'targets',
      [...targets].map((cell) => {
        const { x, y } = points[cell];
        const empty = squares[cell] === '.';
        return shape('circle', {
          class: `${empty ? 'free' : 'taken'}${faint ? ' faint' : ''}`,
          cx: x,
          cy: y,
          r: empty ? 0.13 : 0.44,
        });
      }),
    );
    [...this.#layers.hits.children].forEach((hit, cell) => {
      const content = pieceOf(this.game, squares[cell])?.name.toLowerCase() ?? 'empty';
      const words = [this.game.cells[cell].name, content];
      if (chosen.has(cell)) words.push('chosen');
      else if (targets.has(cell)) words.push('can be chosen');
      if (last.has(cell)) words.push('last turn');
      if (decided.has(cell)) words.push('decided the game');
      hit.setAttribute('aria-label', words.join(', '));
      hit.classList.toggle('open', targets.has(cell));
    });
  }

  #pieces(squares) {
    const before = this.#squares;
    // Redrawing would cancel running animations.
    if (before === squares) return;
    const drawn = drawPieces(this.game, squares, this.geometry.points);
    this.#put('pieces', drawn.filter(Boolean));
    this.#squares = squares;
    if (before) this.#animate(before, squares, drawn);
  }

  // A piece that is gone from one cell and new on another moved; any other new piece was placed.
  #animate(before, after, drawn) {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const cells = [...after].keys();
    const gained = [...cells].filter((cell) => after[cell] !== '.' && after[cell] !== before[cell]);
    if (gained.length > 3) return;
    for (const cell of gained) {
      const from = [...before].findIndex((kind, at) => kind === after[cell] && after[at] !== kind);
      const body = drawn[cell].firstChild;
      const start = from >= 0 || this.game.drop ? this.#shift(cell, from) : 'scale(0.4)';
      body.animate(
        [
          { transform: start, opacity: from < 0 ? 0.4 : 1 },
          { transform: 'none', opacity: 1 },
        ],
        { duration: 220, easing: 'ease-out' },
      );
    }
  }

  #shift(cell, from) {
    const { x, y } = this.geometry.points[cell];
    const start = from >= 0 ? this.geometry.points[from] : { x, y: -1 };
    return `translate(${start.x - x}px, ${start.y - y}px)`;
  }

  /** Draws a heat map: `heat` maps cells to strengths from 0 to 1. */
  drawHeat(heat) {
    const most = Math.max(...heat.values(), 0.001);
    this.#put(
      'heat',
      [...heat].map(([cell, share]) =>
        this.#spot(cell, { 'fill-opacity': (0.1 + 0.45 * (share / most)).toFixed(2) }),
      ),
    );
  }

  /** Draws arrows and rings, made by `marks.js`. */
  drawMarks(nodes) {
    this.#put('marks', nodes);
  }
}
