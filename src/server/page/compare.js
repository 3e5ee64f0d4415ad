// Several runs of a game in comparison: what differs in their configs, and charts on one axis.

import { call } from './api.js';
import { gameTitle } from './catalogue.js';
import { Chart } from './chart.js';
import { element } from './dom.js';
import { comparisonLink, trainingLink } from './link.js';
import { comparedCharts } from './run_charts.js';
import { differencesCard } from './run_details.js';
import { Metrics, timed } from './run_metrics.js';

/** The most runs of a comparison: each has a colour of its own. */
const MOST = 6;

/** Height of a chart in pixels: several are on the screen at once. */
const HEIGHT = 150;

const AXES = [
  ['iterations', 'iteration'],
  ['hours', 'time of training'],
];

// From two hours on, time is in hours, and below in smaller units.
const UNITS = [
  { place: 'Hours', least: 2, factor: 1 },
  { place: 'Minutes', least: 2 / 60, factor: 60 },
  { place: 'Seconds', least: 0, factor: 3600 },
];

const shortNumber = (number) => String(Number(number.toFixed(2)));

/** What runs along the horizontal axis of all charts: `{place, x(iteration), range, xText}`. */
function axisOf(runs, by) {
  const ends = runs.flatMap(({ iterations }) => iterations.slice(-1));
  if (by !== 'hours') {
    const most = Math.max(2, ...ends.map(({ iteration }) => iteration));
    return { place: 'Iteration', x: ({ iteration }) => iteration, range: [1, most] };
  }
  const longest = Math.max(0, ...ends.map(({ hours }) => hours));
  const { place, factor } = UNITS.find(({ least }) => longest >= least);
  return {
    place,
    x: ({ hours }) => factor * hours,
    range: [0, factor * longest],
    xText: shortNumber,
  };
}

function lineOf({ iterations }, read, x) {
  return iterations.flatMap((iteration) => {
    const found = read(iteration);
    if (found === null) return [];
    return [{ x: x(iteration), ...(typeof found === 'number' ? { value: found } : found) }];
  });
}

async function load(name) {
  const { metrics, config } = await call(`/api/runs/${encodeURIComponent(name)}`);
  const read = new Metrics(metrics);
  return { name, config, iterations: timed(read.iterations), panel: read.panel };
}

/** A comparison of runs of a game. */
export class Comparison {
  #loaded = new Map();
  #charts = [];
  #shown = {};

  constructor(game) {
    this.game = game;
    this.bar = element('div', { class: 'compare-bar' });
    this.configs = element('div');
    this.drawn = element('div', { class: 'compare-charts' });
    this.node = element(
      'div',
      { id: 'comparison' },
      element('p', {}, element('a', { href: trainingLink() }, '← All runs')),
      element('h1', {}, `Runs of ${gameTitle(game)}`),
      this.bar,
      this.configs,
      this.drawn,
      element(
        'p',
        { class: 'muted' },
        'Ratings are those of each run’s own evaluations: they can be compared if the runs have the ' +
          'same first opponent, which has the rating 0.',
      ),
    );
  }

  /** Loads the list of runs, and compares those that an address names. */
  async start(link) {
    this.link = link;
    const all = await call('/api/runs');
    this.names = all.filter(({ game }) => game === this.game).map(({ name }) => name);
    if (this.names.length === 0) {
      this.drawn.replaceChildren(element('p', {}, 'There are no runs of this game.'));
      return;
    }
    this.#offer();
    await this.show(this.link);
  }

