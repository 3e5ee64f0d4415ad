// The dialog that sets up a position: a board to click, the side to move, counters, and their text.

import { call } from './api.js';
import { Board } from './board.js';
import { CounterFields } from './counters.js';
import { byId, element } from './dom.js';
import { pieceOf } from './pieces.js';
import { boardText, piecesUnder, readText, withCounter } from './position_text.js';

const NOTHING = { last: new Set(), chosen: new Set(), targets: new Set(), faint: false };

/** The dialog; `open(link)` shows a position, resolves to false if the game before goes on. */
export class Editor {
  #asked = 0;

  constructor(session, open) {
    Object.assign(this, { session, open, dialog: byId('editor-dialog') });
    this.board = new Board(byId('editor-board'), (cell) => this.#put(cell));
    this.counters = new CounterFields(byId('editor-counters'), (key, numbers) =>
      this.#change(({ words }) => ({ words: withCounter(words, key, numbers) })),
    );
    byId('editor-open').addEventListener('click', () => this.#begin());
    byId('position-text').addEventListener('input', () => this.#check());
    byId('editor-sides').addEventListener('change', ({ target }) => this.#setSide(target.value));
    byId('editor-clear').addEventListener('click', () => this.#clear());
    byId('editor-start').addEventListener('click', () => this.#toStart());
    byId('editor-analyse').addEventListener('click', () => this.#leave(false));
    byId('editor-play').addEventListener('click', () => this.#leave(true));
  }

  /** The text in the field, taken apart; null if it has not the shape of the board. */
  get #parts() {
    return readText(this.session.game, byId('position-text').value);
  }

  /** The symbols of the pieces. */
  get #pieces() {
    return piecesUnder(this.session.game, this.session.rules);
  }

  get #symbol() {
    return byId('palette').querySelector(':checked').value;
  }

  #begin() {
    const { session } = this;
    const choice = (symbol, name) =>
      element(
        'label',
        {},
        element('input', { type: 'radio', name: 'symbol', value: symbol, checked: symbol === '' }),
        element('span', {}, name),
      );
    byId('palette').replaceChildren(
      element('legend', {}, 'A click puts'),
      choice('', 'Next'),
      ...[...this.#pieces].map((symbol) => choice(symbol, pieceOf(session.game, symbol).name)),
      choice('.', 'Empty'),
    );
    this.counters.show(session.game);
    this.board.set(session.game, false);
    this.dialog.showModal();
    this.#set(session.position.position);
  }

  #put(cell) {
    const symbols = `.${this.#pieces}`;
    this.#change((parts) => {
      const next = symbols[(symbols.indexOf(parts.squares[cell]) + 1) % symbols.length];
      const squares = [...parts.squares];
      squares[cell] = this.#symbol || next;
      return { squares };
    });
  }

  #setSide(side) {
    this.#change(() => ({ side }));
  }

  // Replaces some parts of the text by those that `change` returns.
  #change(change) {
    const parts = this.#parts;
    if (!parts) return;
    // The number of turns that was right for the old position may be wrong for the new one.
    const words = parts.words.filter((word) => !word.startsWith('ply='));
    this.#set(boardText(this.session.game, { ...parts, words, ...change({ ...parts, words }) }));
  }

  #toStart() {
    return this.#try(async () => this.#set(await this.#start()));
  }

  // The start without its pieces: all that are placed during the game are in hand.
  #clear() {
    return this.#try(async () => {
      const { game } = this.session;
      const parts = readText(game, await this.#start());
      this.#set(boardText(game, { ...parts, squares: '.'.repeat(game.cells.length) }));
    });
  }

  async #start() {
    const { name, rules } = this.session;
    const { position } = await call('/api/position', { game: name, rules, moves: [] });
    return position;
  }

  async #try(action) {
    try {
      await action();
    } catch (failure) {
      byId('editor-error').textContent = failure.message;
    }
  }

  #set(text) {
    byId('position-text').value = text;
    this.#check();
  }

  // Draws what the field has, and asks the server whether it is a position of the game.
  async #check() {
    const parts = this.#parts;
    if (parts) {
      this.board.draw({ ...NOTHING, squares: parts.squares });
      this.counters.fill(parts.words);
      for (const input of byId('editor-sides').querySelectorAll('input'))
        input.checked = input.value === parts.side;
    }
    const { name, rules } = this.session;
    const asked = (this.#asked += 1);
    let [error, over] = ['', false];
    try {
      const position = byId('position-text').value;
      const answer = await call('/api/position', { game: name, rules, position, moves: [] });
      over = answer.outcome !== null;
      if (over) error = `This position is decided: ${answer.ending?.reason ?? answer.outcome}.`;
    } catch (failure) {
      error = failure.message;
      if (asked === this.#asked) byId('editor-analyse').disabled = true;
    }
    if (asked !== this.#asked) return;
    byId('editor-error').textContent = error;
    byId('editor-analyse').disabled = error !== '' && !over;
    byId('editor-play').disabled = error !== '';
  }

  #leave(live) {
    const { name: game, rules } = this.session;
    return this.#try(async () => {
      const start = byId('position-text').value.trim();
      if (await this.open({ game, rules, start, live })) this.dialog.close();
    });
  }
}
