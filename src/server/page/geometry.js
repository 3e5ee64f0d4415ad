// Coordinates of the drawing: cells, their outlines, the labels at the edge.

/** Width of the frame around the cells, with labels and without. */
const FRAME = 0.48;
const BARE = 0.2;

/** The radius of the corners of a square frame. */
const CORNER = 0.24;

function hexagon({ x, y }, size) {
  const radius = size / Math.sqrt(3);
  return [...Array(6).keys()].map((corner) => {
    const angle = Math.PI / 6 + (corner * Math.PI) / 3;
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
}

function square({ x, y }, size) {
  const half = size / 2;
  return [
    [x - half, y - half],
    [x + half, y - half],
    [x + half, y + half],
    [x - half, y + half],
  ];
}

/** Coordinates of a game's board, rotated by half a turn if `flipped`. */
export class Geometry {
  constructor(game, flipped) {
    this.game = game;
    this.turned = flipped ? -1 : 1;
    this.points = game.cells.map((cell) => this.#at(cell.x, cell.y));
  }

  #at(x, y) {
    return { x: this.turned * x, y: this.turned * y };
  }

  /** The corners of a cell's outline, scaled by `size`, as SVG `points`. */
  outline(cell, size = 1) {
    const corners = this.game.shape === 'hexagon' ? hexagon : square;
    return corners(this.points[cell], size)
      .map((point) => point.map((n) => n.toFixed(3)).join())
      .join(' ');
  }

  /** Tag and attributes of a cell's area: its outline, or the round hole for a disc. */
  spot(cell) {
    const { x, y } = this.points[cell];
    return this.game.drop
      ? ['circle', { cx: x, cy: y, r: 0.4 }]
      : ['polygon', { points: this.outline(cell, 0.97) }];
  }

  /** Outlines that together cover the board, for the frame around it. */
  get frame() {
    if (this.game.shape === 'hexagon') return this.points.map((_, cell) => this.outline(cell));
    const [left, top, width, height] = this.box;
    const [right, bottom] = [left + width - CORNER, top + height - CORNER];
    const [x, y] = [left + CORNER, top + CORNER];
    return [`${x},${y} ${right},${y} ${right},${bottom} ${x},${bottom}`];
  }

  // Distance from the outermost cell centres to the edge; smaller on sides without labels.
  #reach(axis, sign) {
    if (this.game.shape === 'hexagon') return FRAME + (axis === 'x' ? 0.5 : 1 / Math.sqrt(3));
    const end = (points) => Math.max(...points.map((point) => sign * point[axis]));
    return 0.5 + (end(this.labels) > end(this.points) + 0.5 ? FRAME : BARE);
  }

  /** `[left, top, width, height]` of the drawing. */
  get box() {
    const [xs, ys] = [this.points.map(({ x }) => x), this.points.map(({ y }) => y)];
    const [left, top] = [
      Math.min(...xs) - this.#reach('x', -1),
      Math.min(...ys) - this.#reach('y', -1),
    ];
    const [right, bottom] = [
      Math.max(...xs) + this.#reach('x', 1),
      Math.max(...ys) + this.#reach('y', 1),
    ];
    return [left, top, right - left, bottom - top];
  }

  /** The labels `{text, x, y}`, moved from their places on the text board into the frame. */
  get labels() {
    const { cells, coordinates } = this.game;
    return coordinates.map(({ text, x, y }) => {
      const around = cells.filter((cell) => Math.hypot(cell.x - x, cell.y - y) < 1.05);
      const row = around.filter((cell) => Math.abs(cell.y - y) < 0.1 && cell.x > x);
      // Beside hexagons two cells are as near; the label is part of the name of one.
      const named = around.filter(({ name }) => name.startsWith(text) || name.endsWith(text));
      const near = [row, named].find((some) => some.length > 0) ?? around;
      const mean = (key, own) =>
        near.length > 0 ? near.reduce((sum, cell) => sum + cell[key], 0) / near.length : own;
      const [dx, dy] = [mean('x', x) - x, mean('y', y) - y];
      const pull = 0.27 / (Math.hypot(dx, dy) || 1);
      return { text, ...this.#at(x + pull * dx, y + pull * dy) };
    });
  }

  /** The coloured sides of the board, as `[side, d]` with the path of an SVG. */
  get edges() {
    const point = ([x, y]) => {
      const at = this.#at(x, y);
      return `${at.x.toFixed(3)} ${at.y.toFixed(3)}`;
    };
    return (this.game.edges ?? []).map(({ colour, lines }) => [
      colour === 'x' ? 'black' : 'white',
      lines.map(([from, to]) => `M${point(from)}L${point(to)}`).join(''),
    ]);
  }

  /** The neighbour of a cell in a direction on the screen, or the cell itself at the edge. */
  neighbour(cell, [dx, dy]) {
    const here = this.points[cell];
    let [best, cost] = [cell, Infinity];
    this.points.forEach((point, at) => {
      const along = (point.x - here.x) * dx + (point.y - here.y) * dy;
      // A hexagon has two neighbours above and two below: up chooses the right one and down the
      // left one, so that down undoes up.
      const aside = Math.abs((point.x - here.x) * dy - (point.y - here.y) * dx + 0.01 * (dy !== 0));
      if (along < 0.4 || (dx !== 0 && aside > 0.4)) return;
      if (along + 2 * aside < cost) [best, cost] = [at, along + 2 * aside];
    });
    return best;
  }
}
