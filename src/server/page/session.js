// The game on the board: its turns, and which of its positions is shown.

import { call } from './api.js';
import { underRules } from './notation.js';
import { fromBlack, ofOutcome } from './values.js';

/** How many positions are kept, so that stepping through a game asks the server once. */
const KEPT = 2000;

/**
 * Tells of `leave` when another position is asked for, of `change` when it is shown or the turns are
 * others, and of `values` when a position's value became known. `live` says that the game is being played, so that players without
 * hands move by themselves; one that was opened or stepped back in is only looked at.
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

  /** What the server tells of the game, with the names of cells that its rules have. */
  get game() {
    return underRules(this.games.get(this.name), this.rules);
  }

  /** Whether the last position of the game is shown. */
  get atEnd() {
    return this.ply === this.moves.length;
  }

  /** The position that a request is about. */
  query(ply = this.ply) {
    return { game: this.name, rules: this.rules, moves: this.moves.slice(0, ply) };
  }

  /** Names a position of this game among all. */
  key(moves) {
    return JSON.stringify([this.name, this.rules, moves]);
  }

  /** Whose turn it is after so many turns, by the alternation that all games have. */
  sideAt(ply) {
    const other = { x: 'o', o: 'x' };
    return ply % 2 === 0 ? this.game.first : other[this.game.first];
  }

  /** Options of the rules that differ from those of the game. */
  differing(rules) {
    const own = this.game.rules;
    return Object.fromEntries(Object.entries(rules).filter(([key, value]) => own[key] !== value));
  }

  /** Shows a game. Throws what the server says of it, with `at` for a bad turn; all stays then. */
  async open({
    game,
    rules = {},
    moves = [],
    ply = moves.length,
    run = null,
    tags = {},
    live = false,
  }) {
    if (!this.games.has(game)) throw new Error(`There is no game “${game}” here.`);
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

  // What was asked before is no longer wanted; gives a number to tell by whether that goes for this.
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

  /** Goes to another position to look at it; whoever has no hands waits. */
  async go(ply) {
    const there = Math.max(0, Math.min(ply, this.moves.length));
    if (there === this.ply) return;
    this.live = false;
    await this.#show(there);
  }

  /** Plays a turn in the position shown; turns that followed there are gone, unless it is the same. */
  async play(turn) {
    const moves = [...this.moves.slice(0, this.ply), turn];
    const asked = this.#leave();
    const position = await this.at(moves);
    if (asked !== this.#asked) return;
    this.accept(position);
  }

  /** Takes over a position that follows the one shown, such as a player's reply. */
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

  /** The position after some turns, asked for if it was not yet. */
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

  /** Remembers what someone thinks of a position by its key, for `side`; `proven` as Black sees it. */
  learn(key, value, side, proven = null) {
    if (this.#values.get(key)?.over) return;
    this.#values.set(key, { ...fromBlack(value, side), proven });
    this.dispatchEvent(new Event('values'));
  }

  /** What is known of the position after so many turns of the game, or undefined. */
  valueAt(ply) {
    return this.#values.get(this.key(this.moves.slice(0, ply)));
  }
}
