// The analysis panel: requests the analysis of the position shown, lists it and draws it.

import { isAborted } from './api.js';
import { Candidates } from './candidates.js';
import { byId, element } from './dom.js';
import { heatOf, lineMarks, turnMarks } from './marks.js';
import { showFailure } from './message.js';
import { remember, remembered } from './settings.js';
import { strengthsOf } from './strength.js';
import { Analyser } from './thinker.js';
import { Variation } from './variation.js';

const EFFORTS = [100, 400, 1600, 6400];

/** What the panel says instead of an analysis. */
const WITHHELD =
  'Off while you play. After the game, or when you leave it for analysis, it is here.';
const QUIET = 'Off while you look for a better turn.';
const NOBODY =
  'No player here can analyse this game. Add a trained one with `serve --player RUN`.';

/**
 * Calls `onMarks()` when the marks on the board change, `onPlay(turn)` when a turn is chosen, and
 * `onLook(view)` when the board is to show a position of a line.
 */
export class Advice {
  #report = null;

  constructor(session, setup, { onPlay, onMarks, onLook }) {
    Object.assign(this, { session, setup, onMarks });
    this.analyser = new Analyser(session);
    this.variation = new Variation(session, this.analyser, { onPlay, onLook, onMarks });
    this.list = new Candidates({
      onPlay,
      onPreview: (turn) => this.variation.preview(turn),
      onSelect: (turn) => this.variation.select(turn),
    });
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
   * `withheld` tells that the game is played for real, where there is no analysis; `quiet` that the
   * person looks for a turn that the analysis would tell.
   */
  update({ waits = false, withheld = false, quiet = false } = {}) {
    const { player } = this;
    const on = byId('analysis').checked && player !== null && !withheld && !quiet;
    this.analyser.stop();
    this.#report = null;
    this.variation.clear();
    byId('analysis-body').hidden = !on;
    byId('analysis-switch').hidden = withheld || quiet;
    const isLeft = !withheld && document.activeElement === byId('analyse');
    byId('analyse').hidden = !withheld;
    if (isLeft) byId('analysis').focus();
    byId('judge').hidden = !player || withheld;
    byId('thinker').textContent = quiet ? QUIET : this.#remark(player, on, withheld);
    this.onMarks();
    if (!on) return;
    this.list.outdate();
    if (!waits) this.#ask(player);
  }

  #remark(player, on, withheld) {
    if (withheld) return WITHHELD;
    if (!player) return NOBODY;
    return on
      ? 'Score: what the side to move can expect. ' +
          'Bars: Black wins (dark), draw (grey), White wins (light).'
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
        this.list.show(report, player);
        this.variation.follow(report, player);
        this.onMarks();
      });
    } catch (error) {
      if (isAborted(error)) return;
      this.list.clear('');
      showFailure(error, () => this.#ask(player));
    }
  }

  /** What to draw over the board: `{heat, marks}`; `prefix` has the cells chosen so far. */
  picture({ points }, prefix) {
    const [report, { session }] = [this.#report, this];
    const { position, game } = session;
    if (!report?.turns) return { heat: new Map(), marks: [] };
    const { line } = this.variation;
    if (line) return { heat: new Map(), marks: lineMarks(points, game, position, line) };
    const strengths = strengthsOf(report);
    return {
      heat: heatOf(position, strengths, prefix),
      marks: turnMarks(points, session, strengths, prefix),
    };
  }
}