  /** Compares the runs that an address names, along the axis that it names. */
  async show(link) {
    this.link = link;
    // The list of runs may be on its way still.
    if (!this.boxes) return;
    const { runs: named, by } = link;
    const wanted = named.filter((name) => this.names.includes(name));
    const chosen = (wanted.length > 0 ? wanted : this.names).slice(0, MOST);
    const shown = { runs: chosen, by: by ?? 'iterations' };
    this.#shown = shown;
    this.#showChoice();
    const runs = await Promise.all(chosen.map((name) => this.#load(name)));
    // Another choice may have been made meanwhile.
    if (this.#shown === shown && !this.closed) this.#draw(runs);
  }

  /** Leaves the comparison. */
  close() {
    this.closed = true;
  }

  // Each run is loaded once, so that another choice is shown at once.
  #load(name) {
    if (!this.#loaded.has(name)) {
      const loading = load(name);
      loading.catch(() => this.#loaded.delete(name));
      this.#loaded.set(name, loading);
    }
    return this.#loaded.get(name);
  }

  #go(change) {
    location.hash = comparisonLink({ game: this.game, ...this.#shown, ...change });
  }

  // The choice of runs, which is the legend of the charts as well, and that of the axis.
  #offer() {
    const pick = () =>
      this.#go({ runs: this.boxes.filter(({ checked }) => checked).map(({ value }) => value) });
    this.boxes = this.names.map((value) =>
      element('input', { type: 'checkbox', value, onchange: pick }),
    );
    this.keys = this.names.map((name) => element('span', {}, name));
    this.axis = element(
      'select',
      { id: 'compare-by', onchange: () => this.#go({ by: this.axis.value }) },
      ...AXES.map(([value, text]) => element('option', { value }, text)),
    );
    this.unit = element('span');
    const choices = this.boxes.map((box, index) =>
      element('label', { class: 'inline' }, box, this.keys[index]),
    );
    this.bar.replaceChildren(
      element(
        'fieldset',
        { class: 'compare-choice', id: 'compare-runs' },
        element('legend', {}, `Runs (at most ${MOST})`),
        ...choices,
      ),
      element('label', { class: 'inline' }, 'Axis ', this.axis, this.unit),
    );
  }

  #showChoice() {
    const { runs, by } = this.#shown;
    const isFull = runs.length === MOST;
    this.boxes.forEach((box, index) => {
      box.checked = runs.includes(box.value);
      box.disabled = isFull ? !box.checked : runs.length === 1 && box.checked;
      this.keys[index].className = box.checked ? `key s${this.#colour(box.value)}` : '';
    });
    this.axis.value = by;
  }

  // A run keeps its colour while others come and go, if there are enough colours.
  #colour(name) {
    const all = this.names.length <= MOST ? this.names : this.#shown.runs;
    return all.indexOf(name);
  }

  #draw(loaded) {
    const runs = loaded.map((run) => ({ ...run, colour: this.#colour(run.name) }));
    this.configs.replaceChildren(...[differencesCard(runs)].filter(Boolean));
    const { x, ...axis } = axisOf(runs, this.#shown.by);
    this.unit.textContent = this.#shown.by === 'hours' ? ` in ${axis.place.toLowerCase()}` : '';
    const panel = [...new Set(runs.flatMap((run) => run.panel))];
    const drawn = comparedCharts(panel).map(({ read, ...settings }) => {
      const chart = this.#chart(runs, settings, axis);
      chart.draw(runs.map((run) => lineOf(run, read, x)), axis);
      return chart;
    });
    this.#charts = drawn.filter(({ node }) => !node.hidden);
    const none = element('p', { class: 'muted' }, 'Nothing was measured yet.');
    const nodes = this.#charts.map(({ node }) => node);
    this.drawn.replaceChildren(...(nodes.length > 0 ? nodes : [none]));
  }

  #chart(runs, settings, { place, xText }) {
    const measures = runs.map(({ name, colour }) => ({ name, colour }));
    const onMove = (at) => this.#mirror(chart, at);
    const look = { place, xText, height: HEIGHT, isHeld: true };
    const chart = new Chart({ ...settings, ...look, measures, onMove });
    return chart;
  }

  // All charts mark the position of the cursor of one.
  #mirror(moved, x) {
    for (const chart of this.#charts) if (chart !== moved) chart.plot.mirror(x);
  }
}
