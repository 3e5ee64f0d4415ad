// The game on the board: its turns, and the position shown.

import { call } from './api.js';
import { underRules } from './notation.js';
import { Tree, lineThrough, turnsTo } from './tree.js';
import { SIDES, fromBlack, ofOutcome } from './values.js';

/** Size of the cache of positions. */
const KEPT = 2000;

const OTHER = { x: 'o', o: 'x' };

// Opponents that are not to play their best make other mistakes in each game.
function newSeed() {
  return Math.floor(Math.random() * 2 ** 32);
}

/** Returns the query of the position after some turns of a game that began in `start`, if given. */
function queryOf(game, rules, start, moves) {
  // What is undefined is not sent.
  return { game, rules, position: start ?? undefined, moves };
}

/**
 * The state of the game. Dispatches `leave` when another position is requested, `turn` when a turn
 * was played, `change` when the position or the turns have changed, `mode` when the game begins or
 * ceases to be played for real, and `values` when the value of a position or a variation has become
 * known.
 *
 * A new game is played for real (`real`) until it ends or is left for analysis; one that was opened
 * from a link or a record is analysed, unless it was played for real before a reload. In a `live` game the computer plays its turns: a game played
 * for real is live unless somebody stepped back in it.
 *
 * `left` is where a game was left for analysis, `{moves, ply}`, or null.
 *
 * `start` is the text of the position that the game began in, null for the start of the game.
 * `moves` is the line shown. `tree` has all lines of the game.
 */
export class Session extends EventTarget {
  #positions = new Map();
  #values = new Map();
  #asked = 0;

  constructor(games) {
    super();
    this.games = new Map(games.map((game) => [game.name, game]));
    Object.assign(this, { name: null, rules: {}, start: null, moves: [], ply: 0, run: null, tags: {} });
    this.position = null;
    this.seed = newSeed();
    this.tree = new Tree();
    this.flag = null;
    this.live = false;
    this.real = false;
    this.left = null;
  }

  /** The game's entry of `/api/games`, with the cell names of the current rules. */
  get game() {
    return underRules(this.games.get(this.name), this.rules);
  }

  /** Whether the last position of the game is shown. */
  get atEnd() {
    return this.ply === this.moves.length;
  }

  /** The node of the position shown in the tree of lines. */
  get node() {
    return this.tree.find(this.moves.slice(0, this.ply));
  }

  /** Whether the line shown ends with a result. */
  get isOver() {
    return Boolean(this.valueAt(this.moves.length)?.over) || this.#isFlagged(this.moves);
  }

  /** The result of the position shown, `{outcome, reason, cells}`, or null if the game goes on. */
  get result() {
    const { outcome, ending } = this.position;
    const reason = ending ? `${ending.reason}.` : null;
    if (outcome) return { outcome, reason, cells: ending?.cells ?? [] };
    if (!this.atEnd || !this.#isFlagged(this.moves)) return null;
    const { side } = this.flag;
    return { outcome: OTHER[side], reason: `${SIDES[side]} ran out of time.`, cells: [] };
  }

  #isFlagged(moves) {
    return this.flag !== null && this.flag.key === this.key(moves);
  }

  /** Returns the query of the position at a ply. */
  query(ply = this.ply) {
    return this.queryOf(this.moves.slice(0, ply));
  }

  /** Returns the query of the position after some turns. */
  queryOf(moves) {
    return queryOf(this.name, this.rules, this.start, moves);
  }

  /** Returns a key that identifies a position among all games. */
  key(moves) {
    return JSON.stringify([this.name, this.rules, this.start, moves]);
  }

  /** Returns the side to move at a ply; sides alternate in all games. */
  sideAt(ply) {
    const first = this.start?.split(' ')[1] ?? this.game.first;
    return ply % 2 === 0 ? first : OTHER[first];
  }

  /** Returns the options that differ from the game's defaults. */
  differing(rules) {
    const own = this.game.rules;
    return Object.fromEntries(Object.entries(rules).filter(([key, value]) => own[key] !== value));
  }

  /**
   * Opens a game. If the server refuses it, throws its error, with `at` for an illegal turn, and
   * changes nothing.
   */
  async open({
    game,
    rules = {},
    start = null,
    moves = [],
    ply = moves.length,
    run = null,
    tags = {},
    live = false,
    real = live,
    seed = newSeed(),
  }) {
    if (!this.games.has(game)) throw new Error(`There is no game “${game}”.`);
    const asked = this.#leave();
    // The server reads a text in any case and spacing; here its parts are compared.
    start = start?.trim().toLowerCase().replace(/\s+/g, ' ') || null;
    const end = await call('/api/position', queryOf(game, rules, start, moves));
    const isEnd = ply >= end.moves.length;
    const query = queryOf(game, rules, start, end.moves.slice(0, ply));
    const position = isEnd ? end : await call('/api/position', query);
    if (asked !== this.#asked) return;
    this.name = game;
    this.start = start;
    this.rules = this.differing(end.rules);
    Object.assign(this, { moves: end.moves, ply: position.moves.length, position, run, tags, live });
    real &&= !end.outcome;
    Object.assign(this, { tree: new Tree(end.moves), flag: null, real, seed });
    this.left = null;
    for (const known of [end, position]) this.#keep(known);
    this.#changed();
  }

  // Invalidates earlier requests; returns a number that stays current until the next one.
  #leave() {
    this.dispatchEvent(new Event('leave'));
    this.#asked += 1;
    return this.#asked;
  }

