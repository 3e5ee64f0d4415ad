// The setup panel: game, opponent, side, strength and rules.

import { byId, element, setOptions } from './dom.js';
import { remember, remembered } from './settings.js';

const STRENGTHS = [1, 16, 64, 200, 800, 3200];
const TIMES = [100, 500, 1000, 2000];
const FAMILIES = { neutron: 'Neutron', coneutron: 'CoNeutron' };

/** The title of a game: `neutron5_hole1` is `Neutron 5, hole1`, `tic_tac_toe` is `Tic tac toe`. */
export function titleOf(name) {
  const [family, ...variant] = name.replace(/(\d)/, ' $1').split('_');
  const known = FAMILIES[family.split(' ')[0]];
  if (known)
    return [family.replace(/^\w+/, known), variant.join(' ').replace(' ', '')]
      .filter(Boolean)
      .join(', ');
  const words = [family, ...variant].join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The setup panel. Calls `changed(what)` with `game`, `computer` or `rules`. */
export class Setup {
  constructor(games, players, changed) {
    Object.assign(this, { games, players, changed, side: remembered('side', null) });
    byId('game').append(
      ...games.map(({ name }) => element('option', { value: name }, titleOf(name))),
    );
    byId('game').addEventListener('change', () => changed('game'));
    byId('player').addEventListener('change', () => this.#choosePlayer());
    byId('strength').addEventListener('change', () =>
      this.#keep('strength', byId('strength').value),
    );
    byId('sides').addEventListener('change', (event) => {
      this.side = event.target.value;
      this.#keep('side', this.side);
    });
    byId('rules-form').addEventListener('submit', (event) => {
      event.preventDefault();
      changed('rules');
    });
  }

  #keep(name, value) {
    remember(name, value);
    this.changed('computer');
  }

  #choosePlayer() {
    this.#showStrengths();
    this.#keep(`player.${this.game.name}`, byId('player').value);
  }

  /** The chosen game. */
  get chosenGame() {
    return byId('game').value;
  }

  /** The chosen player, or null. */
  get player() {
    return this.players.find(({ name }) => name === byId('player').value) ?? null;
  }

  /** Returns the players of a game with these rules, trained players first. */
  playersOf(game, rules) {
    const played = { ...game.rules, ...rules };
    const fits = ([key, value]) => played[key] === value;
    const able = this.players.filter(
      (player) =>
        (player.game === null || player.game === game.name) &&
        Object.entries(player.rules ?? {}).every(fits),
    );
    return able.sort((a, b) => (b.kind === 'trained') - (a.kind === 'trained'));
  }

  /** The computer player, its search limits and the sides that it plays. */
  get computer() {
    const sides = { x: ['o'], o: ['x'], both: [], none: ['x', 'o'] }[this.side ?? this.game.first];
    return { player: this.player, limits: this.#limits(), sides };
  }

  #limits() {
    const [kind, amount] = byId('strength').value.split(':');
    if (!amount || byId('strength-field').hidden) return {};
    return kind === 'time' ? { time_ms: Number(amount) } : { simulations: Number(amount) };
  }

  /** Shows the choices for a game with these rules. */
  show(game, rules) {
    const other = this.game !== game;
    this.game = game;
    byId('game').value = game.name;
    byId('about').textContent = `${game.about.charAt(0).toUpperCase()}${game.about.slice(1)}.`;
    this.#showSide();
    if (!other && this.rules === rules) return;
    this.rules = rules;
    this.#showRules({ ...game.rules, ...rules });
    byId('rules').open = Object.keys(rules).length > 0;
    this.#showPlayers();
  }

  #showSide() {
    const side = this.side ?? this.game.first;
    for (const input of byId('sides').querySelectorAll('input'))
      input.checked = input.value === side;
  }

  #showPlayers() {
    const able = this.playersOf(this.game, this.rules);
    byId('player').replaceChildren(
      ...able.map(({ name, title }) => element('option', { value: name }, title)),
    );
    const kept = remembered(`player.${this.game.name}`, null);
    if (able.some(({ name }) => name === kept)) byId('player').value = kept;
    this.#showStrengths();
  }

  #showStrengths() {
    const own = this.player?.simulations ?? null;
    byId('strength-field').hidden = own === null;
    const counts = [...new Set([...STRENGTHS, own])].filter(Boolean).sort((a, b) => a - b);
    const option = (value, text) => element('option', { value }, text);
    setOptions(byId('strength'), [
      ...counts.map((count) =>
        option(`simulations:${count}`, count === 1 ? 'network only' : `${count} simulations`),
      ),
      ...TIMES.map((time) => option(`time:${time}`, `${time / 1000} s per turn`)),
    ]);
    byId('strength').value = remembered('strength', `simulations:${own}`);
    if (byId('strength').selectedIndex < 0) byId('strength').value = `simulations:${own}`;
  }

  #showRules(rules) {
    byId('rules-fields').replaceChildren(
      ...Object.entries(rules).map(([key, value]) => {
        const type = typeof value === 'number' ? 'number' : 'text';
        return element(
          'label',
          {},
          `${key.replaceAll('_', ' ')} `,
          element('input', { name: key, type, value, autocomplete: 'off' }),
        );
      }),
    );
  }

  /** The options of the rules as typed in the form. */
  get typedRules() {
    const rules = {};
    for (const input of byId('rules-fields').querySelectorAll('input')) {
      rules[input.name] = input.type === 'number' ? Number(input.value) : input.value.trim();
    }
    return rules;
  }
}
