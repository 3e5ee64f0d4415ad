// The play view: connects the game, the players and the panels.

import { Advice } from './advice.js';
import { Clock } from './clock.js';
import { showControls, startControls } from './controls.js';
import { byId } from './dom.js';
import { Editor } from './editor.js';
import { Graph } from './graph.js';
import { Hint } from './hint.js';
import { keepGame, keptGame } from './kept_game.js';
import { askToLeave } from './leave.js';
import { sessionLink } from './link.js';
import { showFailure, showNote } from './message.js';
import { Opponent } from './opponent.js';
import { Orientation } from './orientation.js';
import { startRecords } from './records.js';
import { showResult, startResult } from './result.js';
import { ReviewPanel } from './review_panel.js';
import { loadRunValues } from './run_games.js';
import { Session } from './session.js';
import { Setup } from './setup.js';
import { copyLink } from './share.js';
import { startSounds } from './sounds.js';
import { announcePosition, showHand, showStatus } from './status.js';
import { plyAfter, plyBefore } from './stepping.js';
import { Table } from './table.js';
import { showTurns } from './turns.js';

// What a session opens, from the answer about a record.
function gameOfRecord({ position, ...record }) {
  return { ...record, start: position, ply: record.moves.length };
}

/** Calls `onNavigate(link, isNew)` when the address changes; `isNew` for another game. */
export class PlayView {
  constructor(games, players, onNavigate) {
    this.onNavigate = onNavigate;
    this.session = new Session(games);
    this.setup = new Setup(games, players, (what) => this.#chosen(what));
    this.orientation = new Orientation(this.session);
    this.clock = new Clock(
      (side) => this.session.loseOnTime(side),
      () => this.#clockChosen(),
    );
    this.opponent = new Opponent(
      this.session,
      () => this.setup.computer,
      (...failure) => this.#noReply(...failure),
    );
    this.table = new Table(this.session, this.opponent, {
      onTurn: (turn) => this.#play(turn),
      onSteps: () => this.#showStatus(),
    });
    this.graph = new Graph((ply) => this.#go(ply));
    byId('graph').append(this.graph.node);
    this.#panels();
    this.#listen();
    this.#buttons();
  }

  #panels() {
    const { session, setup, table } = this;
    const onMarks = () => table.drawMarks();
    this.advice = new Advice(session, setup, {
      onPlay: (turn) => this.#play(turn),
      onLook: (ahead) => table.look(ahead),
      onMarks,
    });
    this.hint = new Hint(session, this.advice, onMarks);
    this.review = new ReviewPanel(session, this.advice, () => this.#showCourse());
    table.overlays = [
      (geometry, chosen) => this.advice.picture(geometry, chosen),
      ...[this.hint, this.review].map((panel) => ({ points }, chosen) => ({
        heat: new Map(),
        marks: panel.marks(points, chosen),
      })),
    ];
    startSounds(session);
    startRecords(session, (record) => this.#openInstead(gameOfRecord(record)));
    new Editor(session, (game) => this.#openInstead(game));
  }

  #listen() {
    const { session } = this;
    session.addEventListener('turn', ({ detail: { before } }) => {
      if (session.real) this.clock.add(before.to_move);
    });
    session.addEventListener('change', () => this.#show());
    session.addEventListener('mode', () => this.#showMode());
    session.addEventListener('values', () => this.#showCourse());
    session.addEventListener('go', ({ detail }) => this.#go(detail));
    session.addEventListener('visit', ({ detail }) => this.#try(() => session.visit(detail)));
    session.addEventListener('remove', ({ detail }) => this.#try(() => session.remove(detail)));
    this.opponent.addEventListener('thinking', () => this.table.draw());
  }

  #buttons() {
    const { session } = this;
    startControls(
      {
        first: () => this.#go(0),
        last: () => this.#go(session.moves.length),
        previous: () => this.#go(session.ply - 1),
        next: () => this.#go(session.ply + 1),
        undo: () => this.#go(plyBefore(session, this.setup.people)),
        redo: () => this.#go(plyAfter(session, this.setup.people)),
        flip: () => this.#flip(),
        new: () => this.#again(),
        share: copyLink,
        analyse: () => this.#analyse(),
        'come-back': () => this.#comeBack(),
      },
      {
        a: () => this.#switchAnalysis(),
        e: () => byId('editor-open').click(),
        Escape: () => this.table.stepBack(),
      },
    );
    startResult({
      review: () => this.#startReview(),
      rematch: () => this.#rematch(),
    });
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
    this.review.clear();
    try {
      await this.session.open(link);
    } finally {
      this.isNew = false;
    }
    if (link.run && this.session.run === link.run) await loadRunValues(this.session);
  }

  /** Asks before a game that people are playing is left; resolves to false if it is to go on. */
  async mayLeave() {
    const { session, setup } = this;
    const { left, real, isOver } = session;
    const moves = left?.moves ?? (real && !isOver ? session.moves : []);
    const isPlayed = moves.some((_, ply) => setup.people.includes(session.sideAt(ply)));
    return !isPlayed || askToLeave(session.game.title, moves.length);
  }

  // Resolves to false if the game shown is to go on.
  async #openInstead(game) {
    const isLeft = await this.mayLeave();
    if (isLeft) await this.open(game, true);
    return isLeft;
  }

  /**
   * Opens the game of a link. If a turn is illegal, shows the position before it and an error. A
   * game that was played for real before the page was reloaded goes on.
   */
  openLink(link) {
    return this.#try(async () => {
      const kept = this.session.position ? null : keptGame(location.hash);
      if (kept) this.clock.restore(kept.clock);
      const isNew = link.moves.length === 0 && !link.start;
      try {
        await this.open({ ...link, live: isNew, ...kept?.state });
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
    start = null,
  }) {
    // Until it has begun, a hint would be one for the game before, and be lost.
    this.hint.update(false);
    return this.#try(async () => {
      try {
        await this.open({ game, rules, start, live: true }, true);
      } catch (error) {
        this.#update();
        throw error;
      }
    });
  }

  // A new game, from the start of the game; where the last one began is a click away.
  async #again() {
    if (!(await this.mayLeave())) return;
    const { name, start } = this.session;
    await this.#newGame({});
    if (!start || this.session.name !== name || this.session.start) return;
    const action = () => this.#newGame({ start });
    showNote('The new game begins at the start.', { label: 'Begin in the same position', action });
  }

  #rematch() {
    this.setup.changeSides();
    return this.#newGame({ start: this.session.start });
  }

  // The button goes when the game is played again: the keyboard goes on at the board.
  async #comeBack() {
    await this.#try(() => this.session.comeBack());
    byId('board').querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
  }

  // Who analyses a game has all the time: it is not timed any more.
  #analyse() {
    const { session, clock } = this;
    const hasBegun = session.moves.length > 0;
    session.analyse();
    if (clock.remove() && hasBegun)
      showNote('The clocks are stopped: a game that was left for analysis is no longer timed.');
  }

  #startReview() {
    this.session.analyse();
    return this.review.run();
  }

