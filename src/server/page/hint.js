// A hint: one good turn for the person to move, drawn on the board.

import { isAborted } from './api.js';
import { announce, byId } from './dom.js';
import { turnMark } from './marks.js';
import { showFailure } from './message.js';
import { SIDES, bySearch, fromBlack, percent, scoreOf } from './values.js';

const SIMULATIONS = 200;

/** The button `Hint`. Calls `onMarks()` when the marks on the board change. */
export class Hint {
  #request = null;
  #found = null;

  constructor(session, advice, onMarks) {
    Object.assign(this, { session, advice, onMarks });
    byId('hint').addEventListener('click', () => this.ask());
  }

  /** Forgets the hint; `offered` tells whether one can be asked for. */
  update(offered) {
    this.#request?.abort();
    this.#request = null;
    this.#found = null;
    byId('hint').hidden = !offered || !this.advice.player;
    byId('hint').disabled = false;
    byId('hint-text').textContent = '';
  }

  /** Asks for a hint, if that is possible now. */
  async ask() {
    if (byId('hint').hidden || byId('hint').disabled) return;
    const request = new AbortController();
    this.#request = request;
    byId('hint').disabled = true;
    byId('hint-text').textContent = 'Looking for a good turn …';
    try {
      const { session, advice } = this;
      const moves = session.moves.slice(0, session.ply);
      const { player, analyser } = advice;
      const report = await analyser.analyse(player, moves, SIMULATIONS, request.signal);
      if (request === this.#request) this.#show(report, player);
    } catch (error) {
      if (isAborted(error) || request !== this.#request) return;
      this.update(true);
      showFailure(error, () => this.ask());
    }
  }

  #show(report, player) {
    const side = report.to_move;
    const share = percent(scoreOf(fromBlack(report.value, side), side));
    const by = bySearch(player, report.simulations);
    const text = `Hint: ${report.best}. Then ${SIDES[side]} can expect ${share} (${by}).`;
    this.#found = report.best;
    byId('hint').disabled = false;
    byId('hint-text').textContent = text;
    announce(text);
    this.onMarks();
  }

  /** The marks of the hint; `prefix` has the cells chosen so far. */
  marks(points, prefix) {
    return this.#found ? turnMark(points, this.session, this.#found, prefix) : [];
  }
}
