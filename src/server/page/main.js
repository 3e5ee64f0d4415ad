// Entry point of the page: loads games and players, and shows the view that the address names.

import { call } from './api.js';
import { gameTitle, setGames } from './catalogue.js';
import { byId } from './dom.js';
import { GamesView } from './games.js';
import { readLink, sessionLink } from './link.js';
import { clearMessage, showFailure } from './message.js';
import { PlayView } from './play.js';
import { RulesPanel } from './rules.js';
import { remember, remembered } from './settings.js';
import { startTheme } from './theme.js';
import { closeTraining, openTraining, trainingTitle } from './training.js';

let play = null;
let cards = null;

/** Whether runs may have new networks since the list of players was loaded. */
let isStale = false;

// Updates the address. A new game is a new entry in the browser's history; turns replace the entry.
function updateAddress(link, isNew) {
  byId('nav-play').href = link;
  byId('game-title').textContent = play.session.game.title;
  play.first = play.session.name;
  remember('game', play.first);
  if (readLink(location.hash).view !== 'play') return;
  if (location.hash === link) return;
  showTitle(readLink(link));
  history[isNew ? 'pushState' : 'replaceState'](null, '', link);
}

// The default game: the last one played, otherwise one with a trained player, if there is any.
function firstGame(games, players) {
  const last = remembered('game', null);
  if (games.some(({ name }) => name === last)) return last;
  const trained = players.find(({ thinks, game }) => thinks && game !== null);
  return trained?.game ?? games.find(({ name }) => name === 'neutron5')?.name ?? games[0].name;
}

function reveal(view) {
  for (const name of ['games', 'play', 'training']) {
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

function viewTitle(link) {
  if (link.view === 'games') return 'Games';
  if (link.view === 'training') return trainingTitle(link, gameTitle);
  return gameTitle(link.game ?? play.first);
}

function showTitle(link) {
  document.title = `${viewTitle(link)} – ${document.querySelector('.brand').textContent.trim()}`;
}

async function openPlay(link) {
  const { session } = play;
  const isShown = session.position && location.hash === sessionLink(session);
  if (session.position && !isShown && !(await play.mayLeave())) {
    history.replaceState(null, '', sessionLink(session));
    showTitle(readLink(location.hash));
    return;
  }
  const renew = isStale || link.player;
  if (renew) {
    await renewPlayers(link).catch((error) => showFailure(error, () => openPlay(link)));
  }
  if (isShown && renew) session.dispatchEvent(new Event('change'));
  if (!isShown) await play.openLink({ ...link, game: link.game ?? play.first });
}

// The view that the address names; without an address the cards of the games, until a game was
// played.
function currentLink() {
  const isFirstVisit = location.hash.length < 2 && remembered('game', null) === null;
  return isFirstVisit ? { view: 'games' } : readLink(location.hash);
}

async function route() {
  // A message belongs to the page that it was shown on.
  clearMessage();
  const link = currentLink();
  reveal(link.view);
  showTitle(link);
  if (link.view === 'training') {
    isStale = true;
    await openTraining(link);
    return;
  }
  closeTraining();
  if (link.view === 'games') await cards.open();
  else await openPlay(link);
}

async function start() {
  try {
    const [games, players] = await Promise.all([call('/api/games'), call('/api/players')]);
    setGames(games);
    play = new PlayView(games, players, updateAddress);
    const rules = new RulesPanel(() => play.session.game);
    cards = new GamesView((game) => rules.open(game));
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
