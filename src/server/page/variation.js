// Looks ahead along the line of a ranked turn, without playing it.

import { isAborted } from './api.js';
import { LineRow } from './line.js';
import { lineMarks } from './marks.js';
import { showFailure } from './message.js';
import { SIDES, fromBlack, percent, scoreOf } from './values.js';

/** Simulations of the preview of a turn in the list, and the delay before it, in milliseconds. */
const SIMULATIONS = 48;
const DELAY = 150;

/**
 * The line that the board shows: of the turn under the pointer or with the focus, or of the one
 * that was tapped. Calls `onMarks()` when the marks change, and `onLook(view)` with what the board shows
 * instead of the position, `{position, told, marks}` or null.
 */
export class Variation {
  #line = null;
  #selected = null;
  #report = null;
  #previews = 0;
  #steps = 0;

  constructor(session, analyser, { onPlay, onLook, onMarks }) {
    Object.assign(this, { session, analyser, onPlay, onLook, onMarks, at: 0 });
    this.row = new LineRow({
      onStep: (at) => this.#step(at),
      onPlay: () => this.#play(),
      onClose: () => this.select(null),
    });
  }

  /** The turns of the line, or null. */
  get line() {
    return this.#line;
  }

  /** Forgets the line, for another position. */
  clear() {
    this.#report = null;
    this.select(null);
  }

  /** Takes a new report of the position; `player` made it. */
  follow(report, player) {
    Object.assign(this, { player });
    this.#report = report;
    this.row.place(this.#selected);
  }

  /** Shows the line of a tapped turn, with buttons; with null or for the same turn none. */
  select(turn) {
    this.#selected = turn === this.#selected ? null : turn;
    // A step that is on its way comes too late.
    this.#steps += 1;
    this.#look(0, null);
    this.row.place(this.#selected);
    if (turn && turn === this.#line?.[0]) this.#draw(this.#line);
    this.preview(null);
    if (this.#selected) this.row.reveal();
  }

  /** Draws the line of a turn at once, and again when its principal variation is known. */
  async preview(previewed) {
    const turn = previewed ?? this.#selected;
    if (turn && turn === this.#line?.[0]) return;
    const preview = ++this.#previews;
    const report = this.#report;
    this.#draw(turn && (turn === report?.best ? report.pv : [turn]));
    if (!turn || turn === report?.best) return;
    await new Promise((resolve) => setTimeout(resolve, DELAY));
    if (preview !== this.#previews) return;
    try {
      const moves = [...this.#base, turn];
      const then = await this.analyser.analyse(this.player, moves, SIMULATIONS);
      if (preview !== this.#previews) return;
      this.#draw([turn, ...(then.pv ?? [])]);
    } catch {
      // A preview is optional: the turn itself stays drawn, and the error is not shown.
    }
  }

  get #base() {
    return this.session.moves.slice(0, this.session.ply);
  }

  #draw(line) {
    this.#line = line;
    if (line && line[0] === this.#selected) this.row.show(line, this.at);
    this.onMarks();
  }

  async #step(at) {
    const step = ++this.#steps;
    const line = this.#line;
    try {
      const moves = [...this.#base, ...line.slice(0, at)];
      const position = at === 0 ? null : await this.session.at(moves);
      if (step !== this.#steps) return;
      this.row.show(this.#line, at);
      this.#look(at, position);
    } catch (error) {
      if (!isAborted(error)) showFailure(error, () => this.#step(at));
    }
  }

  #look(at, position) {
    Object.assign(this, { at, position });
    const { game } = this.session;
    this.onLook(
      position && {
        position,
        told: this.#told(at, position),
        marks: (points) => lineMarks(points, game, position, this.#line.slice(at), at + 1),
      },
    );
  }

  // What the board shows: how far ahead, who is to move, and what the search expects of the line.
  #told(at, position) {
    const { turns, to_move: side } = this.#report;
    const next = position.outcome ? 'the end' : `${SIDES[position.to_move]} to move`;
    const value = turns.find(({ turn }) => turn === this.#line[0])?.value;
    const share = value && percent(scoreOf(fromBlack(value, side), side));
    const expected = value && `${share} for ${SIDES[side]}`;
    const ahead = `Ahead ${at} of ${this.#line.length}: ${this.#line[at - 1]}`;
    return [ahead, next, expected].filter(Boolean).join(' · ');
  }

  #play() {
    if (this.at > 1) this.session.accept(this.position);
    else this.onPlay(this.#line[0]);
  }
}
