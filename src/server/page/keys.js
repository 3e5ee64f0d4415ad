// Keyboard shortcuts of the whole page.

function isTaken(target) {
  return (
    target.closest(
      'input:not([type=radio], [type=checkbox]), select, textarea, dialog, [contenteditable]',
    ) !== null
  );
}

/** Calls `actions[key]` when a key is pressed, except in fields and for arrows on radio buttons. */
export function startKeys(actions) {
  document.addEventListener('keydown', (event) => {
    if (
      event.defaultPrevented ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      isTaken(event.target)
    )
      return;
    if (event.target.matches('[type=radio]') && event.key.startsWith('Arrow')) return;
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
