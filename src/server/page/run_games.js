// Games of a training run: the list of an iteration, and the values of a game by its search.

import { call } from './api.js';
import { element } from './dom.js';
import { playLink } from './link.js';
import { SIDES } from './values.js';

/** Which search the values of a game of a run are of. */
const BY = 'by the search of the run';

function address(run, ...rest) {
  return ['/api/runs', ...[run, 'games', ...rest].map((part) => encodeURIComponent(part))].join(
    '/',
  );
}

/** Loads the values by the run's search into a session that shows a game of the run. */
export async function loadRunValues(session) {
  const [run, iteration, index] = session.run.split('/');
  const keys = session.moves.map((_, ply) => session.key(session.moves.slice(0, ply)));
  const { values } = await call(address(run, iteration, index));
  values.forEach((value, ply) => {
    if (value && keys[ply]) session.setValue(keys[ply], value, session.sideAt(ply), BY);
  });
}

async function openGame(run, iteration, index) {
  const { position, ...game } = await call(address(run, iteration, index));
  location.hash = playLink({ ...game, start: position, ply: 0, run: `${run}/${iteration}/${index}` });
}

function row(run, iteration, { index, turns, outcome, resigned }, failed) {
  const open = () => openGame(run, iteration, index).catch(failed);
  const result = outcome === 'draw' ? 'draw' : `${SIDES[outcome]} wins`;
  return element(
    'tr',
    {},
    element(
      'th',
      { scope: 'row' },
      element('button', { type: 'button', onclick: open }, `Game ${index + 1}`),
    ),
    element('td', {}, String(turns)),
    element('td', {}, result + (resigned ? ' by resignation' : '')),
  );
}

/** Returns the table of games of an iteration; calls `failed(error)` if a game cannot be opened. */
export async function gamesTable(run, iteration, failed) {
  const games = await call(address(run, iteration));
  const head = ['Game', 'Turns', 'Result'].map((text) => element('th', { scope: 'col' }, text));
  return element(
    'table',
    { class: 'games' },
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...games.map((game) => row(run, iteration, game, failed))),
  );
}
