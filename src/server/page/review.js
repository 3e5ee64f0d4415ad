// The review of a game: what each turn cost, by a search of every position.

import { bySearch, fromBlack, ofOutcome, scoreOf } from './values.js';

/** Simulations for each position. */
export const SIMULATIONS = 64;

/** Kinds of mistakes, the worst first: `from` is the least cost in expected score. */
export const KINDS = [
  { name: 'blunder', plural: 'Blunders', mark: '??', from: 0.3 },
  { name: 'mistake', plural: 'Mistakes', mark: '?', from: 0.2 },
  { name: 'inaccuracy', plural: 'Inaccuracies', mark: '?!', from: 0.1 },
];

/** What the turns of a session cost. */
export class Review {
  #costs = new Map();
  #line = [];
  #revealed = new Set();

  constructor(session, analyser) {
    Object.assign(this, { session, analyser, by: '' });
  }

  /** Forgets everything, for another game. */
  clear() {
    this.#costs.clear();
    this.#revealed.clear();
    this.#line = [];
  }

  /**
   * Analyses every position of the line shown, one after the other, and compares each turn with the
   * best one that the search found.
   */
  async run(player, signal, progress) {
    const moves = [...this.session.moves];
    this.#line = moves;
    this.by = bySearch(player, SIMULATIONS);
    let before = null;
    for (let ply = 0; ply <= moves.length && !signal.aborted; ply += 1) {
      progress(ply, moves.length);
      const line = moves.slice(0, ply);
      const report = await this.analyser.analyse(player, line, SIMULATIONS, signal);
      if (before) this.#compare(line, before, report);
      before = report;
    }
  }

  // Compares the last turn of a line with the best one, by the reports before and after it.
  #compare(line, before, after) {
    const { best, to_move: side, turns } = before;
    const turn = line.at(-1);
    const found = turns.find((candidate) => candidate.turn === best)?.value ?? before.value;
    const hoped = scoreOf(fromBlack(found, side), side);
    const end = after.outcome ? ofOutcome(after.outcome) : fromBlack(after.value, after.to_move);
    const left = scoreOf(end, side);
    const cost = turn === best ? 0 : Math.max(0, hoped - left);
    const kind = KINDS.find(({ from }) => cost >= from) ?? null;
    this.#costs.set(this.session.key(line), { turn, side, cost, kind, best, hoped, left });
  }

  /** Returns `{turn, side, cost, kind, best, hoped, left}` of the last of some turns, or null. */
  costOf(moves) {
    return this.#costs.get(this.session.key(moves)) ?? null;
  }

  /** Returns the same if the turn was a mistake, or null. */
  faultOf(moves) {
    const cost = this.costOf(moves);
    return cost?.kind ? cost : null;
  }

  /** Notes that the person is told the better turn of the mistake after some turns. */
  reveal(moves) {
    this.#revealed.add(this.session.key(moves));
  }

  /** Whether the person was told the better turn of the mistake after some turns. */
  isRevealed(moves) {
    return this.#revealed.has(this.session.key(moves));
  }

  /** Returns the plies of the line shown after which there was a mistake. */
  get faults() {
    const { moves } = this.session;
    const plies = [...Array(moves.length + 1).keys()];
    return plies.filter((ply) => this.faultOf(moves.slice(0, ply)));
  }

  /** Returns for each side of the reviewed line its mistakes by kind and the mean cost, or null. */
  get summary() {
    const lines = this.#line.map((_, ply) => this.#line.slice(0, ply + 1));
    const all = lines.map((moves) => this.costOf(moves)).filter(Boolean);
    if (all.length === 0) return null;
    const of = (side) => {
      const own = all.filter((cost) => cost.side === side);
      const counts = KINDS.map((kind) => own.filter((cost) => cost.kind === kind).length);
      const mean = own.reduce((sum, { cost }) => sum + cost, 0) / Math.max(own.length, 1);
      return { counts, mean };
    };
    return { x: of('x'), o: of('o') };
  }
}
