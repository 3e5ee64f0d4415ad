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

/** Shows a text until it is dismissed, with a button for `choice`, `{label, action}`, if given. */
function showMessage(text, choice) {
  clearMessage();
  const dismiss = element(
    'button',
    { type: 'button', class: 'quiet', onclick: clearMessage },
    'Dismiss',
  );
  const chosen =
    choice &&
    element(
      'button',
      {
        type: 'button',
        onclick: () => {
          clearMessage();
          choice.action();
        },
      },
      choice.label,
    );
  byId('message').append(element('p', {}, text), element('div', { class: 'row' }, chosen, dismiss));
  byId('message').hidden = false;
}

/** Shows a text for four seconds; for fifteen with a button for `choice`, `{label, action}`. */
export function showNote(text, choice) {
  showMessage(text, choice);
  timer = setTimeout(clearMessage, choice ? 15_000 : 4000);
}

/** Shows an error, with a button for `again` if given, unless the page aborted the request. */
export function showFailure(error, again) {
  if (isAborted(error)) return;
  const wait = error.wait ? ` (wait ${error.wait} s)` : '';
  const text = error.message.charAt(0).toUpperCase() + error.message.slice(1);
  showMessage(text + wait, again && { label: 'Try again', action: again });
}