  async #show(ply, line = this.moves) {
    this.live = false;
    const asked = this.#leave();
    const position = await this.at(line.slice(0, ply));
    if (asked !== this.#asked) return;
    Object.assign(this, { moves: line, ply, position });
    this.#changed();
  }

  /** Goes to another position of the game; the game is no longer live. */
  async go(ply) {
    const there = Math.max(0, Math.min(ply, this.moves.length));
    if (there !== this.ply) await this.#show(there);
  }

  /** Shows the position of a node of the tree, and the line through it; the game is not live. */
  visit(node) {
    return this.#show(node.ply, lineThrough(node));
  }

  /** Makes a variation the main line. */
  promote(node) {
    this.tree.promote(node);
    this.dispatchEvent(new Event('values'));
  }

  /** Removes a variation. If the position shown is in it, shows the one before the variation. */
  async remove(node) {
    const isShown = turnsTo(node).every((turn, ply) => this.moves[ply] === turn);
    const stays = this.moves.slice(0, Math.min(this.ply, node.ply - 1));
    this.tree.remove(node);
    if (isShown) await this.visit(this.tree.find(stays));
    else this.dispatchEvent(new Event('values'));
  }

  /** Leaves the game that is played for real, to analyse it; `comeBack` returns to it. */
  analyse() {
    if (this.real) this.left = { moves: this.moves, ply: this.ply };
    Object.assign(this, { real: false, live: false });
    this.dispatchEvent(new Event('mode'));
  }

  /** Resumes the game that was left for analysis, at the position where it was left. */
  async comeBack() {
    const { moves, ply } = this.left;
    const asked = this.#leave();
    const position = await this.at(moves.slice(0, ply));
    if (asked !== this.#asked) return;
    // Lines of the analysis stay as variations.
    this.tree.grow(moves, true);
    const live = ply === moves.length;
    Object.assign(this, { moves, ply, position, real: true, live, left: null });
    this.#changed();
  }

  /** Plays the game for real from the position shown. */
  resume() {
    Object.assign(this, { real: true, live: true, left: null });
    this.dispatchEvent(new Event('mode'));
  }

  /** Ends the game: a side has run out of time. */
  loseOnTime(side) {
    this.dispatchEvent(new Event('leave'));
    this.#asked += 1;
    Object.assign(this, { flag: { side, key: this.key(this.moves) }, real: false, live: false });
    this.#changed();
  }

  /**
   * Plays a turn in the position shown. If it differs from the next one, both lines are kept: in a
   * game played for real the new one is the main line, in an analysis it is the variation.
   */
  async play(turn) {
    const moves = [...this.moves.slice(0, this.ply), turn];
    const asked = this.#leave();
    const position = await this.at(moves);
    if (asked !== this.#asked) return;
    this.accept(position);
  }

  /** Shows a position that follows the one shown, such as a player's reply. */
  accept(position) {
    this.#asked += 1;
    const { moves } = position;
    const [before, ply] = [this.position, moves.length];
    const node = this.tree.grow(moves, this.real);
    if (this.moves[ply - 1] !== moves[ply - 1]) this.run = null;
    this.#keep(position);
    // What was undone in a game played for real stays in the tree only: the computer replies anew.
    if (this.real) this.moves = moves;
    else if (this.moves[ply - 1] !== moves[ply - 1]) this.moves = lineThrough(node);
    this.real &&= !position.outcome;
    Object.assign(this, { ply, position, live: this.real });
    this.dispatchEvent(new CustomEvent('turn', { detail: { before, after: position } }));
    this.#changed();
  }

  /** Returns the position after some turns, from the cache or the server. */
  async at(moves) {
    const key = this.key(moves);
    if (!this.#positions.has(key)) {
      this.#keep(await call('/api/position', this.queryOf(moves)));
    }
    return this.#positions.get(key);
  }

  #keep(position) {
    if (this.#positions.size >= KEPT) this.#positions.clear();
    this.#positions.set(this.key(position.moves), position);
    if (position.outcome)
      this.#values.set(this.key(position.moves), { ...ofOutcome(position.outcome), over: true });
  }

  #changed() {
    this.dispatchEvent(new Event('change'));
  }

  /**
   * Stores the value of a position by its key, for `side`; `by` says by which search it is, and
   * `proven` is from Black's side.
   */
  setValue(key, value, side, by, proven = null) {
    if (this.#values.get(key)?.over) return;
    this.#values.set(key, { ...fromBlack(value, side), by, proven });
    this.dispatchEvent(new Event('values'));
  }

  /** Returns the value of the position at a ply, or undefined. */
  valueAt(ply) {
    return this.valueAfter(this.moves.slice(0, ply));
  }

  /** Returns the value of the position after some turns, or undefined. */
  valueAfter(moves) {
    return this.#values.get(this.key(moves));
  }
}
