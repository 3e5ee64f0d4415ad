// The panel of the review: a summary for each side, and the mistake at the position shown.

import { announce, byId, element } from './dom.js';
import { turnMark } from './marks.js';
import { showFailure } from './message.js';
import { pieceIcon } from './pieces.js';
import { Retry } from './retry.js';
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

// The better turn is told where it `isRevealed` only: the person may look for it.
function told({ turn, side, kind, cost, best, hoped, left }, isRevealed) {
  const who = SIDES[side];
  const fault = `${capital(kind.name)} by ${who}: ${turn} ${kind.mark} costs ${percent(cost)}.`;
  if (!isRevealed) return fault;
  const better = `${percent(hoped)} for ${who} instead of ${percent(left)}`;
  return `${fault} Better was ${best}, with ${better}.`;
}

function toldFirst({ turn, side, kind, cost }, ply) {
  const where = `turn ${ply}, ${turn} by ${SIDES[side]}`;
  return `First mistake: ${where}. This ${kind.name} costs ${percent(cost)}.`;
}

/** Runs and shows the review of a session; `advice` names the player that evaluates. */
export class ReviewPanel {
  #evaluating = null;
  #retry = null;

  constructor(session, advice, onChange) {
    Object.assign(this, { session, advice, onChange });
    this.review = new Review(session, advice.analyser);
    const on = (id, action) => byId(id).addEventListener('click', action);
    on('judge', () => this.run());
    on('fault-before', () => this.#step(-1));
    on('fault-after', () => this.#step(1));
    on('fault-first', () => this.#go(this.review.faults[0]));
    on('better', () => this.#showBetter());
    on('retry', () => this.#tryAgain());
    on('retry-end', () => this.#endRetry());
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
    this.#retry?.stop();
    this.#retry = null;
    this.review.clear();
  }

  #tell(progress) {
    byId('judge').textContent = progress ?? 'Evaluate game';
    byId('review').textContent = progress ?? 'Review';
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
        this.#tell(`Evaluating ${ply} of ${all} – stop`);
      });
    } catch (error) {
      showFailure(error, () => this.run());
    }
    this.#evaluating = null;
    this.#tell(null);
    this.onChange();
    if (request.signal.aborted) return;
    // The result, the mistakes and the board are at the top.
    if (!byId('play').hidden) scrollTo(0, 0);
    announce(`The game is evaluated. Mistakes: ${this.review.faults.length || 'none'}.`);
  }

  /** Shows the summary and the mistakes next to the position shown; nothing if `hidden`. */
  show(hidden) {
    const { review } = this;
    const summary = hidden ? null : review.summary;
    byId('review-panel').hidden = summary === null;
    byId('review').classList.toggle('strong', summary === null);
    if (!summary) return;
    byId('summary').replaceChildren(tableOf(summary));
    byId('review-by').textContent = `Each position ${review.by}.`;
    const { retry } = this;
    byId('retry-end').hidden = !retry;
    byId('review-title').textContent = retry ? 'Try again' : 'Review';
    if (retry) this.#showRetry(retry);
    else this.#showFaults();
  }

  #showFaults() {
    const { session, review } = this;
    const { faults } = review;
    const [done, next] = [this.#faultAt(session.ply), this.#faultAt(session.ply + 1)];
    const isNextTold = this.#isRevealed(session.ply + 1);
    // At the end of the game the first mistake is named, even if the last turn was one.
    const isEnd = session.ply === session.moves.length && faults[0] !== session.ply;
    const isFar = faults.length > 0 && !next && (!done || isEnd);
    const first = isFar && toldFirst(this.#faultAt(faults[0]), faults[0]);
    byId('fault-done').textContent = done ? told(done, this.#isRevealed(session.ply)) : '';
    byId('fault-next').textContent = next ? `Next: ${told(next, isNextTold)}` : first || '';
    if (faults.length === 0) byId('fault-next').textContent = 'No mistakes were found.';
    byId('fault-first').hidden = !isFar;
    byId('better').hidden = !done && (!next || isNextTold);
    byId('retry').hidden = faults.length === 0;
    byId('fault-before').disabled = !faults.some((ply) => ply < session.ply);
    byId('fault-after').disabled = !faults.some((ply) => ply > session.ply);
  }

  #showRetry(retry) {
    byId('fault-done').textContent = retry.told;
    byId('fault-next').textContent = '';
    byId('fault-first').hidden = true;
    byId('better').hidden = false;
    byId('retry').hidden = retry.verdict === null;
    for (const id of ['fault-before', 'fault-after']) byId(id).disabled = true;
  }

  #faultAt(ply) {
    const { moves } = this.session;
    return ply <= moves.length ? this.review.faultOf(moves.slice(0, ply)) : null;
  }

  #isRevealed(ply) {
    return this.review.isRevealed(this.session.moves.slice(0, ply));
  }

  /** The attempt at the position shown, or null; another position ends it. */
  get retry() {
    const { moves, ply } = this.session;
    if (this.#retry && !this.#retry.holds(moves.slice(0, ply))) {
      this.#retry.stop();
      this.#retry = null;
    }
    return this.#retry;
  }

  /** Whether the person looks for a turn: then nothing on the page is to tell it. */
  get isQuiet() {
    return !this.session.real && this.retry?.tried === null;
  }

  // The turns to the mistake that the buttons are about.
  get #subject() {
    if (this.retry) return this.retry.moves;
    const { moves, ply } = this.session;
    const at = [ply, ply + 1].find((near) => this.#faultAt(near)) ?? this.review.faults[0];
    return moves.slice(0, at);
  }

  // Shows the position `back` turns before the end of a line of the tree.
  async #visit(moves, back) {
    const node = this.session.tree.find(moves);
    if (!node) return;
    try {
      await this.session.visit(node);
      await this.session.go(moves.length - back);
    } catch (error) {
      showFailure(error, () => this.#visit(moves, back));
    }
  }

  // Begins an attempt at a mistake: at the position before it, without analysis.
  async #tryAgain() {
    const moves = this.#subject;
    const fault = this.review.faultOf(moves);
    this.#retry?.stop();
    this.#retry = null;
    await this.#visit(moves, 1);
    this.#retry = new Retry(moves, fault);
    this.session.dispatchEvent(new Event('mode'));
    byId('board').querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
  }

  #endRetry() {
    return this.#visit(this.#subject, 0);
  }

  // The position before the mistake, where an arrow shows the better turn.
  async #showBetter() {
    const moves = this.#subject;
    this.#retry?.stop();
    this.#retry = null;
    this.review.reveal(moves);
    await this.#visit(moves, 1);
    this.session.dispatchEvent(new Event('mode'));
  }

  /** Plays a turn of an attempt, and tells whether it is better than the mistake. */
  async attempt(turn) {
    const { retry } = this;
    retry.tried = turn;
    try {
      await this.session.play(turn);
    } catch (error) {
      retry.tried = null;
      throw error;
    }
    await this.#judge(retry);
  }

  async #judge(retry) {
    try {
      await retry.judge(this.advice.analyser, this.advice.player);
      if (retry.verdict !== 'same') this.review.reveal(retry.moves);
      if (this.retry === retry) this.onChange();
    } catch (error) {
      showFailure(error, () => this.#judge(retry));
    }
  }

  /** The mark of the better turn, where the next turn was a mistake and the person was told. */
  marks(points, prefix) {
    if (byId('review-panel').hidden || this.retry) return [];
    const { ply } = this.session;
    const fault = this.#isRevealed(ply + 1) ? this.#faultAt(ply + 1) : null;
    return fault ? turnMark(points, this.session, fault.best, prefix) : [];
  }
}
