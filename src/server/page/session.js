// The game on the board: its turns, and the position shown.

import { call } from './api.js';
import { underRules } from './notation.js';
import { fromBlack, ofOutcome } from './values.js';

/** Size of the cache of positions. */
const KEPT = 2000;

/**
 * The state of the game. Dispatches `leave` when another position is requested, `change` when the
 * position or the turns have changed, and `values` when the value of a position has become known.
 * In a `live` game the computer plays its turns; a game that was opened from a link or a record, or
 * stepped back in, is not live.
 */
export class Session extends EventTarget {
  #positions = new Map();
  #values = new Map();
  #asked = 0;

  constructor(games) {
    super();
    this.games = new Map(games.map((game) => [game.name, game]));
    Object.assign(this, { name: null, rules: {}, moves: [], ply: 0, run: null, tags: {} });
    this.position = null;
    this.live = false;
  }

  /** The game's entry of `/api/games`, with the cell names of the current rules. */
  get game() {
    return underRules(this.games.get(this.name), this.rules);
  }

  /** Whether the last position of the game is shown. */
  get atEnd() {
    return this.ply === this.moves.length;
  }

  /** Returns the query of the position at a ply. */
  query(ply = this.ply) {
    return { game: this.name, rules: this.rules, moves: this.moves.slice(0, ply) };
  }

  /** Returns a key that identifies a position among all games. */
  key(moves) {
    return JSON.stringify([this.name, this.rules, moves]);
  }

  /** Returns the side to move at a ply; sides alternate in all games. */
  sideAt(ply) {
    const other = { x: 'o', o: 'x' };
    return ply % 2 === 0 ? this.game.first : other[this.game.first];
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
    moves = [],
    ply = moves.length,
    run = null,
    tags = {},
    live = false,
  }) {
    if (!this.games.has(game)) throw new Error(`There is no game “${game}”.`);
    const asked = this.#leave();
    const end = await call('/api/position', { game, rules, moves });
    const isEnd = ply >= end.moves.length;
    const query = { game, rules, moves: end.moves.slice(0, ply) };
    const position = isEnd ? end : await call('/api/position', query);
    if (asked !== this.#asked) return;
    this.name = game;
    this.rules = this.differing(end.rules);
    Object.assign(this, { moves: end.moves, ply: position.ply, position, run, tags, live });
    for (const known of [end, position]) this.#keep(known);
    this.#changed();
  }

  // Invalidates earlier requests; returns a number that stays current until the next one.
  #leave() {
    this.dispatchEvent(new Event('leave'));
    this.#asked += 1;
    return this.#asked;
  }

  async #show(ply) {
    const asked = this.#leave();
    const position = await this.at(this.moves.slice(0, ply));
    if (asked !== this.#asked) return;
    Object.assign(this, { ply, position });
    this.#changed();
  }

  /** Goes to another position of the game; the game is no longer live. */
  async go(ply) {
    const there = Math.max(0, Math.min(ply, this.moves.length));
    if (there === this.ply) return;
    this.live = false;
    await this.#show(there);
  }

  /** Plays a turn in the position shown; if it differs from the next one, the rest is discarded. */
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
    const ply = position.moves.length;
    const goesOn = this.moves[ply - 1] === position.moves[ply - 1] && ply < this.moves.length;
    if (!goesOn) {
      this.moves = position.moves;
      this.run = null;
    }
    this.#keep(position);
    Object.assign(this, { ply, position, live: !goesOn });
    this.#changed();
  }

  /** Returns the position after some turns, from the cache or the server. */
  async at(moves) {
    const key = this.key(moves);
    if (!this.#positions.has(key)) {
      this.#keep(await call('/api/position', { game: this.name, rules: this.rules, moves }));
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

  /** Stores the value of a position by its key, for `side`; `proven` is from Black's side. */
  setValue(key, value, side, proven = null) {
    if (this.#values.get(key)?.over) return;
    this.#values.set(key, { ...fromBlack(value, side), proven });
    this.dispatchEvent(new Event('values'));
  }

  /** Returns the value of the position at a ply, or undefined. */
  valueAt(ply) {
    return this.#values.get(this.key(this.moves.slice(0, ply)));
  }
}
