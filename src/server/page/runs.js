// The list of training runs.

import { call } from './api.js';
import { element } from './dom.js';
import { trainingLink } from './link.js';
import { titleOf } from './setup.js';

/** Returns the game and the progress of a run as text. */
export function progress({ game, iterations, planned }) {
  const of = planned === null ? '' : ` of ${planned}`;
  return `${titleOf(game)} · ${iterations}${of} iterations`;
}

/** Returns the list of all runs. */
export async function runsList() {
  const runs = await call('/api/runs');
  const items = runs.map((run) =>
    element(
      'li',
      {},
      element(
        'a',
        { class: 'card run', href: trainingLink(run.name) },
        element('b', {}, run.name),
        element('span', { class: 'muted' }, progress(run)),
        element('progress', {
          max: Math.max(run.planned ?? run.iterations, 1),
          value: run.iterations,
          'aria-label': 'Completed iterations',
        }),
      ),
    ),
  );
  const empty = element(
    'p',
    {},
    'There are no training runs yet. Start one with ',
    element('code', {}, 'tavoliere train configs/neutron5.toml'),
    '.',
  );
  return element(
    'div',
    {},
    element('h1', {}, 'Training runs'),
    runs.length > 0 ? element('ul', { class: 'runs' }, ...items) : empty,
  );
}
