// The play view: connects the game, the players and the panels.

import { Advice } from './advice.js';
import { Board } from './board.js';
import { byId, element } from './dom.js';
import { Graph } from './graph.js';
import { startKeys } from './keys.js';
import { sessionLink } from './link.js';
import { showFailure, showNote } from './message.js';
import { Opponent } from './opponent.js';
import { startRecords } from './records.js';
import { loadRunValues } from './run_games.js';
import { Session } from './session.js';
import { Setup } from './setup.js';
import { announcePosition, showHand, showStatus } from './status.js';
import { Steps } from './steps.js';
import { showTurns } from './turns.js';

/** Above this number of targets, their marks are drawn faintly. */
const FAINT = 14;

/** Calls `onNavigate(link, isNew)` when the address changes; `isNew` for another game. */
export class PlayView {
  constructor(games, players, onNavigate) {
    this.onNavigate = onNavigate;
    this.flipped = false;
    this.session = new Session(games);
    this.setup = new Setup(games, players, (what) => this.#chosen(what));
    this.board = new Board(byId('board'), (cell) => this.#click(cell));
    this.opponent = new Opponent(
      this.session,
      () => this.setup.computer,
      (...failure) => this.#noReply(...failure),
    );
    this.graph = new Graph((ply) => this.#go(ply));
    byId('graph').append(this.graph.node);
    this.advice = new Advice(this.session, this.setup, {
      onPlay: (turn) => this.#play(turn),
      onMarks: () => this.#drawMarks(),
    });
    this.session.addEventListener('change', () => this.#show());
    this.session.addEventListener('values', () => this.#showCourse());
    this.session.addEventListener('go', ({ detail }) => this.#go(detail));
    this.opponent.addEventListener('thinking', () => this.#drawSteps());
    startRecords(this.session, (record) =>
      this.open({ ...record, ply: record.moves.length }, true),
    );
    this.#buttons();
  }

  #buttons() {
    const { session } = this;
    const actions = {
      first: () => this.#go(0),
      last: () => this.#go(session.moves.length),
      previous: () => this.#go(session.ply - 1),
      next: () => this.#go(session.ply + 1),
      undo: () => this.#undo(),
      redo: () => this.#redo(),
      flip: () => this.#flip(),
      new: () => this.#newGame({}),
    };
    for (const [id, action] of Object.entries(actions)) byId(id).addEventListener('click', action);
    byId('share').addEventListener('click', () => this.#share());
    const visible = (action) => () => {
      if (!byId('play').hidden) action();
    };
    const keys = {
      ArrowLeft: actions.previous,
      ArrowRight: actions.next,
      Home: actions.first,
      End: actions.last,
      u: actions.undo,
      r: actions.redo,
      f: actions.flip,
      n: actions.new,
      a: () => byId('analysis').click(),
      Escape: () => this.#stepBack(),
    };
    startKeys(
      Object.fromEntries(Object.entries(keys).map(([key, action]) => [key, visible(action)])),
    );
  }

  // Runs an action that asks the server; shows an error, with a button to try again.
  async #try(action) {
    try {
      await action();
    } catch (error) {
      showFailure(error, () => this.#try(action));
    }
  }

  /** Opens a game. */
  async open(link, isNew = false) {
    this.isNew = isNew;
    try {
      await this.session.open(link);
    } finally {
      this.isNew = false;
    }
    if (link.run && this.session.run === link.run) await loadRunValues(this.session);
  }

  /** Opens the game of a link. If a turn is illegal, shows the position before it and an error. */
  openLink(link) {
    return this.#try(async () => {
      try {
        await this.open({ ...link, live: link.moves.length === 0 });
      } catch (error) {
        if (!Number.isInteger(error.at)) throw error;
        await this.open({ ...link, moves: link.moves.slice(0, error.at), ply: undefined });
        showFailure(
          new Error(
            `Turn ${error.at + 1} of this link cannot be played: ${error.message}. The position before it is shown.`,
          ),
        );
      }
    });
  }

  #newGame({
    game = this.session.name,
    rules = game === this.session.name ? this.session.rules : {},
  }) {
    return this.#try(() => this.open({ game, rules, live: true }, true));
  }

  #chosen(what) {
    if (what === 'game') this.#newGame({ game: this.setup.chosenGame });
    else if (what === 'rules')
      this.#newGame({ rules: this.session.differing(this.setup.typedRules) });
    else {
      if (this.session.atEnd) this.session.live = true;
      this.#update();
      this.#drawSteps();
    }
  }

  #go(ply) {
    return this.#try(() => this.session.go(ply));
  }

  // Goes back to the last position in which the user is to move.
  #undo() {
    const own = (ply) => !this.setup.computer.sides.includes(this.session.sideAt(ply));
    let ply = this.session.ply - 1;
    while (ply > 0 && !own(ply)) ply -= 1;
    return this.#go(own(ply) ? ply : this.session.ply - 1);
  }

