// Light or dark: as the system has it until the user says otherwise.

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

/** Applies the theme, and lets the button change it. */
export function startTheme() {
  apply();
  dark.addEventListener('change', apply);
  byId('theme').addEventListener('click', () => {
    remember('theme', current() === 'dark' ? 'light' : 'dark');
    apply();
  });
}
