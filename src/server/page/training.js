// The training view: the list of runs, or one run.

import { byId } from './dom.js';
import { showFailure } from './message.js';
import { RunView } from './run.js';
import { runsList } from './runs.js';

let shown = null;

/** Closes the view. */
export function closeTraining() {
  shown?.close();
  shown = null;
}

/** Shows what an address names: all runs, a run, or the games of an iteration. */
export async function openTraining({ run, iteration }) {
  try {
    if (run && shown?.name === run) {
      if (iteration !== null) await shown.select(iteration);
      return;
    }
    closeTraining();
    if (!run) {
      byId('training').replaceChildren(await runsList());
      return;
    }
    shown = new RunView(run, iteration);
    byId('training').replaceChildren(shown.node);
    await shown.start();
  } catch (error) {
    closeTraining();
    showFailure(error, () => openTraining({ run, iteration }));
  }
}
