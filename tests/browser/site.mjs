// Tests a site without a server: `tavoliere site` behind Python's web server, in a real browser.
//
//   npm run site [-- --program FILE]     FILE is a WebAssembly module instead of the built-in one
//   npm run site -- --program FILE --player DIR
//                                        an exported player, called like its game, of the program TAVOLIERE

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { launch } from './browser.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
  options: { program: { type: 'string' }, player: { type: 'string' }, speed: { type: 'boolean' } },
});
const binary = process.env.TAVOLIERE ?? join(HERE, '../../target/release/tavoliere');
/** The players, by name or folder: the first plays with the host, the last without it. */
const players = options.player ? [options.player] : ['neutron5', 'susan'];

/** Simulations a turn, in the browser and in the native program. */
const SIMULATIONS = 100;

/** Serves a folder below an address that is not the root of the host, as many hosts do. */
function serve(folder) {
  const child = spawn('python3', ['-u', '-m', 'http.server', '0', '--bind', '127.0.0.1', '--directory', folder], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => {
      const [, port] = String(text).match(/port (\d+)/) ?? [];
      if (port) resolve({ base: `http://127.0.0.1:${port}/site/`, stop: () => child.kill() });
    });
    child.on('error', reject);
  });
}

/** Asks the program of the page, as the page itself does. */
function ask(page, path, body) {
  return page.evaluate(
    async ([path, body]) => {
      const { call } = await import(new URL('assets/api.js', document.baseURI));
      return call(path, body);
    },
    [path, body],
  );
}

/** The turn of the native player, with the arithmetic of WebAssembly. */
function nativeTurns(player, lines) {
  const queries = lines.map((moves) => JSON.stringify({ moves, simulations: SIMULATIONS })).join('\n');
  const answers = execFileSync(binary, ['analyze', '--player', `${player}?engine=portable`], {
    input: `${queries}\n`,
    env: { ...process.env, RAYON_NUM_THREADS: '1' },
  });
  return String(answers).trim().split('\n').map((line) => JSON.parse(line).best);
}

/** Plays a whole game of a player against itself; every turn is that of the native player. */
async function playGame(page, place) {
  const player = basename(place);
  const moves = [];
  let position;
  do {
    const body = { game: player, player, moves, simulations: SIMULATIONS };
    position = await ask(page, '/api/reply', body);
    moves.push(position.moves.at(-1));
  } while (!position.outcome && moves.length < 300);
  const lines = moves.map((_, ply) => moves.slice(0, ply));
  assert.deepEqual(moves, nativeTurns(place, lines), 'the turns are those of the native player');
  return moves;
}

/** Plays a game as people do: the page shows the computer's turns. */
async function watchGame(page, base, player) {
  await page.goto(`${base}#/play/${player}`);
  // Until the new game is there, a choice of sides would be one of the game before.
  await page.waitForFunction((player) => document.getElementById('game').value === player, player);
  await page.locator('input[name=side][value=none]').check({ force: true });
  try {
    // A game of weak players can be over soon.
    await page.waitForFunction(
      () =>
        document.querySelectorAll('#turns .turn').length >= 4 || !document.getElementById('result').hidden,
      null,
      { timeout: 60_000 },
    );
  } catch (error) {
    const shown = await page.locator('body').innerText();
    throw new Error(`the computer does not play ${player}; the page says: ${shown}`, { cause: error });
  }
  return page.locator('#turns .turn').count();
}

/** The first page of a site has cards of the games of its players, and no others. */
async function showGames(page) {
  await page.waitForSelector('#games .card svg');
  const links = await page.locator('#games .card h2 a').evaluateAll((all) => all.map((link) => link.hash));
  const own = players.map((place) => `#/play/${basename(place)}`);
  assert.ok(links.length > 0 && links.every((link) => own.includes(link)), `${links} of ${own}`);
  await page.locator('#games .card button').first().click();
  await page.waitForSelector('dialog[open] h2');
  await page.keyboard.press('Escape');
  const choices = await page.locator('#game option').count();
  assert.equal(choices, new Set(own).size, 'the games that can be chosen');
}

