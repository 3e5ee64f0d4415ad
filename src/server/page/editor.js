// The dialog that sets up a position: a board to click, the side to move, and the text of both.

import { call } from './api.js';
import { Board } from './board.js';
import { byId, element } from './dom.js';
import { boardText, emptyText, readText } from './position_text.js';

const NAMES = { x: 'Black', o: 'White', '*': 'Neutron', '#': 'Hole', '.': 'Empty' };
const NOTHING = { last: new Set(), chosen: new Set(), targets: new Set(), faint: false };

/** The dialog; `open(link, live)` shows a position, to analyse it or to play from it. */
export class Editor {
  #asked = 0;

  constructor(session, open) {
    Object.assign(this, { session, open, dialog: byId('editor-dialog') });
    this.board = new Board(byId('editor-board'), (cell) => this.#put(cell));
    byId('editor-open').addEventListener('click', () => this.#begin());
    byId('position-text').addEventListener('input', () => this.#check());
    byId('editor-sides').addEventListener('change', ({ target }) => this.#setSide(target.value));
    byId('editor-clear').addEventListener('click', () => this.#set(emptyText(session.game)));
    byId('editor-start').addEventListener('click', () => this.#toStart());
    byId('editor-analyse').addEventListener('click', () => this.#leave(false));
    byId('editor-play').addEventListener('click', () => this.#leave(true));
  }

  /** The text in the field, taken apart; null if it has not the shape of the board. */
  get #parts() {
    return readText(this.session.game, byId('position-text').value);
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
      ...[...session.game.symbols].map((symbol) => choice(symbol, NAMES[symbol])),
    );
    this.board.set(session.game, false);
    this.dialog.showModal();
    this.#set(session.position.position);
  }

  #put(cell) {
    const symbols = `.${piecesOf(this.session.game)}`;
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
    this.#set(boardText(this.session.game, { ...parts, ...change(parts), words }));
  }

  async #toStart() {
    const { name, rules } = this.session;
    const { position } = await call('/api/position', { game: name, rules, moves: [] });
    this.#set(position);
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

  async #leave(live) {
    const { name: game, rules } = this.session;
    try {
      await this.open({ game, rules, start: byId('position-text').value.trim(), live });
      this.dialog.close();
    } catch (failure) {
      byId('editor-error').textContent = failure.message;
    }
  }
}

// The symbols of a game without the empty cell.
function piecesOf(game) {
  return game.symbols.replace('.', '');
}
