// A mistake that is tried again: the person looks for a better turn, and the search compares it.

import { SIMULATIONS } from './review.js';
import { SIDES, fromBlack, ofOutcome, percent, scoreOf } from './values.js';

/** Scores that differ by less count as equal. */
const EQUAL = 0.05;

/** What the page tells of a turn that was tried. */
const VERDICTS = {
  same: 'That is the same turn',
  best: 'As good as the best',
  better: 'A better turn',
  worse: 'Not clearly better',
};

function verdictOf(turn, left, fault) {
  if (turn === fault.turn) return 'same';
  if (turn === fault.best || left >= fault.hoped - EQUAL) return 'best';
  return left > fault.left + EQUAL ? 'better' : 'worse';
}

/** An attempt at the position before a mistake: the last of `moves`, `fault` in the review. */
export class Retry {
  #request = new AbortController();

  constructor(moves, fault) {
    Object.assign(this, { moves, fault, tried: null, verdict: null, left: null });
    this.before = moves.slice(0, -1);
  }

  /** Whether a position is the one before the mistake, or the one after the turn tried. */
  holds(moves) {
    const { before, tried } = this;
    const isBegun = before.every((turn, ply) => moves[ply] === turn);
    const [turn, ...more] = moves.slice(before.length);
    return isBegun && more.length === 0 && (turn ?? null) === tried;
  }

  /** Ends the attempt. */
  stop() {
    this.#request.abort();
  }

  /** Compares the turn tried with the mistake and the best turn, by a search after it. */
  async judge(analyser, player) {
    const { tried: turn } = this;
    const { side } = this.fault;
    const moves = [...this.before, turn];
    const after = await analyser.analyse(player, moves, SIMULATIONS, this.#request.signal);
    const end = after.outcome ? ofOutcome(after.outcome) : fromBlack(after.value, after.to_move);
    // For the best turn and the mistake the review has told numbers already.
    const known = { [this.fault.best]: this.fault.hoped, [this.fault.turn]: this.fault.left };
    this.left = known[turn] ?? scoreOf(end, side);
    this.verdict = verdictOf(turn, this.left, this.fault);
  }

  /** What the person is told. */
  get told() {
    const { fault, tried, verdict, left } = this;
    const who = SIDES[fault.side];
    if (tried === null) return `Find a better turn for ${who} than ${fault.turn}.`;
    if (verdict === null) return `Comparing ${tried} with ${fault.turn} …`;
    const mistake = `${percent(fault.left)} with ${fault.turn}`;
    if (verdict === 'same') return `${VERDICTS.same}: ${mistake} for ${who}.`;
    const best = verdict === 'best' ? '' : `; the best turn has ${percent(fault.hoped)}`;
    const found = `${tried} has ${percent(left)} for ${who}`;
    return `${VERDICTS[verdict]}: ${found}, instead of ${mistake}${best}.`;
  }
}