/** A search that is abandoned makes room for the next, and its player answers again. */
async function abandonSearch(page, player) {
  const query = { game: player, player, moves: [] };
  const [name, seconds, simulations] = await page.evaluate(async (query) => {
    const { call } = await import(new URL('assets/api.js', document.baseURI));
    const abort = new AbortController();
    const long = call('/api/analysis', { ...query, simulations: 100_000 }, abort.signal);
    setTimeout(() => abort.abort(), 300);
    const name = await long.catch((error) => error.name);
    const begun = performance.now();
    const next = await call('/api/analysis', { ...query, simulations: 20 });
    return [name, (performance.now() - begun) / 1000, next.simulations];
  }, query);
  assert.deepEqual([name, simulations], ['AbortError', 20]);
  assert.ok(seconds < 20, `the next answer took ${seconds} s`);
}

async function main() {
  const folder = await mkdtemp(join(tmpdir(), 'tavoliere-site-'));
  const more = options.program ? ['--program', options.program] : [];
  const written = execFileSync(binary, ['site', '--out', join(folder, 'site'), ...players, '--json', ...more]);
  const { first: bytes } = JSON.parse(written);
  const host = await serve(folder);
  const browser = await launch();
  const complaints = [];
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    page.on('pageerror', (error) => complaints.push(error.stack));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('request', (request) => {
      const address = request.url();
      if (!address.startsWith(host.base)) complaints.push(`request outside the folder: ${address}`);
    });
    await page.goto(host.base);
    assert.equal(await page.locator('#nav-training').isVisible(), false, 'nothing is trained here');
    await showGames(page);
    const [first, last] = [players[0], players.at(-1)].map((place) => basename(place));
    const one = await playGame(page, players[0]);
    console.log(`ok ${first} against itself, ${one.length} turns, as the native player`);
    console.log(`ok ${await watchGame(page, host.base, first)} turns of ${first} are shown`);
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => true));
    await host.stop();
    await page.reload();
    const two = await playGame(page, players.at(-1));
    console.log(`ok ${last} against itself without the host, ${two.length} turns, as the native player`);
    console.log(`ok ${await watchGame(page, host.base, last)} turns of ${last} are shown without the host`);
    await abandonSearch(page, last);
    console.log('ok a search is abandoned');
    if (options.speed) await measure(page);
    console.log(`${bytes} bytes to play against the first player`);
    assert.deepEqual(complaints, []);
  } finally {
    await browser.close();
    host.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Seconds that the native program takes for queries, on one thread. */
function nativeSeconds(player, engine, queries) {
  const begun = performance.now();
  execFileSync(binary, ['analyze', '--player', `${player}?engine=${engine}`], {
    input: queries.map((query) => `${JSON.stringify(query)}\n`).join(''),
    env: { ...process.env, RAYON_NUM_THREADS: '1' },
  });
  return (performance.now() - begun) / 1000;
}

/**
 * Simulations a second in the browser and in the native program, on one thread each: of different
 * positions, since evaluations are kept.
 */
async function measure(page) {
  const simulations = 1000;
  for (const [player, start] of [
    ['susan', { moves: ['e5'] }],
    // The start of CoNeutron, which nobody wins.
    ['neutron5', { position: 'ooooo/...../..*../...../xxxxx o', moves: [] }],
  ]) {
    const { legal } = await ask(page, '/api/position', { game: player, ...start });
    const [rates, queries] = [[], []];
    for (const [round, { turn }] of legal.entries()) {
      const query = { ...start, moves: [...start.moves, turn], simulations };
      const begun = performance.now();
      const answer = await ask(page, '/api/analysis', { game: player, player, ...query });
      // The browser compiles again what runs long, and proven positions end a search.
      if (round < 5 || answer.simulations < simulations) continue;
      rates.push((simulations / (performance.now() - begun)) * 1000);
      if (queries.push(query) === 15) break;
    }
    const native = ['portable', 'auto'].map((engine) => {
      const one = nativeSeconds(player, engine, [{ ...queries[0], simulations: 1 }]);
      return (queries.length * simulations) / (nativeSeconds(player, engine, queries) - one);
    });
    const median = rates.sort((a, b) => a - b)[rates.length >> 1].toFixed(0);
    console.log(
      `${player}: ${median} simulations/s in the browser; by the native program ` +
        `${native[0].toFixed(0)} (portable), ${native[1].toFixed(0)} (auto)`,
    );
  }
}

await main();
