// Messages at the top of the page.

import { byId, element } from './dom.js';
import { isAborted } from './api.js';

let timer = null;

/** Removes the message. */
export function clearMessage() {
  clearTimeout(timer);
  byId('message').hidden = true;
  byId('message').replaceChildren();
}

/** Shows a text until it is dismissed, with a button `Try again` if `again` is given. */
export function showMessage(text, again) {
  clearMessage();
  const dismiss = element(
    'button',
    { type: 'button', class: 'quiet', onclick: clearMessage },
    'Dismiss',
  );
  const retry =
    again &&
    element(
      'button',
      {
        type: 'button',
        onclick: () => {
          clearMessage();
          again();
        },
      },
      'Try again',
    );
  byId('message').append(element('p', {}, text), element('div', { class: 'row' }, retry, dismiss));
  byId('message').hidden = false;
}

/** Shows a text for four seconds. */
export function showNote(text) {
  showMessage(text);
  timer = setTimeout(clearMessage, 4000);
}

/** Shows an error, unless the page itself aborted the request. */
export function showFailure(error, again) {
  if (isAborted(error)) return;
  const wait = error.wait ? ` (wait ${error.wait} s)` : '';
  const text = error.message.charAt(0).toUpperCase() + error.message.slice(1);
  showMessage(text + wait, again);
}
