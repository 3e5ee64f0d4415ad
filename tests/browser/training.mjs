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

/** Where a training has ended, its run says what the network is worth and how to go on. */
export async function readWorth(visitor, runs) {
  const { page } = visitor;
  const share = (value, low, high) => ({ value, low, high });
  const card = {
    game: 'tic_tac_toe',
    iteration: DONE,
    seconds: 570,
    games: 19200,
    positions: 288000,
    simulations: 64,
    scores: [{ opponent: 'uct?rollouts=1000', games: 20, score: share(0.95, 0.76, 0.99) }],
    proven: { positions: 60, correct: 54, share: share(0.9, 0.8, 0.95), simulations: 100 },
    ratings: [],
    advice: ['more time: it still got stronger'],
  };
  const path = join(runs, 'example', 'card.json');
  await writeFile(path, JSON.stringify(card));
  await visitor.open('#/training/example');
  const shown = await page.locator('#run-worth').innerText();
  for (const part of [
    'What the network of iteration 3 is worth',
    '9.5 minutes of training, 19,200 games, 288,000 positions.',
    'more time: it still got stronger',
  ]) {
    assert.ok(shown.includes(part), `no \`${part}\` in ${shown}`);
  }
  assert.match(shown, /against uct\?rollouts=1000\s+95 %\s+76 % to 99 %\s+20 games, 64 simulations/);
  assert.match(shown, /proven positions, correct turns\s+90 %/);
  assert.ok(!shown.includes('How to go on'), 'the network of this run cannot play');
  await rm(path);
}

/** Compares a run of 10,000 iterations: all charts together have few elements and come soon. */
export async function compareLongRun(visitor, runs) {
  const { page } = visitor;
  const run = join(runs, 'lengthy');
  await mkdir(run);
  for (const name of ['run.json', 'config.toml']) await cp(join(runs, 'example', name), join(run, name));
  const iterations = 10_000;
  const lines = Array.from({ length: iterations }, (_, index) => {
    const iteration = index + 1;
    const loss = 1 + Math.sin(iteration);
    const of = (phase, more) => JSON.stringify({ iteration, phase, time: iteration, seconds: 1, ...more });
    const rating = { met: [], rating: iteration / 10, rating_low: 0, rating_high: 1200 };
    return [
      of('selfplay', { mean_plies: 7, draws: 0.5, evaluations_per_s: 1000 }),
      of('learn', { policy_loss: loss, value_loss: loss, positions_per_s: 1000 }),
      ...(iteration % 10 === 0 ? [of('evaluation', rating)] : []),
    ].join('\n');
  });
  await writeFile(join(run, 'metrics.jsonl'), `${lines.join('\n')}\n`);
  await writeFile(join(run, 'latest'), `${iterations}\n`);
  const started = Date.now();
  await visitor.open('#/training?compare=tic_tac_toe&run=lengthy&run=example');
  // A level line has no height, so that it does not count as visible.
  await page.waitForSelector('[aria-label="Training speed by iteration"] path.series', {
    state: 'attached',
  });
  const spent = Date.now() - started;
  const nodes = await page.locator('#comparison svg *').count();
  assert.ok(nodes < 1000, `${nodes} elements`);
  const longest = await page
    .locator('#comparison svg path')
    .evaluateAll((paths) => Math.max(...paths.map((path) => path.getAttribute('d').length)));
  assert.ok(longest < 30_000, `a path of ${longest} characters`);
  await leave(page);
  await rm(run, { recursive: true });
  return `after ${spent} ms`;
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
  await leave(page);
  await rm(run, { recursive: true });
}

// A page that still shows a run goes on to ask for its events, and complains where the run is gone.
const leave = (page) => page.goto('about:blank');

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
