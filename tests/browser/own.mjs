// Tests the page of a game in a crate of its own, examples/hex, in a real browser: the board, the rules, the
// training view, and a site without a server.
//
//   npm run own [-- --program FILE]     FILE is its WebAssembly module; without it there is no site
//   npm run own -- --screenshots DIR    also writes pictures

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { launch } from './browser.mjs';
import { startServer } from './server.mjs';
import { Visitor } from './visitor.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
  options: { program: { type: 'string' }, screenshots: { type: 'string' } },
});
const binary = process.env.HEX ?? join(HERE, '../../target/release/hex');

/** A network that is trained and exported in a second. */
const SETTINGS = [
  'network={channels=4,blocks=1,value_hidden=8}',
  'selfplay={games=8,simulations=4}',
  "evaluation={every=2,games=4,panel=['random']}",
];

function train(run) {
  const settings = SETTINGS.flatMap((setting) => ['--set', setting]);
  execFileSync(binary, ['train', 'hex5', '--run', run, '--iterations', '2', ...settings], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

async function picture({ page }, name) {
  if (options.screenshots) await page.screenshot({ path: join(options.screenshots, `${name}.png`) });
}

/** The games are those of the crate, as one family. */
async function meetGames(visitor) {
  const { page } = visitor;
  await visitor.open('#/games');
  assert.deepEqual(await page.locator('.cards h2').allInnerTexts(), ['Hex 5x5']);
  await picture(visitor, 'games');
}

/** A turn by a click on a cell, which the computer answers. */
async function playTurn(visitor) {
  await visitor.open('#/play/hex5');
  await visitor.setUp({ game: 'hex5', player: 'random', side: 'x' });
  // Cell 12 is the middle of the board.
  await visitor.cell(12).click();
  await visitor.settled(2);
  const { moves } = visitor.shown();
  assert.deepEqual([moves[0], moves.length], ['c3', 2]);
  assert.equal(await visitor.page.locator('#board .piece').count(), 2);
  await picture(visitor, 'board');
}

/** The rules are the text of the crate, with its positions. */
async function readRules(visitor) {
  const { page } = visitor;
  const dialog = page.locator('#rules-dialog');
  await page.locator('#rules-open').click();
  await page.waitForSelector('#rules-dialog .lead');
  assert.match(await dialog.innerText(), /Piet Hein invented Hex in 1942/);
  assert.equal(await dialog.locator('figure').first().locator('.piece').count(), 5);
  await picture(visitor, 'rules');
  await page.keyboard.press('Escape');
}

/** The training view shows a run of the game, and its network answers. */
async function seeTraining(visitor) {
  const { page } = visitor;
  await visitor.open('#/training');
  await page.locator('a.run', { hasText: 'hex5' }).click();
  await page.waitForSelector('[aria-label^="Losses"]');
  const worth = await page.locator('#run-worth').innerText();
  assert.match(worth, /against random/);
  assert.match(worth, /export \S*hex5 --output players\/hex5/);
  await picture(visitor, 'training');
  await page.getByRole('link', { name: 'Play this network' }).click();
  // The game against the random player is not over.
  await page.locator('#leave').click();
  await page.waitForFunction(() => location.hash === '#/play/hex5');
  const player = await page.locator('#player').inputValue();
  await visitor.setUp({ game: 'hex5', player, side: 'x' });
  await visitor.cell(7).click();
  await visitor.settled(2);
  assert.equal(visitor.shown().moves.length, 2, 'the network answered');
  await picture(visitor, 'network');
}

async function visitPage(runs) {
  const server = await startServer({ binary, runs, players: [] });
  const browser = await launch();
  const complaints = [];
  try {
    const visitor = await Visitor.enter(browser, server.base, complaints);
    for (const check of [meetGames, playTurn, readRules, seeTraining]) {
      await check(visitor);
      assert.deepEqual(complaints, []);
      console.log(`ok ${check.name}`);
    }
    await visitor.close();
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** A site with the trained player, tested as every site is. */
function visitSite(run, player) {
  execFileSync(binary, ['export', run, '--output', player], { stdio: ['ignore', 'ignore', 'inherit'] });
  const test = [join(HERE, 'site.mjs'), '--program', options.program, '--player', player];
  execFileSync(process.execPath, test, { stdio: 'inherit', env: { ...process.env, TAVOLIERE: binary } });
}

async function main() {
  const folder = await mkdtemp(join(tmpdir(), 'tavoliere-own-'));
  const run = join(folder, 'runs', 'hex5');
  try {
    train(run);
    await visitPage(dirname(run));
    if (options.program) visitSite(run, join(folder, 'hex5'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
