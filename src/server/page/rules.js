// The rules panel: the rules of the game on the board, with pictures.

import { call } from './api.js';
import { gameOf, offered } from './catalogue.js';
import { byId, element } from './dom.js';
import { playLink } from './link.js';
import { underRules } from './notation.js';
import { drawStill, standing } from './still.js';

/** The elements of a text in which `signs` and **stress** are marked as in Markdown. */
function marked(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`')) return element('code', {}, part.slice(1, -1));
    if (part.startsWith('**')) return element('strong', {}, part.slice(2, -2));
    return part;
  });
}

/** The rules panel of the page. */
export class RulesPanel {
  #books = new Map();
  #shown = null;

  /** `current()` returns the entry of `/api/games` of the game on the board. */
  constructor(current) {
    this.current = current;
    this.dialog = this.#frame();
    document.body.append(this.dialog);
    byId('rules-open').addEventListener('click', () => this.open(this.current()));
  }

  #frame() {
    this.title = element('h2', { id: 'rules-title', tabindex: -1 });
    this.body = element('div', { class: 'rules-body' });
    const close = element(
      'button',
      { type: 'button', class: 'quiet', 'aria-label': 'Close', onclick: () => this.dialog.close() },
      '✕',
    );
    const dialog = element(
      'dialog',
      { id: 'rules-dialog', 'aria-labelledby': 'rules-title' },
      element('div', { class: 'heading' }, this.title, close),
      this.body,
    );
    // A click beside the panel closes it, as Escape does.
    dialog.addEventListener('click', (event) => {
      if (event.target === dialog) dialog.close();
    });
    return dialog;
  }

  /** Opens the rules of a game, an entry of `/api/games`. */
  async open(game) {
    if (this.#shown !== game.family) {
      this.#shown = null;
      this.title.textContent = game.title;
      this.body.replaceChildren(element('p', { class: 'muted' }, 'Loading …'));
    }
    // The browser gives the focus back to where it was when the panel closes.
    this.dialog.showModal();
    this.title.focus();
    if (this.#shown === game.family) return;
    try {
      this.#show(await this.#book(game.family));
    } catch (error) {
      this.body.replaceChildren(element('p', { class: 'error', role: 'alert' }, error.message));
    }
  }

  async #book(family) {
    if (!this.#books.has(family)) {
      this.#books.set(family, await call(`/api/rules/${encodeURIComponent(family)}`));
    }
    return this.#books.get(family);
  }

  #show(book) {
    this.#shown = book.name;
    this.title.textContent = book.title;
    this.body.replaceChildren(
      element('p', { class: 'lead' }, ...marked(book.summary)),
      ...book.sections.map((section) =>
        element(
          'section',
          {},
          element('h3', {}, section.title),
          ...section.blocks.map((block) => this.#block(block)),
        ),
      ),
      ...this.#options(book.options),
      ...this.#members(offered(book.games)),
    );
    this.dialog.scrollTop = 0;
  }

  #block({ kind, text, items, position }) {
    if (kind === 'paragraph') return element('p', {}, ...marked(text));
    if (kind === 'list')
      return element('ul', {}, ...items.map((item) => element('li', {}, ...marked(item))));
    return this.#figure(position);
  }

  #figure(position) {
    const game = underRules(gameOf(position.game), position.rules);
    const link = playLink({ ...position, ply: position.moves.length });
    return element(
      'figure',
      {},
      drawStill(game, position),
      element(
        'figcaption',
        {},
        element('b', {}, standing(position)),
        ' ',
        ...marked(position.caption),
        ' ',
        element('a', { href: link, onclick: () => this.dialog.close() }, 'Show it on the board'),
      ),
    );
  }

  #options(options) {
    if (options.length === 0) return [];
    const choice = ({ value, text }) =>
      element('li', {}, element('code', {}, String(value)), ': ', ...marked(text));
    const described = options.flatMap(({ name, text, default: usual, choices }) => [
      element('dt', {}, element('code', {}, name), ` (default ${usual})`),
      element(
        'dd',
        {},
        ...marked(text),
        choices.length > 0 ? element('ul', {}, ...choices.map(choice)) : null,
      ),
    ]);
    return [
      element(
        'details',
        {},
        element('summary', {}, 'Options of the rules'),
        element('dl', {}, ...described),
      ),
    ];
  }

  #members(games) {
    if (games.length < 2) return [];
    const item = ({ name, title, about }) =>
      element(
        'li',
        {},
        element('a', { href: playLink({ game: name }), onclick: () => this.dialog.close() }, title),
        `: ${about}.`,
      );
    return [
      element('section', {}, element('h3', {}, 'Games'), element('ul', {}, ...games.map(item))),
    ];
  }
}
