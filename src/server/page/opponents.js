// The choice of an opponent: a level with a name for everybody, or a player and its limits.

import { byId, element, setOptions } from './dom.js';
import { remember, remembered } from './settings.js';

const STRENGTHS = [1, 16, 64, 200, 800, 3200];
const TIMES = [100, 500, 1000, 2000];

/** The entry of the list of levels that stands for the choice in the expert view. */
const EXPERT = 'expert';

function option(value, text) {
  return element('option', { value }, text);
}

function levelTitle({ name, elo }) {
  return Number.isFinite(elo) ? `${name} · ${Math.round(elo)} Elo` : name;
}

/** Returns `{value, player, level}` for each level of some players, weakest first. */
function levelsOf(players) {
  return players.flatMap((player) =>
    (player.levels ?? []).map((level) => ({
      value: `${player.name}${player.name.includes('?') ? '&' : '?'}level=${level.level}`,
      player,
      level,
    })),
  );
}

/** Calls `changed()` when another opponent was chosen. */
export class Opponents {
  #able = [];
  #levels = [];

  constructor(changed) {
    this.changed = changed;
    byId('level').addEventListener('change', () => this.#chooseLevel());
    byId('player').addEventListener('change', () => {
      this.#showStrengths();
      remember(`player.${this.game.name}`, byId('player').value);
      this.#chooseExpert();
    });
    byId('strength').addEventListener('change', () => {
      remember('strength', byId('strength').value);
      this.#chooseExpert();
    });
  }

  #chooseLevel() {
    byId('expert').open = byId('level').value === EXPERT;
    this.#keep();
  }

  #chooseExpert() {
    if (this.#levels.length > 0) byId('level').value = EXPERT;
    this.#keep();
  }

  #keep() {
    if (this.#levels.length > 0) remember(`level.${this.game.name}`, byId('level').value);
    this.#summarise();
    this.changed();
  }

  /** Shows the players of a game that can play it by the current rules. */
  show(game, able) {
    this.game = game;
    this.#able = able;
    byId('player').replaceChildren(...able.map(({ name, title }) => option(name, title)));
    const kept = remembered(`player.${game.name}`, null);
    if (able.some(({ name }) => name === kept)) byId('player').value = kept;
    this.#showStrengths();
    this.#showLevels();
    this.#summarise();
  }

  #showLevels() {
    this.#levels = levelsOf(this.#able);
    const none = this.#levels.length === 0;
    byId('level-field').hidden = none;
    byId('expert').open = true;
    if (none) return;
    const players = new Set(this.#levels.map(({ player }) => player));
    const groups = [...players].map((player) => {
      const own = this.#levels.filter((level) => level.player === player);
      const options = own.map(({ value, level }) => option(value, levelTitle(level)));
      return players.size === 1
        ? options
        : element('optgroup', { label: player.title }, ...options);
    });
    byId('level').replaceChildren(...groups.flat(), option(EXPERT, 'Expert: choose below'));
    // Who has chosen nothing yet begins with the second weakest.
    const first = (this.#levels[1] ?? this.#levels[0]).value;
    byId('level').value = remembered(`level.${this.game.name}`, first);
    if (byId('level').selectedIndex < 0) byId('level').value = first;
    byId('expert').open = byId('level').value === EXPERT;
  }

  #showStrengths() {
    const own = this.player?.simulations ?? null;
    byId('strength-field').hidden = own === null;
    const counts = [...new Set([...STRENGTHS, own])].filter(Boolean).sort((a, b) => a - b);
    setOptions(byId('strength'), [
      ...counts.map((count) =>
        option(`simulations:${count}`, count === 1 ? 'network only' : `${count} simulations`),
      ),
      ...TIMES.map((time) => option(`time:${time}`, `${time / 1000} s per turn`)),
    ]);
    byId('strength').value = remembered('strength', `simulations:${own}`);
    if (byId('strength').selectedIndex < 0) byId('strength').value = `simulations:${own}`;
  }

  // The closed expert view says what is chosen there.
  #summarise() {
    const { title, player } = this.chosen;
    byId('expert-summary').textContent = this.#level
      ? `Expert settings (${player?.title ?? title} plays)`
      : `Expert settings: ${[title, this.#strength].filter(Boolean).join(', ')}`;
  }

  get #level() {
    return this.#levels.find(({ value }) => value === byId('level').value) ?? null;
  }

  get #strength() {
    return byId('strength-field').hidden ? null : byId('strength').selectedOptions[0]?.text;
  }

  /** The player chosen in the expert view or the one of the level, at full strength; or null. */
  get player() {
    if (this.#level) return this.#level.player;
    return this.#able.find(({ name }) => name === byId('player').value) ?? null;
  }

  /** The opponent: its `name` and `limits` in requests, its `title`, and the `player` or null. */
  get chosen() {
    const { player } = this;
    const level = this.#level;
    if (level) {
      const title = `the computer (${level.level.name})`;
      return { name: level.value, title, limits: {}, player };
    }
    return { name: player?.name, title: player?.title, limits: this.#limits(), player };
  }

  #limits() {
    const [kind, amount] = byId('strength').value.split(':');
    if (!amount || byId('strength-field').hidden) return {};
    return kind === 'time' ? { time_ms: Number(amount) } : { simulations: Number(amount) };
  }
}