  async #change(game) {
    if (await this.mayLeave()) await this.#newGame(game);
    else this.setup.show(this.session.game, this.session.rules);
  }

  #chosen(what) {
    const { session, setup } = this;
    if (what === 'game') this.#change({ game: setup.chosenGame });
    else if (what === 'rules') this.#change({ rules: session.differing(setup.chosenRules) });
    else {
      if (session.atEnd) session.live = session.real;
      if (session.moves.length === 0) this.clock.reset(setup.people);
      this.#turnBoard();
      this.#showMode();
    }
  }

  // Another choice of clocks counts for the next game, or for this one if it has not begun.
  #clockChosen() {
    const { session } = this;
    if (session.moves.length > 0) showNote('The clocks begin with the next game.');
    else this.clock.reset(this.setup.people);
    this.#showMode();
  }

  #go(ply) {
    return this.#try(() => this.session.go(ply));
  }

  #flip() {
    this.orientation.flip(this.setup.people);
    this.#turnBoard();
  }

  #turnBoard() {
    this.table.rotate(this.orientation.isFlipped(this.setup.people));
  }

  #play(turn) {
    const { review, session } = this;
    return this.#try(() => (review.isQuiet ? review.attempt(turn) : session.play(turn)));
  }

  /** Whether people play the game shown for real: then the page shows no evaluations. */
  get isWithheld() {
    const { real, isOver } = this.session;
    return real && !isOver && this.setup.people.length > 0;
  }

  #switchAnalysis() {
    if (this.isWithheld)
      showNote('There is no analysis while you play. “Analyse” leaves the game.');
    else byId('analysis').click();
  }

  #show() {
    const { session, isNew, setup } = this;
    setup.show(session.game, session.rules);
    if (session.real && session.moves.length === 0) this.clock.reset(setup.people);
    this.table.show(this.orientation.isFlipped(setup.people));
    this.onNavigate(sessionLink(session), isNew);
    announcePosition(session);
    showHand(session.position);
    showControls(session);
    this.#showMode();
    this.#try(() => this.orientation.learn(() => this.#turnBoard()));
  }

  // What depends on whether the game is played for real.
  #showMode() {
    this.#update();
    this.#showCourse();
    this.table.draw();
    const { session } = this;
    const { result } = session;
    const canReview = this.advice.player !== null && session.moves.length > 0;
    showResult({ result, people: this.setup.people, canReview });
    byId('come-back').hidden = session.left === null;
    this.#keep();
  }

  // For a reload.
  #keep() {
    const { real, live, seed } = this.session;
    const game = { link: sessionLink(this.session), state: { real, live, seed } };
    keepGame(real ? { ...game, clock: this.clock.state } : null);
  }

  // Delays the analysis while the computer's reply is pending, which will change the position.
  #update() {
    const { session, opponent, setup } = this;
    opponent.update();
    this.clock.run(this.#sideOnClock());
    const [withheld, quiet] = [this.isWithheld, this.review.isQuiet];
    this.advice.update({ waits: opponent.thinking, withheld, quiet });
    const isOwn = setup.people.includes(session.position.to_move);
    this.hint.update(withheld && isOwn && !opponent.thinking);
  }

  // The side whose clock runs. Nobody's does before the first turn. Who plays against the computer
  // cannot stop the clock by stepping back.
  #sideOnClock() {
    const { session, setup } = this;
    if (!session.real || session.isOver || session.moves.length === 0) return null;
    const side = session.sideAt(session.moves.length);
    if (setup.people.includes(side)) return side;
    return session.atEnd ? null : setup.people[0];
  }

  #noReply(error, again) {
    this.advice.update({ withheld: this.isWithheld });
    showFailure(error, again);
  }

  #showCourse() {
    const { session, isWithheld } = this;
    byId('course').hidden = isWithheld;
    showTurns(session, this.review.review, isWithheld);
    this.graph.show(session, this.review.review);
    this.review.show(isWithheld);
    this.table.drawMarks();
  }

  #showStatus() {
    showStatus({
      session: this.session,
      steps: this.table.steps,
      ahead: this.table.ahead,
      opponent: this.opponent,
      computer: this.setup.computer,
      onResume: () => this.session.resume(),
    });
  }
}
