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

/** The run of a network that the server offers while it is trained, or undefined. */
function runOf({ facts }) {
  return facts?.run;
}

/** The title of a player, or of the run that it is a network of. */
function nameOf(player) {
  return runOf(player) === undefined ? player.title : `${runOf(player)} run`;
}

// Its weights are those of another entry if the newest network of a run is the best one.
function isSame(one, other) {
  return one.facts.iteration === other.facts.iteration;
}

/** Returns the networks of each run, the newest run first. `facts.time` is when it was trained. */
function byRun(networks) {
  const runs = new Map();
  for (const network of networks) {
    const own = runs.get(runOf(network)) ?? [];
    if (!own.some((other) => isSame(other, network))) own.push(network);
    runs.set(runOf(network), own);
  }
  const time = (own) => Math.max(...own.map(({ facts }) => facts.time ?? 0));
  return [...runs.values()].sort((a, b) => time(b) - time(a));
}

/** Returns players as `{trained, runs, plain}`: with a network, the networks of each run, without. */
function kinds(players) {
  const others = players.filter((player) => runOf(player) === undefined);
  return {
    trained: others.filter(({ kind }) => kind === 'trained'),
    runs: byRun(players.filter((player) => runOf(player) !== undefined)),
    plain: others.filter(({ kind }) => kind !== 'trained'),
  };
}

/** Returns groups `[title, players]` without empty ones. */
function groupsOf(players) {
  const { trained, runs, plain } = kinds(players);
  return [
    ['Trained players', trained],
    ['Networks of training runs', runs.flat()],
    ['Players without a network', plain],
  ].filter(([, members]) => members.length > 0);
}

// A run has levels of its newest network only; the expert view has the best one as well.
function withLevels(players) {
  const { trained, runs, plain } = kinds(players);
  const candidates = [...trained, ...runs.map(([newest]) => newest), ...plain];
  return candidates.filter(({ levels }) => levels?.length > 0);
}

// Options in groups; a single group needs no title.
function grouped(groups) {
  if (groups.length === 1) return groups[0][1];
  return groups.map(([label, options]) => element('optgroup', { label }, ...options));
}

/** Returns `{value, player, level}` for each level of some players, weakest first. */
function levelsOf(players) {
  return withLevels(players).flatMap((player) =>
    player.levels.map((level) => ({
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
    this.#nameLevel();
    if (this.#levels.length > 0) remember(`level.${this.game.name}`, byId('level').value);
    this.#summarise();
    this.changed();
  }

  /** Shows the players of a game that can play it by the current rules. */
  show(game, able) {
    this.game = game;
    this.#able = able;
    this.#showPlayers();
    this.#showStrengths();
    this.#showLevels();
    this.#summarise();
  }

  #showPlayers() {
    const groups = groupsOf(this.#able).map(([title, players]) => [
      title,
      players.map((player) => option(player.name, player.title)),
    ]);
    const box = byId('player');
    box.replaceChildren(...grouped(groups));
    const kept = remembered(`player.${this.game.name}`, null);
    // The best network of a run may have become the newest, which has no entry of its own then.
    const names = [kept, kept?.replace(/@best$/, '')];
    const found = names.find((name) => [...box.options].some(({ value }) => value === name));
    if (found) box.value = found;
  }

  #showLevels() {
    this.#levels = levelsOf(this.#able);
    const none = this.#levels.length === 0;
    byId('level-field').hidden = none;
    byId('expert').open = true;
    if (none) return;
    const groups = this.#graded.map((player) => {
      const own = this.#levels.filter((level) => level.player === player);
      return [nameOf(player), own.map(({ value, level }) => option(value, levelTitle(level)))];
    });
    byId('level').replaceChildren(...grouped(groups), option(EXPERT, 'Expert: choose below'));
    // Who has chosen nothing yet begins with the second weakest.
    const first = (this.#levels[1] ?? this.#levels[0]).value;
    byId('level').value = remembered(`level.${this.game.name}`, first);
    if (byId('level').selectedIndex < 0) byId('level').value = first;
    byId('expert').open = byId('level').value === EXPERT;
    this.#nameLevel();
  }

  /** The players that have levels. */
  get #graded() {
    return [...new Set(this.#levels.map(({ player }) => player))];
  }

  // The closed list shows the chosen level without its group, so that its text names the player.
  #nameLevel() {
    if (this.#graded.length < 2) return;
    const chosen = this.#level;
    for (const [index, { player, level }] of this.#levels.entries()) {
      const isChosen = this.#levels[index] === chosen;
      const text = levelTitle(level);
      byId('level').options[index].text = isChosen ? `${text} · ${nameOf(player)}` : text;
    }
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
      const of = this.#graded.length > 1 ? `${nameOf(player)}, ` : '';
      const title = `the computer (${of}${level.level.name})`;
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
