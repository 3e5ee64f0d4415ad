// The button that copies the link.

import { showFailure, showNote } from './message.js';

/** Copies the address of the page, which holds the game shown. */
export async function copyLink() {
  try {
    await navigator.clipboard.writeText(location.href);
    showNote('Link copied. It contains the whole game.');
  } catch {
    showFailure(
      new Error(
        'The browser denied access to the clipboard. Copy the address of this page instead.',
      ),
    );
  }
}
