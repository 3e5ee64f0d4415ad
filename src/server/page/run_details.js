// Details of a run: results by opponent, and its config.

import { coloursOf } from './catalogue.js';
import { element } from './dom.js';
import { share, together } from './run_metrics.js';
import { percent } from './values.js';

function results([won, drawn, lost]) {
  return `${won} won, ${drawn} drawn, ${lost} lost`;
}

/** Returns the table of an evaluation's results by opponent; null without an evaluation. */
export function resultsCard(game, evaluation) {
  if (!evaluation) return null;
  const colours = coloursOf(game);
  const head = ['Opponent', 'Score', ...colours.map((colour) => `As ${colour}`)];
  const row = (met) =>
    element(
      'tr',
      {},
      element(
        'th',
        { scope: 'row' },
        met.opponent.replace(/^@(\d+)$/, 'the network of iteration $1'),
      ),
      element('td', {}, percent(share(together(met)))),
      element('td', {}, results(met.first)),
      element('td', {}, results(met.second)),
    );
  return element(
    'section',
    { class: 'card results', id: 'run-results' },
    element('h2', {}, `Results of iteration ${evaluation.iteration}`),
    element(
      'div',
      { class: 'scroll' },
      element(
        'table',
        {},
        element(
          'thead',
          {},
          element('tr', {}, ...head.map((text) => element('th', { scope: 'col' }, text))),
        ),
        element('tbody', {}, ...evaluation.met.map(row)),
      ),
    ),
  );
}

function shown(value) {
  return value === null ? 'not set' : JSON.stringify(value);
}

function changeLines({ after, keys }) {
  const lines = Object.entries(keys).map(([key, [old, now]]) =>
    element('li', {}, element('code', {}, `${key}: ${shown(old)} → ${shown(now)}`)),
  );
  return [
    element('p', {}, `Changed after iteration ${after}:`),
    element('ul', {}, ...(lines.length > 0 ? lines : [element('li', {}, 'not known')])),
  ];
}

/** Returns the config of a run, closed at first; null if it cannot be read. */
export function configCard({ config, settings_changed: changed }) {
  if (config === null) return null;
  const title = changed.length > 0 ? 'Config (changed on the way)' : 'Config';
  return element(
    'details',
    { class: 'card config', id: 'run-config' },
    element('summary', {}, title),
    ...changed.flatMap(changeLines),
    element('pre', { tabindex: 0, 'aria-label': 'Config as TOML' }, config),
  );
}
