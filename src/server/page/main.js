// Entry point of the page: loads games and players, and shows the view that the address names.

import { call } from './api.js';
import { byId } from './dom.js';
import { readLink, sessionLink } from './link.js';
import { showFailure } from './message.js';
import { PlayView } from './play.js';
import { startTheme } from './theme.js';
import { closeTraining, openTraining } from './training.js';

let play = null;

// Updates the address. A new game is a new entry in the browser's history; turns replace the entry.
function updateAddress(link, isNew) {
  byId('nav-play').href = link;
  if (readLink(location.hash).view !== 'play') return;
  if (location.hash === link) return;
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

async function route() {
  const link = readLink(location.hash);
  reveal(link.view);
  document.title =
    link.view === 'training'
      ? `Training${link.run ? `: ${link.run}` : ''} – Tavoliere`
      : 'Tavoliere';
  if (link.view === 'training') {
    await openTraining(link);
    return;
  }
  closeTraining();
  const { session } = play;
  const isShown = session.position && location.hash === sessionLink(session);
  if (!isShown) await play.openLink({ ...link, game: link.game ?? play.first });
}

async function start() {
  try {
    const [games, players] = await Promise.all([call('/api/games'), call('/api/players')]);
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
