// The analysis panel: requests the analysis of the position shown, lists it and draws it.

import { isAborted } from './api.js';
import { Candidates } from './candidates.js';
import { byId, element } from './dom.js';
import { heatOf, lineMarks, turnMarks } from './marks.js';
import { showFailure } from './message.js';
import { remember, remembered } from './settings.js';
import { Analyser } from './thinker.js';

const EFFORTS = [100, 400, 1600, 6400];
/** Simulations of the preview of a turn in the list, and the delay before it, in milliseconds. */
const PREVIEW_SIMULATIONS = 48;
const PREVIEW_DELAY = 150;

/** What the panel says instead of an analysis. */
const WITHHELD =
  'Off while you play. After the game, or when you leave it for analysis, it is here.';
const NOBODY =
  'No player here can analyse this game. Add a trained one with `serve --player RUN`.';

/** Calls `onMarks()` when the marks on the board change, `onPlay(turn)` when a turn is chosen. */
export class Advice {
  #report = null;
  #line = null;
  #previews = 0;

  constructor(session, setup, { onPlay, onMarks }) {
    Object.assign(this, { session, setup, onMarks });
    this.analyser = new Analyser(session);
    this.list = new Candidates({ onPlay, onPreview: (turn) => this.#preview(turn) });
    byId('effort').append(
      ...EFFORTS.map((effort) => element('option', { value: effort }, String(effort))),
    );
    byId('effort').value = remembered('effort', '400');
    byId('analysis').checked = remembered('analysis', 'on') === 'on';
    byId('analysis').addEventListener('change', () => {
      remember('analysis', byId('analysis').checked ? 'on' : 'off');
      this.update();
    });
    byId('effort').addEventListener('change', () => {
      remember('effort', byId('effort').value);
      this.update();
    });
  }

  /** The player that analyses: the chosen one if it can, otherwise the first that can; or null. */
  get player() {
    const { game, rules } = this.session;
    const able = this.setup.playersOf(game, rules).filter(({ thinks }) => thinks);
    return able.find(({ name }) => name === this.setup.player?.name) ?? able[0] ?? null;
  }

  /**
   * Analyses the position shown if that is switched on; with `waits` not before the next call.
   * `withheld` tells that the game is played for real, where there is no analysis.
   */
  update({ waits = false, withheld = false } = {}) {
    const { player } = this;
    const on = byId('analysis').checked && player !== null && !withheld;
    this.analyser.stop();
    this.#report = null;
    this.#line = null;
    this.#previews += 1;
    byId('analysis-body').hidden = !on;
    byId('analysis-switch').hidden = withheld;
    const isLeft = !withheld && document.activeElement === byId('analyse');
    byId('analyse').hidden = !withheld;
    if (isLeft) byId('analysis').focus();
    byId('judge').hidden = !player || withheld;
    byId('thinker').textContent = this.#remark(player, on, withheld);
    this.onMarks();
    if (!on) return;
    this.list.outdate();
    if (!waits) this.#ask(player);
  }

  #remark(player, on, withheld) {
    if (withheld) return WITHHELD;
    if (!player) return NOBODY;
    return on
      ? `Analysis by ${player.title}. Bars: Black wins (dark), draw (grey), White wins (light).`
      : '';
  }

  async #ask(player) {
    const { position } = this.session;
    if (position.outcome) {
      this.list.clear('The game is over.');
      return;
    }
    try {
      await this.analyser.analyseShown(player, Number(byId('effort').value), (report) => {
        if (position !== this.session.position) return;
        this.#report = report;
        this.list.show(report);
        this.onMarks();
      });
    } catch (error) {
      if (isAborted(error)) return;
      this.list.clear('');
      showFailure(error, () => this.#ask(player));
    }
  }

  // Draws the previewed turn at once, and its principal variation when the server has answered.
  async #preview(turn) {
    const preview = ++this.#previews;
    const report = this.#report;
    this.#line = turn && (turn === report?.best ? report.pv : [turn]);
    this.onMarks();
    if (!turn || turn === report?.best) return;
    await new Promise((resolve) => setTimeout(resolve, PREVIEW_DELAY));
    if (preview !== this.#previews) return;
    try {
      const moves = [...this.session.moves.slice(0, this.session.ply), turn];
      const then = await this.analyser.analyse(this.player, moves, PREVIEW_SIMULATIONS);
      if (preview !== this.#previews) return;
      this.#line = [turn, ...(then.pv ?? [])];
      this.onMarks();
    } catch {
      // A preview is optional: the turn itself stays drawn, and the error is not shown.
    }
  }

  /** What to draw over the board: `{heat, marks}`; `prefix` has the cells chosen so far. */
  picture(geometry, prefix) {
    const [report, { position, game }] = [this.#report, this.session];
    if (!report?.turns) return { heat: new Map(), marks: [] };
    if (this.#line)
      return { heat: new Map(), marks: lineMarks(geometry.points, game, position, this.#line) };
    return {
      heat: heatOf(position, report.turns, prefix),
      marks: turnMarks(geometry.points, this.session, report.turns, prefix),
    };
  }
}
