// The view of a training run: what it is doing, live charts, and the games of an iteration.

import { addressOf, call } from './api.js';
import { differingRules } from './catalogue.js';
import { Chart } from './chart.js';
import { announce, element } from './dom.js';
import { playLink, trainingLink } from './link.js';
import { showFailure } from './message.js';
import { chartsOf } from './run_charts.js';
import { configCard, resultsCard } from './run_details.js';
import { gamesTable } from './run_games.js';
import { Metrics } from './run_metrics.js';
import { RunState } from './run_state.js';
import { worthCard } from './run_worth.js';
import { problemLine, progress } from './runs.js';

// The phases of a run that nobody trains.
const ENDED = ['finished', 'idle'];

/** The view of a run; `close` ends its event stream. */
export class RunView {
  #metrics = new Metrics();
  #drawing = 0;
  #best = null;
  #reached = null;

  constructor(name, iteration) {
    Object.assign(this, { name, iteration, charts: [], panel: '' });
    this.state = new RunState(name, (state) => this.#changed(state));
    this.facts = element('p', { class: 'muted' });
    this.actions = element('div', { class: 'row run-actions', id: 'run-actions' });
    this.games = element('section', {
      class: 'card games-card',
      id: 'run-games',
      hidden: true,
      tabindex: -1,
    });
    this.worth = element('div');
    this.results = element('div');
    this.config = element('div');
    this.drawn = element('div', { class: 'charts' });
    this.node = element(
      'div',
      {},
      element('p', {}, element('a', { href: trainingLink() }, '← All runs')),
      element('h1', {}, name),
      this.facts,
      this.state.node,
      this.actions,
      this.worth,
      this.games,
      element(
        'p',
        { class: 'muted' },
        'Choose a point in a chart to see the games of that iteration.',
      ),
      this.drawn,
      this.results,
      this.config,
    );
  }

  get #address() {
    return `/api/runs/${encodeURIComponent(this.name)}`;
  }

  /** Loads the run and follows its metrics. */
  async start() {
    const run = await call(this.#address);
    this.run = run;
    this.#best = run.best;
    this.#metrics = new Metrics(run.metrics);
    this.config.replaceChildren(...[configCard(run)].filter(Boolean));
    this.#showWorth(run);
    this.#draw();
    await this.state.start();
    if (this.closed) return this.close();
    this.events = new EventSource(addressOf(`${this.#address}/events`));
    this.events.addEventListener('metrics', ({ data }) => {
      this.#metrics.add(JSON.parse(data));
      this.#drawing ||= requestAnimationFrame(() => {
        this.#drawing = 0;
        this.#draw();
      });
    });
    if (this.iteration !== null) await this.select(this.iteration);
  }

  /** Stops following the run. */
  close() {
    this.closed = true;
    this.state.close();
    this.events?.close();
  }

  #changed({ best, iterations, phase }) {
    const hasEnded = this.phase !== undefined && this.phase !== phase && ENDED.includes(phase);
    this.phase = phase;
    if (hasEnded) this.#look().catch(() => {});
    const isNew = best !== this.#best || iterations !== this.#reached;
    Object.assign(this.run, { iterations });
    this.#best = best;
    this.#reached = iterations;
    if (isNew) this.#offer();
    this.#say();
  }

  #say() {
    this.facts.replaceChildren(progress(this.run), ' ', problemLine(this.run) ?? '');
  }

  // The card is written where a training ends.
  async #look() {
    this.#showWorth(await call(this.#address));
  }

  #showWorth(run) {
    this.worth.replaceChildren(...[worthCard(run)].filter(Boolean));
  }

  // Links to the board, with a network of the run as the opponent.
  #offer() {
    const { game, rules, player } = this.run;
    if (player === null) return;
    const to = (name) =>
      playLink({ game, rules: differingRules(game, rules), player: name });
    const link = (text, name, kind) => element('a', { class: kind, href: to(name) }, text);
    this.actions.replaceChildren(
      link('Play this network', player, 'button strong'),
      ...(this.#best === null || this.#best === this.run.iterations
        ? []
        : [link(`Play its best (iteration ${this.#best})`, `${player}@best`, 'button')]),
    );
  }

  // The charts are made anew if there are new opponents.
  #makeCharts() {
    const { panel } = this.#metrics;
    if (this.charts.length > 0 && panel.join() === this.panel) return;
    this.panel = panel.join();
    const onPick = (picked) => {
      location.hash = trainingLink(this.name, picked);
    };
    this.charts = chartsOf(this.run.game, panel).map((chart) => new Chart({ ...chart, onPick }));
    this.drawn.replaceChildren(...this.charts.map(({ node }) => node));
  }

  #draw() {
    this.#makeCharts();
    const { iterations, evaluated } = this.#metrics;
    for (const chart of this.charts) chart.show(iterations, this.iteration ?? undefined);
    const done = iterations.at(-1)?.iteration ?? 0;
    this.run.iterations = Math.max(done, this.run.iterations);
    this.results.replaceChildren(...[resultsCard(this.run.game, evaluated)].filter(Boolean));
    this.#say();
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