  #redo() {
    const own = (ply) => !this.setup.computer.sides.includes(this.session.sideAt(ply));
    let ply = this.session.ply + 1;
    while (ply < this.session.moves.length && !own(ply)) ply += 1;
    return this.#go(ply);
  }

  #flip() {
    if (this.session.game.drop) return;
    this.flipped = !this.flipped;
    this.board.set(this.session.game, this.flipped);
    this.#drawSteps();
  }

  async #share() {
    try {
      await navigator.clipboard.writeText(location.href);
      showNote('Link copied. It contains the whole game.');
    } catch {
      showFailure(
        new Error(
          'The browser denied access to the clipboard. Copy the address of this page instead.',
        ),
      );
    }
  }

  #click(cell) {
    if (!this.steps || this.opponent.thinking) return;
    const turn = this.steps.choose(cell);
    if (turn) this.#play(turn);
    else this.#drawSteps();
  }

  #stepBack() {
    if (this.steps?.back()) this.#drawSteps();
  }

  #play(turn) {
    return this.#try(() => this.session.play(turn));
  }

  #show() {
    const { session, isNew } = this;
    this.setup.show(session.game, session.rules);
    this.board.set(session.game, this.flipped && !session.game.drop);
    this.steps = new Steps(session.game, session.position);
    this.onNavigate(sessionLink(session), isNew);
    announcePosition(session);
    showHand(session.position);
    this.#showControls();
    this.#showCourse();
    this.#update();
    this.#drawSteps();
  }

  // Delays the analysis while the computer's reply is pending, which will change the position.
  #update() {
    this.opponent.update();
    this.advice.update(this.opponent.thinking);
  }

  #noReply(error, again) {
    this.advice.update();
    showFailure(error, again);
  }

  #showControls() {
    const { ply, moves, game, tags } = this.session;
    for (const id of ['first', 'previous', 'undo']) byId(id).disabled = ply === 0;
    for (const id of ['next', 'last', 'redo']) byId(id).disabled = ply === moves.length;
    byId('ply').textContent = `${ply} / ${moves.length}`;
    byId('flip').disabled = game.drop;
    const told = Object.entries(tags)
      .map(([key, value]) => `${key}: ${value}`)
      .join(' · ');
    byId('tags').textContent = told;
    byId('tags').hidden = told === '';
  }

  #showCourse() {
    showTurns(this.session);
    this.graph.show(this.session);
  }

  #showStatus() {
    showStatus({
      session: this.session,
      steps: this.steps,
      opponent: this.opponent,
      computer: this.setup.computer,
      onResume: () => {
        this.session.live = true;
        this.#update();
      },
    });
  }

  #drawSteps() {
    const { steps, session } = this;
    if (!steps) return;
    const { squares } = steps.state;
    const waits = this.opponent.thinking;
    const targets = waits ? new Set() : steps.options;
    const chosen = new Set(steps.chosen);
    if (steps.mover !== null && !waits) chosen.add(steps.mover);
    this.board.draw({
      squares,
      targets,
      chosen,
      faint: targets.size > FAINT,
      last: new Set(steps.chosen.length === 0 ? session.position.last : []),
    });
    this.#showStatus();
    this.#showSpecial();
    this.#drawMarks();
  }

  // Buttons for turns without a cell, such as pass, and for a complete turn that could continue.
  #showSpecial() {
    const { steps, session } = this;
    const bare = session.position.legal
      .filter(({ path }) => path.length === 0)
      .map(({ turn }) => turn);
    const turns = steps.complete ? [...bare, steps.complete] : bare;
    byId('special').replaceChildren(
      ...turns.map((turn) =>
        element(
          'button',
          {
            type: 'button',
            class: 'strong',
            onclick: () => this.#play(turn),
          },
          turn === 'pass' ? 'Pass' : `Play ${turn}`,
        ),
      ),
    );
  }

  #drawMarks() {
    if (!this.steps) return;
    const { heat, marks } = this.advice.picture(this.board.geometry, this.steps.chosen);
    this.board.drawHeat(heat);
    this.board.drawMarks(marks);
  }
}
