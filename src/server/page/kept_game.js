// A game that is played for real outlasts a reload: the tab keeps what its address does not say.

const KEY = 'tavoliere.game';

/** Keeps a game with this address for this tab; with null none. */
export function keepGame(game) {
  try {
    if (game) sessionStorage.setItem(KEY, JSON.stringify(game));
    else sessionStorage.removeItem(KEY);
  } catch {
    // Without storage, a game that is reloaded is analysed.
  }
}

/** Returns the game kept with this address, or null. */
export function keptGame(link) {
  try {
    const game = JSON.parse(sessionStorage.getItem(KEY));
    return game?.link === link ? game : null;
  } catch {
    return null;
  }
}
