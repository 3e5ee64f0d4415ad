// Requests analyses of positions and caches them.

import { call } from './api.js';
import { bySearch, exactFor, provenFor } from './values.js';

/** Simulations of the first, quick answer. */
const QUICK = 32;

/** Size of the cache of reports. */
const KEPT = 500;

/** Requests analyses of positions of a session, and stores their values in the session. */
export class Analyser {
  #kept = new Map();
  #request = null;

  constructor(session) {
    this.session = session;
  }

  /** Aborts the pending request. */
  stop() {
    this.#request?.abort();
    this.#request = null;
  }

  /** Analyses the position shown; calls `found(report)` after a quick and after a full search. */
  async analyseShown(player, simulations, found) {
    this.stop();
    const request = new AbortController();
    this.#request = request;
    const { session } = this;
    const moves = session.moves.slice(0, session.ply);
    const efforts = this.#knows(player, moves, simulations)
      ? [simulations]
      : [Math.min(QUICK, simulations), simulations];
    for (const effort of new Set(efforts)) {
      const report = await this.analyse(player, moves, effort, request.signal);
      if (request !== this.#request) return;
      found(report);
    }
    this.#request = null;
  }

  #name(player, moves, simulations) {
    return `${player.name} ${simulations} ${this.session.key(moves)}`;
  }

  #knows(player, moves, simulations) {
    return this.#kept.has(this.#name(player, moves, simulations));
  }

  /** Returns a player's analysis of the position after some turns. */
  async analyse(player, moves, simulations, signal) {
    const name = this.#name(player, moves, simulations);
    if (this.#kept.has(name)) return this.#kept.get(name);
    const { session } = this;
    const key = session.key(moves);
    const query = { ...session.queryOf(moves), player: player.name, simulations };
    const report = await call('/api/analysis', query, signal);
    if (this.#kept.size >= KEPT) this.#kept.clear();
    this.#kept.set(name, report);
    if (report.value) {
      const { value, to_move: side, proven, exact } = report;
      const winner = exact ? exactFor(exact, side).winner : provenFor(proven, side);
      session.setValue(key, value, side, bySearch(player, report.simulations), winner);
    }
    return report;
  }
}
