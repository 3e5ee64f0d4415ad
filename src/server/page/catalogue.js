// The games as the server describes them, for views that name games.

let games = [];

/** Keeps the list of games. */
export function setGames(list) {
  games = list;
}

/** Returns the description of a game, or undefined. */
export function gameOf(name) {
  return games.find((game) => game.name === name);
}

/** Returns the name of the first game. */
export function firstGame() {
  return games[0].name;
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
