// The view of a training run: live charts, and the games of an iteration.

import { call } from './api.js';
import { Chart } from './chart.js';
import { announce, element } from './dom.js';
import { trainingLink } from './link.js';
import { showFailure } from './message.js';
import { progress } from './runs.js';
import { gamesTable } from './run_games.js';
import { percent } from './values.js';

const of = (phase, key) => (iteration) => iteration[phase]?.[key] ?? null;

function rating({ evaluation }) {
  if (!Number.isFinite(evaluation?.rating)) return null;
  return { value: evaluation.rating, low: evaluation.rating_low, high: evaluation.rating_high };
}

const CHARTS = [
  {
    title: 'Rating',
    unit: 'Elo, with 95 % intervals',
    text: (elo) => String(Math.round(elo)),
    measures: [{ name: 'Rating', read: rating }],
  },
  {
    title: 'Losses',
    measures: [
      { name: 'Policy', read: of('learn', 'policy_loss') },
      { name: 'Value', read: of('learn', 'value_loss') },
    ],
  },
  {
    title: 'Self-play results',
    text: percent,
    floor: [0],
    measures: [
      { name: 'First player wins', read: of('selfplay', 'p1_wins') },
      { name: 'Second player wins', read: of('selfplay', 'p2_wins') },
      { name: 'Draws', read: of('selfplay', 'draws') },
    ],
  },
  {
    title: 'Game length',
    unit: 'turns',
    floor: [0],
    measures: [{ name: 'Mean', read: of('selfplay', 'mean_plies') }],
  },
  {
    title: 'Self-play speed',
    unit: 'evaluations/s',
    floor: [0],
    measures: [{ name: 'Self-play', read: of('selfplay', 'evaluations_per_s') }],
  },
  {
    title: 'Training speed',
    unit: 'positions/s',
    floor: [0],
    measures: [{ name: 'Training', read: of('learn', 'positions_per_s') }],
  },
];

/** The view of a run; `close` ends its event stream. */
export class RunView {
  #metrics = new Map();
  #drawing = 0;

  constructor(name, iteration) {
    Object.assign(this, { name, iteration });
    const onPick = (picked) => {
      location.hash = trainingLink(name, picked);
    };
    this.charts = CHARTS.map((chart) => new Chart({ ...chart, onPick }));
    this.facts = element('p', { class: 'muted' });
    this.games = element('section', {
      class: 'card games-card',
      id: 'run-games',
      hidden: true,
      tabindex: -1,
    });
    this.node = element(
      'div',
      {},
      element('p', {}, element('a', { href: trainingLink() }, '← All runs')),
      element('h1', {}, name),
      this.facts,
      this.games,
      element(
        'p',
        { class: 'muted' },
        'Choose a point in a chart to see the games of that iteration.',
      ),
      element('div', { class: 'charts' }, ...this.charts.map(({ node }) => node)),
    );
  }

  /** Loads the run and follows its metrics. */
  async start() {
    const run = await call(`/api/runs/${encodeURIComponent(this.name)}`);
    this.run = run;
    for (const metric of run.metrics) this.#add(metric);
    this.#draw();
    this.events = new EventSource(`/api/runs/${encodeURIComponent(this.name)}/events`);
    this.events.addEventListener('metrics', ({ data }) => {
      this.#add(JSON.parse(data));
      this.#drawing ||= requestAnimationFrame(() => {
        this.#drawing = 0;
        this.#draw();
      });
    });
    if (this.iteration !== null) await this.select(this.iteration);
  }

  /** Stops following the run. */
  close() {
    this.events?.close();
  }

  // What was measured of later iterations than a run was set back to no longer counts.
  #add(metric) {
    const { iteration, phase } = metric;
    if (phase === 'set_back') {
      for (const later of this.#metrics.keys()) if (later > iteration) this.#metrics.delete(later);
      return;
    }
    if (!this.#metrics.has(iteration)) this.#metrics.set(iteration, { iteration });
    this.#metrics.get(iteration)[phase] = metric;
  }

  #draw() {
    const iterations = [...this.#metrics.values()].sort((a, b) => a.iteration - b.iteration);
    for (const chart of this.charts) chart.show(iterations, this.iteration ?? undefined);
    const done = iterations.at(-1)?.iteration ?? 0;
    this.facts.textContent = progress({
      ...this.run,
      iterations: Math.max(done, this.run.iterations),
    });
  }

  /** Lists the games of an iteration. */
  async select(iteration) {
    this.iteration = iteration;
    this.#draw();
    try {
      const table = await gamesTable(this.name, iteration, showFailure);
      if (this.iteration !== iteration) return;
      this.games.replaceChildren(
        element('h2', {}, `Games of iteration ${iteration}`),
        element('div', { class: 'scroll tall' }, table),
      );
      this.games.hidden = false;
      announce(`Games of iteration ${iteration}`);
    } catch (error) {
      showFailure(error, () => this.select(iteration));
    }
  }
}
