// The view of training: the list of runs, or one of them.

import { byId } from './dom.js';
import { showFailure } from './message.js';
import { RunView } from './run.js';
import { runsList } from './runs.js';

let shown = null;

/** Leaves the view. */
export function closeTraining() {
  shown?.close();
  shown = null;
}

/** Shows what an address asks for: all runs, a run, the games of its iteration. */
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
