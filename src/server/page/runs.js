// The list of training runs.

import { call } from './api.js';
import { firstGame, gameTitle } from './catalogue.js';
import { element } from './dom.js';
import { comparisonLink, trainingLink } from './link.js';
import { PERIOD, duration, phaseName } from './run_state.js';

const DATE = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });

function iterationsOf({ iterations, planned }) {
  return `${iterations}${planned === null ? '' : ` of ${planned}`} iterations`;
}

/** Returns the game and the progress of a run as text. */
export function progress(run) {
  return `${gameTitle(run.game)} · ${iterationsOf(run)}`;
}

/** Returns a line that says what is wrong with a run; null if nothing is. */
export function problemLine({ problem }) {
  return problem ? element('span', { class: 'problem' }, `Damaged: ${problem}`) : null;
}

// The rating of the best network. A server that does not tell it names the network only.
function bestLine({ best, rating }) {
  if (best === null) return 'Not evaluated yet';
  if (!Number.isFinite(rating)) return `Best network: iteration ${best}`;
  return `Best rating ${Math.round(rating)} Elo (iteration ${best})`;
}

function when(seconds) {
  const date = new Date(1000 * seconds);
  return element('time', { datetime: date.toISOString() }, DATE.format(date));
}

function timeLine({ time, seconds }) {
  const date = Number.isFinite(time) ? when(time) : null;
  const trained = seconds >= 1 ? `${duration(seconds)} of training` : null;
  return [date, date && trained && ' · ', trained].filter(Boolean);
}

async function fill(node, { name }) {
  const state = await call(`/api/runs/${encodeURIComponent(name)}/progress`);
  node.querySelector('.run-best').textContent = bestLine(state);
  node.querySelector('.run-time').replaceChildren(...timeLine(state));
}

// The list does not tell everything about a run. The rest is asked for when its card is seen.
function fillWhenSeen(node, run) {
  const watch = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    watch.disconnect();
    // Without it, the card still says enough.
    fill(node, run).catch(() => {});
  });
  watch.observe(node);
}

// How far a run is, and what it is doing.
function showPhase(node, run) {
  node.querySelector('.run-phase').textContent = `${iterationsOf(run)} · ${phaseName(run.phase)}`;
  const bar = node.querySelector('progress');
  bar.max = Math.max(run.planned ?? run.iterations, 1);
  bar.value = run.iterations;
}

function card(run) {
  if (run.game === null)
    return element(
      'li',
      {},
      element('div', { class: 'card run' }, element('b', {}, run.name), problemLine(run)),
    );
  const link = element(
    'a',
    { class: 'card run', href: trainingLink(run.name), 'data-run': run.name },
    element('b', {}, run.name),
    element('span', { class: 'run-best' }),
    element('span', { class: 'muted run-time' }),
    problemLine(run),
    element('span', { class: 'muted run-phase' }),
    // The line above says the same.
    element('progress', { 'aria-hidden': 'true' }),
  );
  showPhase(link, run);
  fillWhenSeen(link, run);
  return element('li', {}, link);
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

// Shows what the runs of a list are doing now.
async function renew(node) {
  const runs = new Map((await call('/api/runs')).map((run) => [run.name, run]));
  for (const link of node.querySelectorAll('[data-run]')) {
    const run = runs.get(link.dataset.run);
    if (run && run.game !== null) showPhase(link, run);
  }
}

/** The list of all runs. It tells what they are doing, anew every few seconds. */
export class RunsList {
  #timer = null;

  /** Returns the list. */
  async load() {
    const node = listOf(await call('/api/runs'));
    this.#timer = setInterval(() => renew(node).catch(() => {}), PERIOD);
    if (this.closed) this.close();
    return node;
  }

  /** Looks no more. */
  close() {
    this.closed = true;
    clearInterval(this.#timer);
  }
}

function listOf(runs) {
  const games = [...new Set(runs.map(({ game }) => game))].sort(
    (a, b) => (a === null) - (b === null),
  );
  const empty = element(
    'p',
    {},
    'There are no training runs here yet. The command ',
    element('code', {}, `tavoliere train ${firstGame()}`),
    ' starts one, in the folder checkpoints; ',
    element('code', {}, 'tavoliere serve --runs DIR'),
    ' shows those of another folder.',
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
