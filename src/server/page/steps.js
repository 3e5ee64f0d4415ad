// Turns of several steps: the effect of each step on the board, and how clicks select a turn.

import { SIDE_LOOKS, firstOf, lookOf, pieceOf } from './pieces.js';

// The cell of the neutral piece, or -1. Where there are several, none of them moves by itself.
function neutralIn(game, squares) {
  const cells = [...squares.keys()].filter((cell) => lookOf(game, squares[cell]) === 'neutral');
  return cells.length === 1 ? cells[0] : -1;
}

// The symbol that a side places on an empty cell: of a hole, or of its first piece.
function placed(game, side, hole) {
  const piece = (hole && firstOf(game, 'hole')) || firstOf(game, SIDE_LOOKS[side]);
  return (piece ?? game.pieces[0]).symbol;
}

/**
 * Plays the cells of a path one after the other for `side`.
 *
 * Returns the squares afterwards, the actions `{kind: 'move' | 'place' | 'capture', from, at}`, and
 * the cell of a piece that is lifted and not yet put down, or null. A cell with a piece of `side`
 * lifts it. An empty cell receives the lifted piece, otherwise the neutral piece, otherwise a new
 * piece; with `hole` a hole instead of the last two. A piece on any other cell is captured.
 */
export function played(game, squares, path, side, hole) {
  const board = [...squares];
  const actions = [];
  let lifted = null;
  const put = (from, at) => {
    actions.push({ kind: 'move', from, at, piece: board[from] });
    [board[at], board[from]] = [board[from], '.'];
  };
  for (const at of path) {
    const neutral = neutralIn(game, board);
    if (lifted !== null) {
      put(lifted, at);
      lifted = null;
    } else if (lookOf(game, board[at]) === SIDE_LOOKS[side]) {
      lifted = at;
    } else if (board[at] !== '.') {
      actions.push({ kind: 'capture', at, piece: board[at] });
      board[at] = '.';
    } else if (neutral >= 0 && !hole) {
      put(neutral, at);
    } else {
      board[at] = placed(game, side, hole);
      actions.push({ kind: 'place', at, piece: board[at] });
    }
  }
  return { squares: board.join(''), actions, lifted };
}

/** Whether a turn places a hole. */
export function isHole(turn) {
  return turn.startsWith('@');
}

/** Returns the cells of a turn in order, from its text and without the server. */
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

/** The steps chosen so far of a turn in a position. */
export class Steps {
  constructor(game, position) {
    this.game = game;
    this.position = position;
    this.chosen = [];
  }

  /** Legal turns whose path begins with the chosen cells. */
  get possible() {
    return this.position.legal.filter(
      ({ path }) => path.length > 0 && this.chosen.every((cell, step) => path[step] === cell),
    );
  }

  /** The cells that can be chosen next. */
  get options() {
    const next = this.possible.map(({ path }) => path[this.chosen.length]);
    return new Set(next.filter((cell) => cell !== undefined));
  }

  /** The turn that consists of exactly the chosen cells, or null. */
  get complete() {
    if (this.chosen.length === 0) return null;
    return this.possible.find(({ path }) => path.length === this.chosen.length)?.turn ?? null;
  }

  /** The effect of the chosen steps, as returned by `played`. */
  get state() {
    const { squares, to_move: side } = this.position;
    return played(this.game, squares, this.chosen, side, this.#placesHole);
  }

  /** Chooses a cell; returns the turn if that completes it, otherwise null. */
  choose(cell) {
    const target = this.#meant(cell);
    if (target === this.chosen.at(-1) && !this.options.has(target)) {
      const complete = this.complete;
      if (complete === null) this.back();
      return complete;
    }
    if (!this.options.has(target)) {
      // A click elsewhere undoes the last step, and may choose another cell for it.
      this.back();
      if (!this.options.has(target)) return null;
    }
    this.chosen.push(target);
    return this.options.size === 0 ? this.complete : null;
  }

  /** Undoes the last step; returns whether there was one. */
  back() {
    return this.chosen.pop() !== undefined;
  }

  // In a game with gravity, a click anywhere in a column means the cell to which the disc falls.
  #meant(cell) {
    if (!this.game.drop) return cell;
    const column = this.game.cells[cell].x;
    return [...this.options].find((at) => this.game.cells[at].x === column) ?? cell;
  }

  // The contents of the cells that can be chosen next.
  #choices() {
    const { squares } = this.state;
    const own = SIDE_LOOKS[this.position.to_move];
    const kind = (at) => {
      if (squares[at] === '.') return 'empty';
      return lookOf(this.game, squares[at]) === own ? 'own' : 'enemy';
    };
    return new Set([...this.options].map(kind));
  }

  get #placesHole() {
    return this.possible.some(({ turn }) => isHole(turn));
  }

  /** The cell of what moves in the next step: the lifted or the neutral piece; or null. */
  get mover() {
    const { squares, lifted } = this.state;
    if (lifted !== null) return lifted;
    const choices = this.#choices();
    const neutral = neutralIn(this.game, [...squares]);
    return neutral >= 0 && choices.size === 1 && choices.has('empty') && !this.#placesHole
      ? neutral
      : null;
  }

  /** The instruction for the next step. */
  get hint() {
    const choices = this.#choices();
    if (this.state.lifted !== null) return 'choose where to move it';
    if (choices.has('enemy')) return 'choose a piece to capture';
    if (choices.has('own'))
      return choices.has('empty')
        ? 'place a piece, or choose one to move'
        : 'choose a piece to move';
    if (this.#placesHole) return 'place a hole';
    if (this.game.drop) return 'choose a column';
    if (this.mover === null) return 'place a piece';
    const { name } = pieceOf(this.game, this.state.squares[this.mover]);
    return `choose where to move the ${name.toLowerCase()}`;
  }
}
