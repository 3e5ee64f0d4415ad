// Light or dark colours: the system's setting, unless the user has chosen.

import { byId } from './dom.js';
import { remember, remembered } from './settings.js';

const dark = matchMedia('(prefers-color-scheme: dark)');

function current() {
  return remembered('theme', dark.matches ? 'dark' : 'light');
}

function apply() {
  const theme = current();
  document.documentElement.dataset.theme = theme;
  byId('theme').setAttribute('aria-pressed', String(theme === 'dark'));
}

/** Applies the theme and starts its button. */
export function startTheme() {
  apply();
  dark.addEventListener('change', apply);
  byId('theme').addEventListener('click', () => {
    remember('theme', current() === 'dark' ? 'light' : 'dark');
    apply();
  });
}
