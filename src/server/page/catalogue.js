// The games as the server describes them, for views that name games.

let games = [];

/** Keeps the list of games. A game that is `hidden` is known, but not offered. */
export function setGames(list) {
  games = list;
}

/** Returns the description of a game, or undefined. */
export function gameOf(name) {
  return games.find((game) => game.name === name);
}

/** Returns the entries of the games that are offered, of any list with their names. */
export function offered(list) {
  return list.filter(({ name }) => !gameOf(name)?.hidden);
}

/** Returns the name of the first game that is offered. */
export function firstGame() {
  return games.find(({ hidden }) => !hidden).name;
}

/** Returns the title of a game; its name if the server does not know it. */
export function gameTitle(name) {
  return gameOf(name)?.title ?? name;
}

/** Returns the options of these rules that differ from the game's defaults. */
export function differingRules(name, rules) {
  const usual = gameOf(name)?.rules ?? {};
  return Object.fromEntries(Object.entries(rules).filter(([key, value]) => usual[key] !== value));
}

/** Returns `['Black', 'White']`, the colour that moves first in a game before the other. */
export function coloursOf(name) {
  return gameOf(name)?.first === 'o' ? ['White', 'Black'] : ['Black', 'White'];
}
