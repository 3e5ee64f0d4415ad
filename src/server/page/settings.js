// The user's choices, kept in the browser's local storage if it is available.

const PREFIX = 'tavoliere.';

/** Returns a stored choice, or `otherwise`. */
export function remembered(name, otherwise) {
  try {
    return localStorage.getItem(PREFIX + name) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Stores a choice. */
export function remember(name, value) {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // Without storage, choices last as long as the page.
  }
}
