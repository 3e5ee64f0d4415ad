// The view of all games: a card for each family, with a picture.

import { call } from './api.js';
import { gameOf, offered } from './catalogue.js';
import { byId, element } from './dom.js';
import { playLink } from './link.js';
import { showFailure } from './message.js';
import { drawStill } from './still.js';

function variants(members) {
  const item = ({ name, title, about }) =>
    element(
      'li',
      {},
      element('a', { href: playLink({ game: name }) }, title),
      element('span', {}, about),
    );
  return element(
    'details',
    { class: 'variants' },
    element('summary', {}, `Sizes and variants (${members.length})`),
    element('ul', {}, ...members.map(item)),
  );
}

/** The view of all games. `openRules(game)` shows the rules of an entry of `/api/games`. */
export class GamesView {
  #loaded = null;

  constructor(openRules) {
    this.openRules = openRules;
  }

  /** Shows the view; asks the server the first time. */
  async open() {
    this.#loaded ??= this.#load();
    try {
      await this.#loaded;
    } catch (error) {
      this.#loaded = null;
      showFailure(error, () => this.open());
    }
  }

  async #load() {
    const all = await call('/api/rules');
    const families = all
      .map((family) => ({ ...family, games: offered(family.games) }))
      .filter(({ games }) => games.length > 0);
    byId('games').replaceChildren(
      element('h1', {}, 'Choose a game'),
      element(
        'ul',
        { class: 'cards' },
        ...families.map((family) => element('li', { class: 'card' }, ...this.#card(family))),
      ),
    );
  }

  #card({ summary, games, picture }) {
    const [first, ...others] = games;
    const game = gameOf(first.name);
    const board = drawStill(gameOf(picture.game), { squares: picture.squares });
    return [
      // The links below say the same.
      element(
        'a',
        { class: 'picture', href: playLink({ game: first.name }), tabindex: -1, 'aria-hidden': 'true' },
        board,
      ),
      element('h2', {}, element('a', { href: playLink({ game: first.name }) }, game.title)),
      element('p', {}, summary),
      element(
        'div',
        { class: 'row' },
        element(
          'a',
          {
            class: 'button strong',
            href: playLink({ game: first.name }),
            'aria-label': `Play ${game.title}`,
          },
          'Play',
        ),
        element(
          'button',
          {
            type: 'button',
            'aria-label': `Rules of ${game.title}`,
            onclick: () => this.openRules(game),
          },
          'Rules',
        ),
      ),
      others.length > 0 ? variants(others) : null,
    ].filter(Boolean);
  }
}
