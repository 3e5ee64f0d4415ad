// The training view: playing what was trained, comparing runs, runs that are not there.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const SETTINGS = [
  'network={channels=4,blocks=1,value_hidden=8}',
  'selfplay={games=8,simulations=4}',
  "evaluation={every=2,games=4,panel=['random']}",
];

// Trains a run of tic-tac-toe, which takes a second.
function train(binary, runs, name, iterations, more = []) {
  const options = ['train', 'tic_tac_toe', '--run', join(runs, name), '--iterations', iterations];
  for (const setting of [...SETTINGS, ...more]) options.push('--set', setting);
  execFileSync(binary, options.map(String), { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function titled(page, title) {
  await page.waitForFunction((expected) => document.title === expected, `${title} – Tavoliere`);
}

/** Trains a run while the page is open, looks at it, and plays against its network. */
export async function playTrained(visitor, runs, binary) {
  const { page } = visitor;
  await visitor.open('#/play/tic_tac_toe');
  train(binary, runs, 'fresh', 2);
  await page.locator('#nav-training').click();
  await titled(page, 'Training');
  const damaged = page.locator('a.run', { hasText: 'example' });
  assert.match(await damaged.locator('.problem').innerText(), /^Damaged: .*has no file/);
  await page.locator('a.run', { hasText: 'fresh' }).click();
  await titled(page, 'fresh – Training');
  await lookAt(visitor);
  await page.getByRole('link', { name: 'Play this network' }).click();
  const name = `${basename(runs)}/fresh`;
  await page.waitForFunction((player) => document.getElementById('player').value === player, name);
  await page.waitForFunction(() => location.hash === '#/play/tic_tac_toe');
  await visitor.setUp({ game: 'tic_tac_toe', player: name, side: 'x' });
  const [first] = (await visitor.position()).legal;
  await visitor.click(first);
  await visitor.settled(2);
  assert.equal(visitor.shown().moves.length, 2, 'the network answered');
  train(binary, runs, 'fresh', 3);
  await page.locator('#nav-training').click();
  await page.locator('a.run', { hasText: 'fresh' }).click();
  const best = page.getByRole('link', { name: 'Play its best (iteration 2)' });
  assert.match(await best.getAttribute('href'), /player=[^&]*\/fresh@best$/);
  await page.locator('#nav-play').click();
  const titles = page.locator('#player option');
  await page.waitForFunction(() =>
    [...document.querySelectorAll('#player option')].some(({ textContent }) =>
      textContent.includes('fresh run, newest (iteration 3)'),
    ),
  );
  assert.ok((await titles.allInnerTexts()).includes('fresh run, best (iteration 2)'));
}

// What the page of a run says besides its charts.
async function lookAt({ page }) {
  await page.waitForFunction(() =>
    /^Not running · trained for/.test(document.getElementById('run-state').textContent),
  );
  assert.match(await page.locator('#run-results').innerText(), /Results of iteration 2[\s\S]*random/);
  const config = page.locator('#run-config');
  await config.locator('summary').click();
  assert.match(await config.locator('pre').innerText(), /game = "tic_tac_toe"/);
  assert.equal(await page.locator('#run-actions a').count(), 1, 'the newest is the best');
}

/** Shows several runs in charts below each other, on one axis, and what differs in their configs. */
export async function compareRuns(visitor, runs, binary) {
  const { page } = visitor;
  train(binary, runs, 'other', 2, ['learner.learning_rate=0.02']);
  train(binary, runs, 'usual', 3);
  await visitor.open('#/training');
  await page.getByRole('link', { name: 'Compare these runs' }).first().click();
  await titled(page, 'Runs of Tic-tac-toe – Training');
  const titles = page.locator('#comparison h3');
  const lines = page.locator('[aria-label^="Policy loss"] path.series');
  const boxes = page.locator('#compare-runs input');
  await boxes.nth(1).waitFor();
  const all = await boxes.count();
  assert.ok(all >= 2, 'there are several runs');
  const drawn = (count) =>
    page.waitForFunction(
      (expected) =>
        document.querySelectorAll('[aria-label^="Policy loss"] path.series').length === expected,
      count,
    );
  await drawn(all);
  const shown = (await titles.allInnerTexts()).join();
  for (const title of ['Rating', 'Policy loss', 'Value loss', 'Game length', 'Self-play speed'])
    assert.ok(shown.includes(title), `${title} is among the charts: ${shown}`);
  await seeOneAxis(page);
  await page.locator('#compare-by').selectOption('hours');
  await page.waitForSelector('[aria-label="Policy loss by seconds"]');
  await page.locator('#compare-by').selectOption('iterations');
  await page.waitForSelector('[aria-label="Policy loss by iteration"]');
  await page.locator('#compare-runs input[value="other"]').uncheck();
  await drawn(all - 1);
  assert.doesNotMatch(new URL(page.url()).hash, /run=other/);
  await page.reload();
  await drawn(all - 1);
  assert.equal(await lines.count(), all - 1, 'the address holds the choice');
  await seeDifferences(visitor);
}

// The charts are below each other, and the cursor of one is marked in all.
async function seeOneAxis(page) {
  const boxes = await page
    .locator('#comparison .chart')
    .evaluateAll((charts) => charts.map((chart) => chart.getBoundingClientRect().toJSON()));
  for (const [index, { x, width, y }] of boxes.entries()) {
    assert.deepEqual([x, width], [boxes[0].x, boxes[0].width]);
    assert.ok(index === 0 || y > boxes[index - 1].y);
  }
  await page.locator('[aria-label="Policy loss by iteration"]').hover();
  const marks = await page
    .locator('#comparison line.cursor')
    .evaluateAll((lines) => lines.map((line) => [line.getAttribute('visibility'), line.getAttribute('x1')]));
  assert.equal(marks.length, boxes.length);
  for (const mark of marks) assert.deepEqual(mark, ['visible', marks[0][1]]);
}

// The keys whose values differ come before the charts, and no others.
async function seeDifferences(visitor) {
  const { page } = visitor;
  await visitor.open('#/training?compare=tic_tac_toe&run=usual&run=other');
  const table = page.locator('#compare-configs table');
  await table.waitFor();
  const rows = await table
    .locator('tr')
    .evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.deepEqual(rows, [
    ['Key', 'usual', 'other'],
    ['learner.learning_rate', rows[1][1], '0.02'],
  ]);
  assert.notEqual(rows[1][1], '0.02');
  const configs = await table.boundingBox();
  const chart = await page.locator('.chart').first().boundingBox();
  assert.ok(configs.y < chart.y, 'it comes first');
  await page.locator('#compare-runs input[value="other"]').uncheck();
  await table.waitFor({ state: 'detached' });
}

/** The card of a run tells its best network, and when and how long it was trained. */
export async function seeCards(visitor, runs, binary) {
  const { page } = visitor;
  train(binary, runs, 'rated', 4);
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const told = { best: 2, rating: 1188.4, time: Date.UTC(2026, 2, 5, 12) / 1000, seconds: 4000 };
  let more = told;
  await page.route('**/api/runs/rated/progress', async (route) => {
    const answer = await (await route.fetch()).json();
    await route.fulfill({ json: { ...answer, ...more } });
  });
  const says = async (best, time) => {
    await page.waitForFunction(
      (expected) =>
        [...document.querySelectorAll('a.run')].some(
          (card) =>
            card.querySelector('.run-best')?.textContent === expected[0] &&
            card.querySelector('.run-time').textContent === expected[1],
        ),
      [best, time],
    );
  };
  await visitor.open('#/training');
  await says('Best rating 1188 Elo (iteration 2)', '5 Mar 2026 · 1 h 07 min of training');
  assert.ok(!asked.includes('/api/runs/rated'), 'its metrics are not loaded for that');
  more = { best: 2, rating: undefined, time: undefined, seconds: 4000 };
  await page.reload();
  await says('Best network: iteration 2', '1 h 07 min of training');
  more = { best: null, seconds: null, rating: undefined, time: undefined };
  await page.reload();
  await says('Not evaluated yet', '');
}

/** The config of a run marks what is not the default, if the server tells it. */
export async function seeChangedConfig(visitor) {
  const { page } = visitor;
  let more = { config_changed: ['iterations', 'selfplay.games', 'evaluation.panel'] };
  const config = [
    'game = "tic_tac_toe"\niterations = 6\n',
    '[selfplay]\ngames = 8\nbatch = 64\n',
    '[evaluation]\ngames = 40\npanel = [\n  "random",\n]\n',
  ].join('\n');
  await page.route('**/api/runs/example', async (route) => {
    const answer = await (await route.fetch()).json();
    await route.fulfill({ json: { ...answer, config, ...more } });
  });
  await visitor.open('#/training/example');
  const details = page.locator('#run-config');
  const summary = details.locator('summary');
  await summary.click();
  assert.equal(await summary.innerText(), 'Config (3 keys not at the default)');
  assert.deepEqual(await details.locator('.changed-keys li').allInnerTexts(), [
    'iterations = 6',
    'selfplay.games = 8',
    'evaluation.panel = [ "random", ]',
  ]);
  const marked = await details.locator('pre .changed').evaluateAll((all) =>
    all.map(({ textContent }) => textContent.trim()),
  );
  assert.deepEqual(marked, ['iterations = 6', 'games = 8', 'panel = [', '"random",', ']']);
  const text = await details.locator('pre').evaluate((pre) => pre.textContent);
  assert.equal(text.trim(), config.trim(), 'the TOML is whole');
  more = { config_changed: undefined };
  await page.reload();
  await summary.click();
  assert.equal(await summary.innerText(), 'Config');
  assert.equal(await details.locator('.changed, .changed-keys').count(), 0);
}

/** Looks at a run whose games the workers of a cluster play. */
export async function seeWorkers(visitor, runs, binary) {
  const { page } = visitor;
  train(binary, runs, 'spread', 1);
  const worker = (host, silent) => ({ host, engine: 'avx2', threads: 8, games_per_s: 12.34, silent });
  const activity = {
    ...{ phase: 'selfplay', iteration: 2, goal: 9, done: 5, total: 64 },
    time: Math.floor(Date.now() / 1000),
    cluster: { workers: [worker('desktop1', 0), worker('desktop2', 8.2)], tasks: 7, waiting: 0.256 },
  };
  const file = join(runs, 'spread', 'activity.json');
  writeFileSync(file, JSON.stringify(activity));
  await visitor.open('#/training/spread');
  const table = page.locator('#run-cluster');
  await table.waitFor();
  const words = /^2 workers play; 7 tasks in the queue; the learner waits 26 % of its time/;
  assert.match(await table.innerText(), words);
  const row = await table.locator('tbody tr').nth(1).locator('td').allInnerTexts();
  assert.deepEqual(row, ['desktop2', '8', 'avx2', '12.3', '8 s ago']);
  const tell = (phase) => {
    const time = Math.floor(Date.now() / 1000);
    writeFileSync(file, JSON.stringify({ ...activity, phase, time, cluster: undefined }));
  };
  tell('start');
  await page.reload();
  await page.waitForFunction(() =>
    document.getElementById('run-state')?.textContent.startsWith('Resuming with iteration 2'),
  );
  await visitor.open('#/training');
  const card = page.locator('[data-run="spread"] .run-phase');
  assert.match(await card.innerText(), /iterations · starting$/);
  tell('learn');
  await card.filter({ hasText: / · training$/ }).waitFor();
  rmSync(file);
  await visitor.open('#/training/spread');
  await page.waitForFunction(() => /^Not running/.test(document.getElementById('run-state')?.textContent));
  assert.ok(await table.isHidden(), 'a run without workers has no table');
}

/** Opens a run before the list of runs, which was asked for first, is there. */
export async function overtakeList(visitor) {
  const { page } = visitor;
  let release;
  const held = new Promise((resolve) => (release = resolve));
  let answered;
  const sent = new Promise((resolve) => (answered = resolve));
  await visitor.open('#/games');
  await page.route('**/api/runs', async (route) => {
    const response = await route.fetch();
    await held;
    await route.fulfill({ response });
    answered();
  });
  const asked = page.waitForRequest('**/api/runs');
  await page.evaluate(() => (location.hash = '#/training'));
  await asked;
  await page.evaluate(() => (location.hash = '#/training/example'));
  await page.waitForSelector('#run-state:not(:empty)');
  release();
  await sent;
  // The page reads the answer after this: two of its tasks later the list would be drawn.
  await page.evaluate(() => fetch('/api/players').then((response) => response.json()));
  assert.equal(await visitor.text('#training h1'), 'example');
}

/** Opens the address of a run that is not there. */
export async function missRun(visitor) {
  const { page } = visitor;
  // The browser logs every answer with an error.
  visitor.tolerated = /404/;
  await visitor.open('#/training/nothing');
  await page.waitForSelector('#no-run');
  assert.match(await visitor.text('#no-run'), /no training run nothing/);
  await page.locator('#no-run a').click();
  await page.waitForFunction(
    () => document.querySelector('#training h1')?.textContent === 'Training runs',
  );
}
