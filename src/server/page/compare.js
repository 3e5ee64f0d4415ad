// Several runs of a game in one chart.

import { call } from './api.js';
import { gameTitle } from './catalogue.js';
import { Chart } from './chart.js';
import { element } from './dom.js';
import { comparisonLink, trainingLink } from './link.js';
import { Metrics, of, rating, scoreAgainst } from './run_metrics.js';
import { percent } from './values.js';

/** The most runs in a chart: each has a colour of its own. */
const MOST = 6;

/** Above this number of hours, time is in hours, and else in minutes. */
const LONG = 2;

const whole = (number) => String(Math.round(number));

function measuresOf(runs) {
  const panels = new Set(runs.flatMap(({ metrics }) => metrics.panel));
  return [
    { key: 'rating', title: 'Rating', unit: 'Elo', text: whole, read: rating },
    ...[...panels].map((opponent) => ({
      key: `score.${opponent}`,
      title: `Score against ${opponent}`,
      text: percent,
      floor: [0],
      read: scoreAgainst(opponent),
    })),
    { key: 'policy', title: 'Policy loss', read: of('learn', 'policy_loss') },
    { key: 'value', title: 'Value loss', read: of('learn', 'value_loss') },
  ];
}

// Each iteration with the hours of self-play and training up to its end.
function timed({ iterations }) {
  let hours = 0;
  return iterations.map((iteration) => {
    hours += ((iteration.selfplay?.seconds ?? 0) + (iteration.learn?.seconds ?? 0)) / 3600;
    return { ...iteration, hours };
  });
}

function lineOf(run, measure, x) {
  return timed(run.metrics).flatMap((iteration) => {
    const found = measure.read(iteration);
    if (found === null) return [];
    return [{ x: x(iteration), ...(typeof found === 'number' ? { value: found } : found) }];
  });
}

function placeOf(runs, by) {
  if (by !== 'hours') return { place: 'Iteration', x: ({ iteration }) => iteration };
  const longest = Math.max(...runs.map(({ metrics }) => timed(metrics).at(-1)?.hours ?? 0));
  return longest > LONG
    ? { place: 'Hours', x: ({ hours }) => hours }
    : { place: 'Minutes', x: ({ hours }) => 60 * hours };
}

function select(id, label, options, chosen, changed) {
  const entries = options.map(([value, text]) =>
    element('option', { value, selected: value === chosen }, text),
  );
  const box = element('select', { id, onchange: () => changed(box.value) }, ...entries);
  return element('label', { class: 'inline' }, `${label} `, box);
}

function runChoice(all, chosen, changed) {
  const boxes = all.map(({ name }) =>
    element('input', {
      type: 'checkbox',
      value: name,
      checked: chosen.includes(name),
      onchange: () =>
        changed(boxes.filter(({ checked }) => checked).map(({ value }) => value)),
    }),
  );
  return element(
    'fieldset',
    { class: 'compare-choice', id: 'compare-runs' },
    element('legend', {}, `Runs (at most ${MOST})`),
    ...boxes.map((box) => element('label', { class: 'inline' }, box, ` ${box.value}`)),
  );
}

async function load(name) {
  const { metrics } = await call(`/api/runs/${encodeURIComponent(name)}`);
  return { name, metrics: new Metrics(metrics) };
}

function chartOf(runs, measure, by) {
  const { place, x } = placeOf(runs, by);
  const { title, unit, text, floor } = measure;
  const measures = runs.map(({ name }) => ({ name }));
  const chart = new Chart({ title, unit, text, floor, measures, place, height: 360 });
  chart.draw(runs.map((run) => lineOf(run, measure, x)));
  const none = element('p', { class: 'muted' }, 'Nothing of this was measured yet.');
  return chart.node.hidden ? none : chart.node;
}

/** Returns the comparison that an address names: some runs of a game by a measure. */
export async function comparison({ compare: game, runs: named, measure: key, by }) {
  const all = (await call('/api/runs')).filter((run) => run.game === game);
  const names = all.map(({ name }) => name);
  const wanted = named.length > 0 ? named.filter((name) => names.includes(name)) : names;
  const chosen = wanted.slice(0, MOST);
  const runs = await Promise.all(chosen.map(load));
  const measures = measuresOf(runs);
  const measure = measures.find((candidate) => candidate.key === key) ?? measures[0];
  const go = (change) => {
    location.hash = comparisonLink({ game, runs: chosen, measure: measure.key, by, ...change });
  };
  const options = measures.map(({ key: value, title }) => [value, title]);
  const axes = [
    ['iterations', 'iteration'],
    ['hours', 'time of training'],
  ];
  return element(
    'div',
    { id: 'comparison' },
    element('p', {}, element('a', { href: trainingLink() }, '← All runs')),
    element('h1', {}, `Runs of ${gameTitle(game)}`),
    all.length === 0 ? element('p', {}, 'There are no runs of this game.') : null,
    runChoice(all, chosen, (list) => go({ runs: list.slice(0, MOST) })),
    element(
      'div',
      { class: 'row' },
      select('compare-measure', 'Show', options, measure.key, (value) => go({ measure: value })),
      select('compare-by', 'by', axes, by ?? 'iterations', (value) => go({ by: value })),
    ),
    chartOf(runs, measure, by),
    element(
      'p',
      { class: 'muted' },
      'Ratings are those of each run’s own evaluations: they can be compared if the runs have the ' +
        'same first opponent, which has the rating 0.',
    ),
  );
}
