// The list of training runs.

import { call } from './api.js';
import { firstGame, gameTitle } from './catalogue.js';
import { element } from './dom.js';
import { comparisonLink, trainingLink } from './link.js';

const PHASES = {
  selfplay: 'self-play',
  learn: 'training',
  evaluation: 'evaluation',
  finished: 'finished',
  idle: 'not running',
};

/** The phase of a run in words. */
export function phaseName(phase) {
  return PHASES[phase] ?? phase;
}

/** Returns the game and the progress of a run as text. */
export function progress({ game, iterations, planned }) {
  const of = planned === null ? '' : ` of ${planned}`;
  return `${gameTitle(game)} · ${iterations}${of} iterations`;
}

/** Returns a line that says what is wrong with a run; null if nothing is. */
export function problemLine({ problem }) {
  return problem ? element('span', { class: 'problem' }, `Damaged: ${problem}`) : null;
}

function card(run) {
  if (run.game === null)
    return element(
      'li',
      {},
      element('div', { class: 'card run' }, element('b', {}, run.name), problemLine(run)),
    );
  return element(
    'li',
    {},
    element(
      'a',
      { class: 'card run', href: trainingLink(run.name) },
      element('b', {}, run.name),
      element('span', { class: 'muted' }, `${progress(run)} · ${phaseName(run.phase)}`),
      problemLine(run),
      element('progress', {
        max: Math.max(run.planned ?? run.iterations, 1),
        value: run.iterations,
        'aria-label': 'Completed iterations',
      }),
    ),
  );
}

// The runs of a game; several can be compared.
function group(game, runs) {
  const title = game === null ? 'Damaged runs' : gameTitle(game);
  const link =
    game !== null &&
    runs.length > 1 &&
    element('a', { href: comparisonLink({ game }) }, 'Compare these runs');
  return element(
    'section',
    {},
    element('div', { class: 'runs-heading' }, element('h2', {}, title), link || null),
    element('ul', { class: 'runs' }, ...runs.map(card)),
  );
}

/** Returns the list of all runs. */
export async function runsList() {
  const runs = await call('/api/runs');
  const games = [...new Set(runs.map(({ game }) => game))].sort(
    (a, b) => (a === null) - (b === null),
  );
  const empty = element(
    'p',
    {},
    'There are no training runs yet. The command ',
    element('code', {}, `train ${firstGame()}`),
    ' starts one.',
  );
  return element(
    'div',
    {},
    element('h1', {}, 'Training runs'),
    ...(runs.length > 0
      ? games.map((game) =>
          group(
            game,
            runs.filter((run) => run.game === game),
          ),
        )
      : [empty]),
  );
}
