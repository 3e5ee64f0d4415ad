// What a run is doing: phase, time left, alarms, and the workers of a cluster.

import { call } from './api.js';
import { element } from './dom.js';

/** Milliseconds from one look to the next. */
export const PERIOD = 5000;

const PHASES = {
  start: 'starting',
  selfplay: 'self-play',
  learn: 'training',
  evaluation: 'evaluation',
  finished: 'finished',
  idle: 'not running',
};

const UNITS = { selfplay: 'games', learn: 'steps', evaluation: 'games' };

/** The phase of a run in words. */
export function phaseName(phase) {
  return PHASES[phase] ?? phase;
}

/** Seconds as `3 h 05 min`, `12 min` or `40 s`. */
export function duration(seconds) {
  const minutes = Math.round(seconds / 60);
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}

function doing({ phase, iteration, done, total }) {
  const name = phaseName(phase);
  const words = name.charAt(0).toUpperCase() + name.slice(1);
  if (iteration === null) return words;
  if (phase === 'start') return iteration > 1 ? `Resuming with iteration ${iteration}` : words;
  const so = total > 0 ? ` (${done} of ${total} ${UNITS[phase] ?? ''})` : '';
  return `${words} of iteration ${iteration}${so}`;
}

function stateText(state) {
  const parts = [doing(state)];
  if (state.seconds > 0) parts.push(`trained for ${duration(state.seconds)}`);
  if (state.seconds_left !== null) parts.push(`about ${duration(state.seconds_left)} left`);
  return parts.join(' · ');
}

function alarmLine({ name, hint }) {
  return element(
    'li',
    {},
    element('b', { class: 'alarm' }, name.replaceAll('_', ' ')),
    `: to mend it, ${hint}.`,
  );
}

/** The workers that play for a run, and how busy they keep its learner. */
function clusterTable({ workers, tasks, waiting }) {
  const head = ['Worker', 'Threads', 'CPU engine', 'Games/s', 'Last seen'];
  const row = (worker) => [
    worker.host,
    worker.threads,
    worker.engine,
    worker.games_per_s.toFixed(1),
    `${Math.round(worker.silent)} s ago`,
  ];
  const cells = (kind, texts) => texts.map((text) => element(kind, {}, `${text}`));
  const count = workers.length === 1 ? '1 worker plays' : `${workers.length} workers play`;
  const share = Math.round(100 * waiting);
  const caption = `${count}; ${tasks} tasks in the queue; the learner waits ${share} % of its time`;
  return [
    element('caption', {}, caption),
    element('thead', {}, element('tr', {}, ...cells('th', head))),
    element('tbody', {}, ...workers.map((worker) => element('tr', {}, ...cells('td', row(worker))))),
  ];
}

/** Shows the state of a run, anew every few seconds. Calls `changed(state)` when it is known. */
export class RunState {
  #timer = null;

  constructor(name, changed) {
    Object.assign(this, { name, changed });
    this.line = element('p', { id: 'run-state' });
    this.alarms = element('ul', { class: 'alarms', id: 'run-alarms', hidden: true });
    this.cluster = element('table', { class: 'cluster', id: 'run-cluster', hidden: true });
    const workers = element('div', { class: 'scroll' }, this.cluster);
    this.node = element('div', {}, this.line, this.alarms, workers);
  }

  /** Looks now, and then every few seconds. */
  async start() {
    await this.#look();
    this.#timer = setInterval(() => this.#look().catch(() => {}), PERIOD);
  }

  /** Looks no more. */
  close() {
    clearInterval(this.#timer);
  }

  async #look() {
    const state = await call(`/api/runs/${encodeURIComponent(this.name)}/progress`);
    this.line.textContent = stateText(state);
    this.alarms.hidden = state.alarms.length === 0;
    this.alarms.replaceChildren(...state.alarms.map(alarmLine));
    this.cluster.hidden = !state.cluster;
    if (state.cluster) this.cluster.replaceChildren(...clusterTable(state.cluster));
    this.changed(state);
  }
}
