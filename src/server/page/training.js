// The training view: the list of runs, one run, or several in comparison.

import { comparison } from './compare.js';
import { byId, element } from './dom.js';
import { trainingLink } from './link.js';
import { showFailure } from './message.js';
import { RunView } from './run.js';
import { runsList } from './runs.js';

let shown = null;
// Counts the addresses opened: what is loaded for an earlier one is not shown any more.
let opened = 0;

function close() {
  shown?.close();
  shown = null;
}

/** Closes the view. */
export function closeTraining() {
  opened += 1;
  close();
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

async function openRun(run, iteration) {
  if (shown?.name === run) {
    if (iteration !== null) await shown.select(iteration);
    return;
  }
  close();
  const view = new RunView(run, iteration);
  shown = view;
  show(view.node);
  try {
    await view.start();
  } catch (error) {
    if (shown !== view) return;
    if (error.status !== 404) throw error;
    close();
    show(missing(run));
  }
}

/** Shows what an address names: all runs, a run, the games of an iteration, or a comparison. */
export async function openTraining(link) {
  opened += 1;
  const mine = opened;
  try {
    if (link.run) {
      await openRun(link.run, link.iteration);
      return;
    }
    close();
    const node = link.compare ? await comparison(link) : await runsList();
    if (mine === opened) show(node);
  } catch (error) {
    if (!link.run && mine !== opened) return;
    close();
    showFailure(error, () => openTraining(link));
  }
}
