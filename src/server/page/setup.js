// The setup panel: game, opponent, side and rules.

import { offered } from './catalogue.js';
import { byId, element } from './dom.js';
import { Opponents } from './opponents.js';
import { chosenRules, showRuleOptions } from './rule_options.js';
import { remember, remembered } from './settings.js';

const COMPUTER = { x: ['o'], o: ['x'], both: [], none: ['x', 'o'] };

/** The setup panel. Calls `changed(what)` with `game`, `computer` or `rules`. */
export class Setup {
  constructor(games, players, changed) {
    Object.assign(this, { games, players, changed, side: remembered('side', null) });
    this.opponents = new Opponents(() => changed('computer'));
    byId('game').append(
      ...offered(games).map(({ name, title }) => element('option', { value: name }, title)),
    );
    byId('game').addEventListener('change', () => changed('game'));
    byId('sides').addEventListener('change', (event) => {
      this.#keepSide(event.target.value);
      changed('computer');
    });
    byId('rules-form').addEventListener('submit', (event) => {
      event.preventDefault();
      changed('rules');
    });
  }

  #keepSide(side) {
    this.side = side;
    remember('side', side);
  }

  /** The chosen game. */
  get chosenGame() {
    return byId('game').value;
  }

  /** The options of the rules as chosen in the form. */
  get chosenRules() {
    return chosenRules();
  }

  /** The chosen player at full strength, or null. */
  get player() {
    return this.opponents.player;
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

  /** The computer's `name`, `title` and `limits`, and the sides that it plays. */
  get computer() {
    return { ...this.opponents.chosen, sides: COMPUTER[this.side ?? this.game.first] };
  }

  /** The sides that people play. */
  get people() {
    return ['x', 'o'].filter((side) => !this.computer.sides.includes(side));
  }

  /** Gives the person the computer's side. */
  changeSides() {
    const { sides } = this.computer;
    if (sides.length === 1) this.#keepSide(sides[0]);
    this.#showSide();
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
    showRuleOptions(game, { ...game.rules, ...rules });
    byId('rules').open = Object.keys(rules).length > 0;
    this.opponents.show(game, this.playersOf(game, rules));
  }

  #showSide() {
    const side = this.side ?? this.game.first;
    for (const input of byId('sides').querySelectorAll('input'))
      input.checked = input.value === side;
  }
}
