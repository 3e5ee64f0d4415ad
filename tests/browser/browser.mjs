// Starts the browser under test.

import { chromium, firefox } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The name of the browser: `chromium` or `firefox`. */
export const NAME = process.env.TAVOLIERE_BROWSER ?? 'chromium';

/** Starts the browser; `isDark` tells Firefox that the system's colours are dark. */
export function launch(isDark = false) {
  if (NAME === 'chromium')
    return chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: FLAGS,
    });
  // The channel makes Playwright speak WebDriver BiDi, which an ordinary Firefox understands.
  return firefox.launch({
    channel: 'moz-firefox',
    executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr',
    // Playwright cannot ask this Firefox for a colour scheme or reduced motion.
    firefoxUserPrefs: { 'ui.prefersReducedMotion': 1, 'ui.systemUsesDarkTheme': Number(isDark) },
  });
}
