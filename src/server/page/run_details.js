// Details of runs: results by opponent, the config, and what differs in the configs of several runs.

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

// The lines of a config, each with its `key` as `section.key`; `key` is null for lines without one.
function configLines(config) {
  let section = '';
  let key = null;
  return config.split('\n').map((text) => {
    const [, title] = text.match(/^\[([^[\]]+)\]/) ?? [];
    const [, name] = text.match(/^([\w-]+)\s*=/) ?? [];
    if (title) [section, key] = [`${title}.`, null];
    // The lines after the first of a long list are of its key.
    else if (name) key = section + name;
    else if (text.trim() === '') key = null;
    return { text, key, isFirst: Boolean(name) };
  });
}

// The values of a config as text by `section.key`, in the order of the config.
function configValues(config) {
  const values = new Map();
  for (const { text, key, isFirst } of configLines(config)) {
    if (key === null) continue;
    if (isFirst) values.set(key, text.replace(/^[^=]*=\s*/, ''));
    else values.set(key, `${values.get(key)} ${text.trim()}`);
  }
  return values;
}

// The TOML, with the lines whose keys differ from the defaults marked.
function configText(config, marked) {
  const lines = configLines(config).map(({ text, key }) =>
    marked.includes(key)
      ? element('mark', { class: 'changed' }, `${text}\n`)
      : document.createTextNode(`${text}\n`),
  );
  return element('pre', { tabindex: 0, 'aria-label': 'Config as TOML' }, ...lines);
}

// The keys that differ from the defaults; nothing if the server does not tell them.
function markedKeys(config, marked) {
  if (marked.length === 0) return [];
  const values = configValues(config);
  const line = (key) =>
    element('li', {}, element('code', {}, `${key} = ${values.get(key) ?? 'not set'}`));
  return [
    element('p', {}, 'These keys are not at their defaults:'),
    element('ul', { class: 'changed-keys' }, ...marked.map(line)),
  ];
}

function configTitle(marked, changed) {
  const count = marked.length === 1 ? '1 key' : `${marked.length} keys`;
  const remarks = [
    marked.length > 0 && `${count} not at the default`,
    changed.length > 0 && 'changed on the way',
  ].filter(Boolean);
  return remarks.length > 0 ? `Config (${remarks.join(', ')})` : 'Config';
}

/** Returns the config of a run, closed at first; null if it cannot be read. */
export function configCard({ config, config_changed: marked = [], settings_changed: changed }) {
  if (config === null) return null;
  return element(
    'details',
    { class: 'card config', id: 'run-config' },
    element('summary', {}, configTitle(marked, changed)),
    ...changed.flatMap(changeLines),
    ...markedKeys(config, marked),
    configText(config, marked),
  );
}

// The rows `[key, ...values]` of what differs; a run whose config cannot be read has no values.
function differences(runs) {
  const configs = runs.map(({ config }) => (config === null ? null : configValues(config)));
  const known = configs.filter(Boolean);
  const keys = [...new Set(known.flatMap((values) => [...values.keys()]))];
  return keys
    .filter((key) => new Set(known.map((values) => values.get(key))).size > 1)
    .map((key) => [key, ...configs.map((values) => values?.get(key) ?? '–')]);
}

function differencesTable(runs, rows) {
  const head = runs.map(({ name, colour }) =>
    element('th', { scope: 'col' }, element('span', { class: `key s${colour}` }, name)),
  );
  const row = ([key, ...values]) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, element('code', {}, key)),
      ...values.map((value) => element('td', {}, value)),
    );
  return element(
    'div',
    { class: 'scroll', role: 'region', tabindex: 0, 'aria-label': 'What differs in the configs' },
    element(
      'table',
      {},
      element('thead', {}, element('tr', {}, element('th', { scope: 'col' }, 'Key'), ...head)),
      element('tbody', {}, ...rows.map(row)),
    ),
  );
}

/** Returns what differs in the configs of runs `{name, config, colour}`; null for fewer than two. */
export function differencesCard(runs) {
  if (runs.length < 2) return null;
  const rows = differences(runs);
  return element(
    'section',
    { class: 'card differences', id: 'compare-configs' },
    element('h2', {}, 'What differs in the configs'),
    rows.length > 0
      ? differencesTable(runs, rows)
      : element('p', { class: 'muted' }, 'Nothing: these runs have the same config.'),
  );
}
