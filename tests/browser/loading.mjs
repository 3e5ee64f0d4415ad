// Measures how the page loads: bytes over the wire, and the time to the first board and analysis.
//
//   node loading.mjs [--rounds N] [--page DIR]
//
// Each round is a fresh browser context, so its cache is empty. The figures are those of the fastest
// round, which other programs of the machine disturb least. The server has loaded the player before.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { launch } from './browser.mjs';
import { slowDown } from './network.mjs';
import { startServer } from './server.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
/** A game opened by a link is analysed at once. */
const LINK = '#/play/neutron5?turns=A5-A2';
/** Round trip in milliseconds, and megabits a second. */
const NETWORKS = {
  'this machine': { latency: 0, speed: 10_000 },
  'local network': { latency: 5, speed: 50 },
  'far server': { latency: 60, speed: 10 },
  'slow phone': { latency: 150, speed: 1.6 },
};

const { values: options } = parseArgs({
  options: { rounds: { type: 'string', default: '9' }, page: { type: 'string' } },
});

/** Loads the page once; returns the `requests`, and `board` and `analysis` in milliseconds. */
async function load(browser, base) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  let requests = 0;
  page.on('request', () => {
    requests += 1;
  });
  const begun = performance.now();
  await page.goto(`${base}/${LINK}`, { waitUntil: 'commit' });
  await page.waitForSelector('#board .hit', { state: 'attached' });
  const board = performance.now() - begun;
  await page.waitForSelector('#candidates tbody tr');
  const analysis = performance.now() - begun;
  await context.close();
  return { requests, board, analysis };
}

/** Loads the page some times over a network; returns the least of each figure. */
async function measure(browser, server, network) {
  const { base, received, stop } = await slowDown(server.base, network);
  const rounds = [];
  for (let round = 0; round < Number(options.rounds); round += 1) {
    received();
    const times = await load(browser, base);
    rounds.push({ ...times, kib: received() / 1024 });
  }
  stop();
  return ['requests', 'kib', 'board', 'analysis'].map((key) =>
    Math.min(...rounds.map((it) => it[key])),
  );
}

async function main() {
  const binary = process.env.TAVOLIERE ?? join(HERE, '../../target/release/tavoliere');
  const runs = await mkdtemp(join(tmpdir(), 'tavoliere-loading-'));
  const server = await startServer({ binary, runs, players: [], pageFolder: options.page });
  const browser = await launch();
  try {
    await load(browser, server.base);
    console.log('network        requests     KiB  board ms  analysis ms');
    for (const [name, network] of Object.entries(NETWORKS)) {
      const figures = await measure(browser, server, network);
      const row = figures.map((figure, at) => figure.toFixed(0).padStart([9, 8, 10, 13][at]));
      console.log(name.padEnd(14) + row.join(''));
    }
  } finally {
    await browser.close();
    await server.stop();
    await rm(runs, { recursive: true, force: true });
  }
}

await main();
