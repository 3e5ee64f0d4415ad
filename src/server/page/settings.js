// What this browser remembers of its user's choices; nothing where storage is switched off.

const PREFIX = 'tavoliere.';

/** A remembered choice, or what stands for it. */
export function remembered(name, otherwise) {
  try {
    return localStorage.getItem(PREFIX + name) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** Remembers a choice. */
export function remember(name, value) {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // A browser that keeps nothing forgets the choice with the page.
  }
}
