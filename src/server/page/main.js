// Entry point of the page: loads games and players, and shows the view that the address names.

import { call } from './api.js';
import { gameTitle, setGames } from './catalogue.js';
import { byId } from './dom.js';
import { readLink, sessionLink } from './link.js';
import { showFailure } from './message.js';
import { PlayView } from './play.js';
import { remember } from './settings.js';
import { startTheme } from './theme.js';
import { closeTraining, openTraining, trainingTitle } from './training.js';

let play = null;

/** Whether runs may have new networks since the list of players was loaded. */
let isStale = false;

// Updates the address. A new game is a new entry in the browser's history; turns replace the entry.
function updateAddress(link, isNew) {
  byId('nav-play').href = link;
  if (readLink(location.hash).view !== 'play') return;
  if (location.hash === link) return;
  showTitle(readLink(link));
  history[isNew ? 'pushState' : 'replaceState'](null, '', link);
}

// The default game: one with a trained player, if there is any.
function firstGame(games, players) {
  const trained = players.find(({ thinks, game }) => thinks && game !== null);
  return trained?.game ?? games.find(({ name }) => name === 'neutron5')?.name ?? games[0].name;
}

function reveal(view) {
  for (const name of ['play', 'training']) {
    byId(name).hidden = name !== view;
    const link = byId(`nav-${name}`);
    if (name === view) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

// Loads the players again, and chooses the one that the address names.
async function renewPlayers({ game, player }) {
  const players = await call('/api/players');
  isStale = false;
  if (player) {
    remember(`player.${game}`, player);
    // It is chosen by its name, not by a level.
    remember(`level.${game}`, 'expert');
  }
  play.setup.players = players;
  // Its lists are made anew when a position is shown.
  play.setup.rules = undefined;
}

function showTitle(link) {
  const view =
    link.view === 'training'
      ? trainingTitle(link, gameTitle)
      : gameTitle(link.game ?? play.first);
  document.title = `${view} – Tavoliere`;
}

async function openPlay(link) {
  closeTraining();
  const { session } = play;
  const renew = isStale || link.player;
  if (renew) {
    await renewPlayers(link).catch((error) => showFailure(error, () => openPlay(link)));
  }
  const isShown = session.position && location.hash === sessionLink(session);
  if (isShown && renew) session.dispatchEvent(new Event('change'));
  if (!isShown) await play.openLink({ ...link, game: link.game ?? play.first });
}

async function route() {
  const link = readLink(location.hash);
  reveal(link.view);
  showTitle(link);
  if (link.view === 'training') {
    isStale = true;
    await openTraining(link);
  } else {
    await openPlay(link);
  }
}

async function start() {
  try {
    const [games, players] = await Promise.all([call('/api/games'), call('/api/players')]);
    setGames(games);
    play = new PlayView(games, players, updateAddress);
    play.first = firstGame(games, players);
  } catch (error) {
    showFailure(error, start);
    return;
  }
  addEventListener('hashchange', route);
  await route();
}

byId('skip').addEventListener('click', (event) => {
  event.preventDefault();
  byId('board').querySelector('[tabindex="0"]')?.focus();
});
startTheme();
start();
