// The question before another game takes the place of one that people are playing.

import { byId } from './dom.js';

/** Asks whether to leave a game of `title` after `plies` turns; resolves to the answer. */
export function askToLeave(title, plies) {
  const dialog = byId('leave-dialog');
  if (dialog.open) return Promise.resolve(false);
  const turns = plies === 1 ? '1 turn' : `${plies} turns`;
  byId('leave-text').textContent = `Your game of ${title} is not over after ${turns}.`;
  // Escape closes it without an answer.
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    const answer = () => resolve(dialog.returnValue === 'leave');
    dialog.addEventListener('close', answer, { once: true });
  });
}
