// The training view: the list of runs, one run, or several in comparison.

import { Comparison } from './compare.js';
import { byId, element } from './dom.js';
import { trainingLink } from './link.js';
import { showFailure } from './message.js';
import { RunView } from './run.js';
import { RunsList } from './runs.js';

// The view, also while it is loaded.
let shown = null;

/** Closes the view. */
export function closeTraining() {
  shown?.close();
  shown = null;
}

/** Returns the title of the view that an address names. */
export function trainingTitle({ run, iteration, compare }, gameTitle) {
  if (compare) return `Runs of ${gameTitle(compare)} – Training`;
  if (!run) return 'Training';
  return `${run}${iteration === null ? '' : `, games of iteration ${iteration}`} – Training`;
}

function show(node) {
  byId('training').replaceChildren(node);
}

// A run that is not there, with a way back.
function missing(name) {
  return element(
    'div',
    { id: 'no-run' },
    element('h1', {}, 'No such run'),
    element(
      'p',
      {},
      'The served folder has no training run ',
      element('b', {}, name),
      '. It may have been renamed or removed.',
    ),
    element('p', {}, element('a', { class: 'button', href: trainingLink() }, '← All runs')),
  );
}

// `load` may end when its view was left, and then says nothing.
async function fillView(view, load) {
  try {
    await load();
  } catch (error) {
    if (shown === view) throw error;
  }
}

// Takes the place of the view before.
async function enter(view, load) {
  closeTraining();
  shown = view;
  await fillView(view, load);
}

async function openRun(run, iteration) {
  if (shown?.name === run) {
    if (iteration !== null) await shown.select(iteration);
    return;
  }
  const view = new RunView(run, iteration);
  show(view.node);
  try {
    await enter(view, () => view.start());
  } catch (error) {
    if (error.status !== 404) throw error;
    closeTraining();
    show(missing(run));
  }
}

async function openComparison(link) {
  const open = shown;
  if (open instanceof Comparison && open.game === link.compare) {
    await fillView(open, () => open.show(link));
    return;
  }
  const view = new Comparison(link.compare);
  show(view.node);
  await enter(view, () => view.start(link));
}

async function openList() {
  const view = new RunsList();
  await enter(view, async () => {
    const node = await view.load();
    if (shown === view) show(node);
  });
}

/** Shows what an address names: all runs, a run, the games of an iteration, or a comparison. */
export async function openTraining(link) {
  try {
    if (link.run) await openRun(link.run, link.iteration);
    else if (link.compare) await openComparison(link);
    else await openList();
  } catch (error) {
    closeTraining();
    showFailure(error, () => openTraining(link));
  }
}
