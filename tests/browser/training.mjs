// The training view: live charts and games.

import assert from 'node:assert/strict';
import { appendFile, cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Number of iterations in the fixture's metrics. */
const DONE = 3;

/** Follows the run of the fixture while metrics are appended to it. */
export async function followTraining(visitor, runs) {
  const { page } = visitor;
  await visitor.open('#/play');
  await page.locator('#nav-training').click();
  // Metrics of an iteration after the latest count only if they are written once the page listens.
  const listening = page.waitForResponse((response) => response.url().endsWith('/example/events'));
  await page.locator('a.run', { hasText: 'example' }).click();
  const losses = page.locator('[aria-label^="Losses"]');
  const last = (iteration) =>
    page.waitForFunction(
      (expected) =>
        document.querySelector('[aria-label^="Losses"]')?.getAttribute('aria-valuemax') ===
        expected,
      String(iteration),
    );
  await last(DONE);
  assert.equal(
    await page.locator('.chart:visible').count(),
    7,
    'every chart has something to show',
  );
  assert.equal(await page.locator('.whisker').count(), 2, 'ratings have intervals');
  const metric = {
    iteration: DONE + 1,
    phase: 'learn',
    time: 1,
    steps: 1,
    learning_rate: 0.001,
    policy_loss: 0.5,
    value_loss: 0.4,
    entropy: 1,
    gradient_norm: 1,
    positions_per_s: 5000,
    buffer_positions: 10,
    seconds: 1,
    cores: null,
  };
  await listening;
  await appendFile(join(runs, 'example', 'metrics.jsonl'), `${JSON.stringify(metric)}\n`);
  await last(DONE + 1);
  await losses.hover();
  assert.match(await page.locator('.tip:visible').innerText(), /Iteration \d[\s\S]*Policy: /);
  await openGame(visitor);
}

/** Shows a run of more iterations than a function has arguments, with values that no axis can hold. */
export async function showLongRun(visitor, runs) {
  const { page } = visitor;
  const run = join(runs, 'long');
  await mkdir(run);
  for (const name of ['run.json', 'config.toml']) await cp(join(runs, 'example', name), join(run, name));
  const iterations = 60000;
  const lines = Array.from({ length: iterations }, (_, index) => {
    const iteration = index + 1;
    const loss = iteration === 700 ? 1e17 : 1e17 + 16;
    const learn = { iteration, phase: 'learn', time: iteration, policy_loss: loss, value_loss: loss };
    return JSON.stringify(learn);
  });
  await writeFile(join(run, 'metrics.jsonl'), `${lines.join('\n')}\n`);
  await writeFile(join(run, 'latest'), `${iterations}\n`);
  await visitor.open('#/training/long');
  await page.waitForFunction(
    (expected) =>
      document.querySelector('[aria-label^="Losses"]')?.getAttribute('aria-valuemax') === expected,
    String(iterations),
  );
  assert.ok((await page.locator('[aria-label^="Losses"] path.series').count()) >= 2);
  await rm(run, { recursive: true });
}

// A point of a chart leads to the games of its iteration, and a game to the board.
async function openGame(visitor) {
  const { page } = visitor;
  const chart = page.locator('[aria-label^="Game length"]');
  await chart.focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#run-games table');
  assert.match(new URL(page.url()).hash, /^#\/training\/example\/2$/);
  await page.locator('#run-games button').first().click();
  await page.waitForSelector('#play:not([hidden]) #turns .turn');
  const { game, moves, ply } = visitor.shown();
  assert.equal(game, 'tic_tac_toe');
  assert.equal(ply, 0);
  assert.ok(moves.length >= 5, 'a whole game was opened');
  await page.waitForFunction(() => document.querySelectorAll('#graph .dot').length >= 2);
  await page.goBack();
  await page.waitForSelector('#run-games table');
}
