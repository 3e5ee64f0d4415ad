// The banner after a game: why it ended, and what to do next.

import { byId } from './dom.js';

/** Calls `review` or `rematch` when their button is pressed. */
export function startResult({ review, rematch }) {
  byId('review').addEventListener('click', review);
  byId('rematch').addEventListener('click', rematch);
}

/** Shows or hides the banner; a rematch changes sides, for which one person must have played. */
export function showResult({ result, people, canReview }) {
  // Who works by keyboard goes on at the board when the banner goes.
  const isLeft = !result && byId('result').contains(document.activeElement);
  byId('result').hidden = !result;
  if (isLeft) byId('board').querySelector('[tabindex="0"]')?.focus();
  byId('reason').textContent = result?.reason ?? '';
  byId('review').hidden = !canReview;
  byId('rematch').hidden = people.length !== 1;
}
