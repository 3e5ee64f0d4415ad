// The panel of the review: a summary for each side, and the mistake at the position shown.

import { announce, byId, element } from './dom.js';
import { turnMarks } from './marks.js';
import { showFailure } from './message.js';
import { pieceIcon } from './pieces.js';
import { KINDS, Review } from './review.js';
import { SIDES, percent } from './values.js';

function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function tableOf(summary) {
  const head = ['', ...KINDS.map(({ plural }) => plural).reverse(), 'Mean cost'];
  const rows = Object.entries(summary).map(([side, { counts, mean }]) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, pieceIcon(side), SIDES[side]),
      ...counts.toReversed().map((count) => element('td', {}, String(count))),
      element('td', {}, percent(mean)),
    ),
  );
  return element(
    'table',
    { class: 'summary' },
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        ...head.map((text) => element(text ? 'th' : 'td', text && { scope: 'col' }, text)),
      ),
    ),
    element('tbody', {}, ...rows),
  );
}

/** Runs and shows the review of a session; `advice` names the player that evaluates. */
export class ReviewPanel {
  #evaluating = null;

  constructor(session, advice, onChange) {
    Object.assign(this, { session, advice, onChange });
    this.review = new Review(session, advice.analyser);
    byId('judge').addEventListener('click', () => this.run());
    byId('fault-before').addEventListener('click', () => this.#step(-1));
    byId('fault-after').addEventListener('click', () => this.#step(1));
    byId('better').addEventListener('click', () => this.#go(session.ply - 1));
  }

  #go(ply) {
    this.session.dispatchEvent(new CustomEvent('go', { detail: ply }));
  }

  // Goes to the next mistake in a direction.
  #step(direction) {
    const { ply } = this.session;
    const ahead = this.review.faults.filter((fault) => direction * (fault - ply) > 0);
    const next = direction > 0 ? ahead[0] : ahead.at(-1);
    if (next !== undefined) this.#go(next);
  }

  /** Forgets the review, for another game. */
  clear() {
    this.#evaluating?.abort();
    this.review.clear();
  }

  /** Evaluates the game, or stops that. */
  async run() {
    if (this.#evaluating) {
      this.#evaluating.abort();
      return;
    }
    const request = new AbortController();
    this.#evaluating = request;
    try {
      await this.review.run(this.advice.player, request.signal, (ply, all) => {
        byId('judge').textContent = `Evaluating ${ply} of ${all} – stop`;
      });
    } catch (error) {
      showFailure(error, () => this.run());
    }
    this.#evaluating = null;
    byId('judge').textContent = 'Evaluate game';
    this.onChange();
    const count = this.review.faults.length;
    if (!request.signal.aborted) announce(`The game is evaluated. Mistakes: ${count || 'none'}.`);
  }

  /** Shows the summary and the mistakes next to the position shown; nothing if `hidden`. */
  show(hidden) {
    const { session, review } = this;
    const summary = hidden ? null : review.summary;
    byId('review-panel').hidden = summary === null;
    if (!summary) return;
    byId('summary').replaceChildren(tableOf(summary));
    const done = this.#faultAt(session.ply);
    const next = this.#faultAt(session.ply + 1);
    byId('fault-done').textContent = done ? this.#told(done) : '';
    byId('fault-next').textContent = next ? `Next: ${this.#told(next)}` : '';
    byId('better').hidden = !done;
    byId('fault-before').disabled = !review.faults.some((ply) => ply < session.ply);
    byId('fault-after').disabled = !review.faults.some((ply) => ply > session.ply);
  }

  #faultAt(ply) {
    const { moves } = this.session;
    return ply <= moves.length ? this.review.faultOf(moves.slice(0, ply)) : null;
  }

  #told({ turn, side, kind, cost, best, hoped, left }) {
    const who = SIDES[side];
    return (
      `${capital(kind.name)} by ${who}: ${turn} costs ${percent(cost)}. ` +
      `Better was ${best}, with ${percent(hoped)} for ${who} instead of ${percent(left)}.`
    );
  }

  /** The mark of the better turn, where the next turn was a mistake. */
  marks(points, prefix) {
    const fault = byId('review-panel').hidden ? null : this.#faultAt(this.session.ply + 1);
    if (!fault) return [];
    return turnMarks(points, this.session, [{ turn: fault.best, visits: 1 }], prefix);
  }
}
