// The board with what is drawn on it, and the steps of the turn that is being chosen.

import { Board } from './board.js';
import { byId, element } from './dom.js';
import { Steps } from './steps.js';

/** Above this number of targets, their marks are drawn faintly. */
const FAINT = 14;

/**
 * Calls `onTurn(turn)` when a turn was chosen, `onSteps()` when a step of it was; `overlays` are
 * functions of the points of the cells and the steps so far, which return marks: the first that
 * returns any is drawn.
 */
export class Table {
  constructor(session, opponent, { onTurn, onSteps }) {
    Object.assign(this, { session, opponent, onTurn, onSteps });
    this.steps = null;
    this.ahead = null;
    this.overlays = [];
    this.board = new Board(byId('board'), (cell) => this.#click(cell));
  }

  /** Draws the board the right way round, or turned by half a turn. */
  rotate(flipped) {
    this.board.set(this.session.game, flipped);
    this.draw();
  }

  /** Shows another position. */
  show(flipped) {
    const { session, board } = this;
    this.steps = new Steps(session.game, session.position);
    this.ahead = null;
    board.set(session.game, flipped);
  }

  get #isClosed() {
    return this.opponent.thinking || this.session.result !== null || this.ahead !== null;
  }

  #click(cell) {
    if (!this.steps || this.#isClosed) return;
    const turn = this.steps.choose(cell);
    if (turn) this.onTurn(turn);
    else this.draw();
  }

  /** Takes back a step of the turn. */
  stepBack() {
    if (this.steps?.back()) this.draw();
  }

  /** Shows a position of a line instead, `{position, told, marks}`, until it is null. */
  look(ahead) {
    if (ahead === this.ahead) return;
    this.ahead = ahead;
    this.draw();
  }

  #drawAhead({ squares, last, ending }) {
    const none = new Set();
    const decided = new Set(ending?.cells);
    this.board.draw({ squares, last: new Set(last), chosen: none, targets: none, decided });
    byId('special').replaceChildren();
    this.onSteps();
    this.drawMarks();
  }

  /** Draws the position with the steps chosen so far. */
  draw() {
    const { steps, session } = this;
    if (!steps) return;
    if (this.ahead) {
      this.#drawAhead(this.ahead.position);
      return;
    }
    const { squares } = steps.state;
    const targets = this.#isClosed ? new Set() : steps.options;
    const chosen = new Set(steps.chosen);
    if (steps.mover !== null && !this.#isClosed) chosen.add(steps.mover);
    this.board.draw({
      squares,
      targets,
      chosen,
      faint: targets.size > FAINT,
      last: new Set(steps.chosen.length === 0 ? session.position.last : []),
      decided: new Set(session.result?.cells),
    });
    this.#showSpecial();
    this.onSteps();
    this.drawMarks();
  }

  // Buttons for turns without a cell, such as pass, and for a complete turn that could continue.
  #showSpecial() {
    const { steps, session } = this;
    const bare = session.position.legal.filter(({ path }) => path.length === 0);
    const turns = [...bare.map(({ turn }) => turn), steps.complete].filter(Boolean);
    byId('special').replaceChildren(
      ...turns.map((turn) =>
        element(
          'button',
          { type: 'button', class: 'strong', onclick: () => this.onTurn(turn) },
          turn === 'pass' ? 'Pass' : `Play ${turn}`,
        ),
      ),
    );
  }

  /** Draws arrows, rings and the heat map. */
  drawMarks() {
    if (!this.steps) return;
    if (this.ahead) {
      this.board.drawHeat(new Map());
      this.board.drawMarks(this.ahead.marks(this.board.geometry.points));
      return;
    }
    const none = { heat: new Map(), marks: [] };
    const pictures = this.overlays.map((picture) =>
      picture(this.board.geometry, this.steps.chosen),
    );
    const { heat, marks } = pictures.find((picture) => picture.marks.length > 0) ?? none;
    this.board.drawHeat(heat);
    this.board.drawMarks(marks);
  }
}
