// A turn of several steps: what each does to the board, and how it is put together by clicks.

/**
 * What the cells of a path do, one after the other, when `side` plays them.
 *
 * Gives the squares afterwards, the actions `{kind: 'move' | 'place' | 'capture', from, at}`, and
 * the cell of a piece that was taken up and not put down yet, or null. A cell with an own piece takes
 * it up; an empty one receives what was taken up, else the neutron, else a new piece; any other cell
 * is captured. `hole` says that what is placed is a hole.
 */
export function played(squares, path, side, hole) {
  const board = [...squares];
  const actions = [];
  let lifted = null;
  const put = (from, at) => {
    actions.push({ kind: 'move', from, at, piece: board[from] });
    [board[at], board[from]] = [board[from], '.'];
  };
  for (const at of path) {
    const neutron = board.indexOf('*');
    if (lifted !== null) {
      put(lifted, at);
      lifted = null;
    } else if (board[at] === side) {
      lifted = at;
    } else if (board[at] !== '.') {
      actions.push({ kind: 'capture', at, piece: board[at] });
      board[at] = '.';
    } else if (neutron >= 0 && !hole) {
      put(neutron, at);
    } else {
      board[at] = hole ? '#' : side;
      actions.push({ kind: 'place', at, piece: board[at] });
    }
  }
  return { squares: board.join(''), actions, lifted };
}

/** Whether a turn places a hole. */
export function isHole(turn) {
  return turn.startsWith('@');
}

/** The path of a turn's text in a position that need not be known to the server: its cells in order. */
export function pathIn(game, squares, turn) {
  if (game.drop) {
    const column = game.column_labels.indexOf(turn);
    const free = game.cells
      .map((cell, at) => ({ ...cell, at }))
      .filter((cell) => cell.x === column && squares[cell.at] === '.');
    return free.length > 0 ? [free.reduce((low, cell) => (cell.y > low.y ? cell : low)).at] : [];
  }
  const names = turn.match(/[A-Wa-wY-Zy-z]\d+/g) ?? [];
  return names
    .map((name) => game.cells.findIndex((cell) => cell.name === name))
    .filter((at) => at >= 0);
}

/** The turn that is being put together in a position. */
export class Steps {
  constructor(game, position) {
    this.game = game;
    this.position = position;
    this.chosen = [];
  }

  /** Legal turns that begin with what is chosen. */
  get possible() {
    return this.position.legal.filter(
      ({ path }) => path.length > 0 && this.chosen.every((cell, step) => path[step] === cell),
    );
  }

  /** Cells that may be chosen next. */
  get options() {
    const next = this.possible.map(({ path }) => path[this.chosen.length]);
    return new Set(next.filter((cell) => cell !== undefined));
  }

  /** The turn that is complete as it stands, or null. */
  get complete() {
    if (this.chosen.length === 0) return null;
    return this.possible.find(({ path }) => path.length === this.chosen.length)?.turn ?? null;
  }

  /** What the chosen steps have done. */
  get state() {
    return played(this.position.squares, this.chosen, this.position.to_move, this.#placesHole);
  }

  /** Chooses a cell; gives the turn if that completes it. */
  choose(cell) {
    const target = this.#meant(cell);
    if (target === this.chosen.at(-1) && !this.options.has(target)) {
      const complete = this.complete;
      if (complete === null) this.back();
      return complete;
    }
    if (!this.options.has(target)) {
      // A click elsewhere takes the last step back, and may choose another one instead of it.
      this.back();
      if (!this.options.has(target)) return null;
    }
    this.chosen.push(target);
    return this.options.size === 0 ? this.complete : null;
  }

  /** Takes the last step back; tells whether there was one. */
  back() {
    return this.chosen.pop() !== undefined;
  }

  // Where a disc falls, the whole column means the cell that it falls to.
  #meant(cell) {
    if (!this.game.drop) return cell;
    const column = this.game.cells[cell].x;
    return [...this.options].find((at) => this.game.cells[at].x === column) ?? cell;
  }

  // What stands on the cells that may be chosen next.
  #choices() {
    const { squares } = this.state;
    const kind = (at) => ({ [this.position.to_move]: 'own', '.': 'empty' })[squares[at]] ?? 'enemy';
    return new Set([...this.options].map(kind));
  }

  get #placesHole() {
    return this.possible.some(({ turn }) => isHole(turn));
  }

  /** The cell of what moves in the next step: a piece that was taken up, or the neutron; or null. */
  get mover() {
    const { squares, lifted } = this.state;
    if (lifted !== null) return lifted;
    const choices = this.#choices();
    const neutron = squares.indexOf('*');
    return neutron >= 0 && choices.size === 1 && choices.has('empty') && !this.#placesHole
      ? neutron
      : null;
  }

  /** What is to be done next, in words. */
  get hint() {
    const choices = this.#choices();
    if (this.state.lifted !== null) return 'choose where it goes';
    if (choices.has('enemy')) return 'choose a piece to capture';
    if (choices.has('own'))
      return choices.has('empty')
        ? 'place a piece, or choose one to move'
        : 'choose a piece to move';
    if (this.#placesHole) return 'choose a cell for a hole';
    if (this.game.drop) return 'choose a column';
    return this.mover !== null ? 'choose where the neutron goes' : 'choose where to place a piece';
  }
}
