// What a player thinks of positions: asked for, and kept.

import { call } from './api.js';
import { provenFor } from './values.js';

/** Simulations of a first, quick answer, and of the judgement of a whole game. */
const QUICK = 32;
const JUDGED = 64;
const KEPT = 500;

/** Asks a player about positions of a session; values go to the session. */
export class Thinker {
  #kept = new Map();
  #request = null;

  constructor(session) {
    this.session = session;
  }

  /** Gives up what is under way. */
  stop() {
    this.#request?.abort();
    this.#request = null;
  }

  /** Tells `found(thought)` what a player thinks of the position shown, first quickly, then well. */
  async ask(player, simulations, found) {
    this.stop();
    const request = new AbortController();
    this.#request = request;
    const { session } = this;
    const moves = session.moves.slice(0, session.ply);
    const efforts = this.#knows(player, moves, simulations)
      ? [simulations]
      : [Math.min(QUICK, simulations), simulations];
    for (const effort of new Set(efforts)) {
      const thought = await this.think(player, moves, effort, request.signal);
      if (request !== this.#request) return;
      found(thought);
    }
    this.#request = null;
  }

  #name(player, moves, simulations) {
    return `${player.name} ${simulations} ${this.session.key(moves)}`;
  }

  #knows(player, moves, simulations) {
    return this.#kept.has(this.#name(player, moves, simulations));
  }

  /** What a player thinks of the position after some turns. */
  async think(player, moves, simulations, signal) {
    const name = this.#name(player, moves, simulations);
    if (this.#kept.has(name)) return this.#kept.get(name);
    const { session } = this;
    const key = session.key(moves);
    const query = {
      game: session.name,
      rules: session.rules,
      moves,
      player: player.name,
      simulations,
    };
    const thought = await call('/api/analysis', query, signal);
    if (this.#kept.size >= KEPT) this.#kept.clear();
    this.#kept.set(name, thought);
    if (thought.value) {
      const { value, to_move: side, proven } = thought;
      session.learn(key, value, side, provenFor(proven, side));
    }
    return thought;
  }

  /** Asks about every position of the game without a value, one after the other. */
  async judge(player, signal, progress) {
    const { session } = this;
    const moves = [...session.moves];
    for (let ply = 0; ply <= moves.length && !signal.aborted; ply += 1) {
      progress(ply, moves.length);
      if (session.valueAt(ply) === undefined)
        await this.think(player, moves.slice(0, ply), JUDGED, signal);
    }
  }
}
