// A game that is played for real: no analysis, a hint, the result, what comes after it.

import assert from 'node:assert/strict';
import { mockAnalysis } from './thinking.mjs';
import { bodyOf } from './visitor.mjs';

/** Plays tic-tac-toe against `random` to its end, as Black. */
async function playToTheEnd(visitor) {
  let position = await visitor.position();
  while (!position.outcome) {
    await visitor.click(position.legal[0]);
    await visitor.settled(position.ply + 2);
    position = await visitor.position();
  }
  return position;
}

/** No evaluation is shown while a game is played; a hint is; analysis is a choice. */
export async function playForReal(visitor) {
  const { page } = visitor;
  await mockAnalysis(visitor, 'tic_tac_toe');
  await visitor.open('#/play/tic_tac_toe');
  await visitor.setUp({ game: 'tic_tac_toe', player: 'invented', side: 'x' });
  const isHidden = (selector) => page.locator(selector).isHidden();
  for (const selector of ['#analysis-body', '#analysis-switch', '#judge', '#course'])
    assert.ok(await isHidden(selector), `${selector} is hidden while a game is played`);
  assert.match(await visitor.text('#thinker'), /Off while you play/);
  await page.keyboard.press('a');
  assert.ok(await isHidden('#analysis-body'), 'the key A does not show the analysis');

  // The new game has begun.
  await page.locator('#hint').waitFor();
  await page.keyboard.press('h');
  await page.waitForSelector('.marks .best');
  assert.match(await visitor.text('#hint-text'), /^Hint: .+ Black can expect \d+ % \(by .+, 200 simulations\)\.$/);
  await visitor.cell(4).click();
  await visitor.settled(2);
  assert.equal(await visitor.text('#hint-text'), '');
  assert.equal(await page.locator('.marks > *').count(), 0, 'the hint is gone after the turn');
  assert.equal(await page.locator('#turns small').count(), 0, 'the turns have no values');

  await page.locator('#analyse').focus();
  await page.keyboard.press('Enter');
  await page.waitForSelector('#candidates tbody tr');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'analysis');
  assert.ok(await isHidden('#hint'));
  const { legal } = await visitor.position();
  await visitor.click(legal[0]);
  await page.waitForSelector('#resume');
  assert.equal(visitor.shown().moves.length, 3, 'the computer does not reply in an analysis');
  await page.locator('#resume').click();
  await visitor.settled(4);
  assert.ok(await isHidden('#analysis-body'), 'a game that is resumed is played for real');
}

/** Begins a game for real against a mock player; returns its first two turns. */
async function begin(visitor) {
  await mockAnalysis(visitor, 'tic_tac_toe');
  await visitor.open('#/play/tic_tac_toe');
  await visitor.setUp({ game: 'tic_tac_toe', player: 'invented', side: 'x' });
  await visitor.cell(4).click();
  await visitor.settled(2);
  return visitor.shown().moves;
}

/** A game that was left for analysis is resumed where it was left. */
export async function comeBack(visitor) {
  const { page } = visitor;
  const moves = await begin(visitor);
  const back = page.locator('#come-back');
  assert.ok(await back.isHidden(), 'the game goes on');
  await visitor.analyse();
  await back.waitFor();
  assert.ok(await page.locator('#hint').isHidden());
  const { legal } = await visitor.position();
  await visitor.click(legal[0]);
  await page.waitForFunction(() => document.getElementById('ply').textContent === '3 / 3');
  await back.click();
  await page.waitForFunction(() => document.getElementById('ply').textContent === '2 / 2');
  assert.deepEqual(visitor.shown().moves, moves);
  await page.locator('#hint').waitFor();
  assert.ok(await back.isHidden());
  assert.ok(await page.locator('#analysis-body').isHidden(), 'it is played for real');
  await visitor.click(legal[1]);
  await visitor.settled(4);
  assert.equal(visitor.shown().moves.length, 4, 'the computer replies');
}

/** What an opponent thinks that plays below its strength is noise: the page does not tell it. */
export async function ignoreWeakValues(visitor) {
  const { page } = visitor;
  const levels = [1, 2].map((level) => ({ level, name: `Level ${level}`, elo: null }));
  await page.route('**/api/players', async (route) => {
    const players = await (await route.fetch()).json();
    const random = players.find(({ name }) => name === 'random');
    await route.fulfill({ json: [{ ...random, name: 'tutor', levels }, random] });
  });
  await page.route('**/api/reply', async (route) => {
    const reply = await visitor.ask('/api/reply', { ...bodyOf(route), player: 'random' });
    await route.fulfill({ json: { ...reply, value: { win: 0.9, draw: 0, loss: 0.1 } } });
  });
  const values = async (cell) => {
    await visitor.cell(cell).click();
    await visitor.settled(2);
    await visitor.analyse();
    return page.locator('#turns .turn small').count();
  };
  await visitor.open('#/play/tic_tac_toe');
  await visitor.setUp({ game: 'tic_tac_toe', player: 'random', side: 'x' });
  assert.equal(await values(4), 1, 'a player at its strength tells a value');
  await page.locator('#level').selectOption('tutor?level=1');
  await visitor.newGame();
  assert.equal(await values(0), 0, 'a weak level does not');
}

/** After a reload a game is still played for real; its address in another tab is analysed. */
export async function reloadGame(visitor) {
  const { page } = visitor;
  const moves = await begin(visitor);
  const isWithheld = () => page.locator('#analyse').isVisible();
  const reload = async () => {
    await page.reload();
    await page.waitForSelector('#board .hit');
  };
  await reload();
  assert.deepEqual(visitor.shown().moves, moves);
  assert.ok(await isWithheld(), 'there is no analysis');
  const { legal } = await visitor.position();
  await visitor.click(legal[0]);
  await visitor.settled(4);
  assert.equal(visitor.shown().moves.length, 4, 'the computer replies');

  await page.locator('#undo').click();
  await page.waitForFunction(() => document.getElementById('ply').textContent === '2 / 4');
  await reload();
  assert.equal(await visitor.text('#ply'), '2 / 4');
  assert.ok(await isWithheld(), 'also where somebody stepped back');

  const other = await visitor.context.newPage();
  visitor.watch(other);
  await other.goto(page.url());
  await other.waitForSelector('#board .hit');
  assert.ok(await other.locator('#analyse').isHidden(), 'a link is analysed');
  await other.close();
  await visitor.analyse();
  await reload();
  assert.ok(!(await isWithheld()), 'a game that was left for analysis is analysed');
}

/** Two people see no evaluations while they play, also without clocks, until they ask for them. */
export async function playByTwo(visitor) {
  const { page } = visitor;
  await mockAnalysis(visitor, 'tic_tac_toe');
  await visitor.open('#/play/tic_tac_toe');
  await visitor.setUp({ game: 'tic_tac_toe', player: 'invented', side: 'both' });
  await visitor.cell(4).click();
  await visitor.settled(1);
  assert.ok(await page.locator('#analysis-body').isHidden());
  await visitor.analyse();
  await page.waitForSelector('#candidates tbody tr');
  await visitor.cell(0).click();
  await visitor.settled(2);
  assert.ok(await page.locator('#analysis-body').isVisible(), 'it stays until the next game');
  await visitor.newGame();
  assert.ok(await page.locator('#analysis-body').isHidden());
}

/** A game in progress is left only by who says so; nobody is asked about one without turns. */
export async function askFirst(visitor) {
  const { page } = visitor;
  const dialog = page.locator('#leave-dialog');
  const moves = await begin(visitor);
  const stays = async () => {
    await dialog.waitFor({ state: 'hidden' });
    // The page learns only then that the dialog was closed.
    await page.waitForFunction(() => document.querySelector('#game').value === 'tic_tac_toe');
    assert.deepEqual(visitor.shown().moves, moves);
    assert.ok(await page.locator('#analyse').isVisible(), 'it is played for real');
  };
  await page.locator('#new').click();
  assert.match(await visitor.text('#leave-text'), /Tic-tac-toe is not over after 2 turns\./);
  await page.keyboard.press('Enter');
  await stays();
  await page.locator('#game').selectOption('neutron5');
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await stays();
  await page.evaluate(() => (location.hash = '#/play/neutron5'));
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await stays();
  await visitor.analyse();
  await page.locator('#new').click();
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  assert.ok(await page.locator('#come-back').isVisible(), 'there is a way back');
  await visitor.newGame();
  await page.locator('#game').selectOption('neutron5');
  await page.waitForFunction(() => location.hash === '#/play/neutron5');
  assert.ok(await dialog.isHidden(), 'a game without turns is not missed');
}

/** The banner says who won and why, and leads to a rematch with sides changed. */
export async function endGame(visitor) {
  const { page } = visitor;
  for (const path of ['/api/reply', '/api/position'])
    await page.route(`**${path}`, (route) => withEnding(visitor, path, route));
  await visitor.open('#/play/tic_tac_toe');
  await visitor.setUp({ game: 'tic_tac_toe', player: 'random', side: 'x' });
  assert.ok(await page.locator('#result').isHidden());
  await playToTheEnd(visitor);
  await page.waitForSelector('#result:not([hidden])');
  assert.equal(await visitor.text('#reason'), 'Told by the server.');
  assert.equal(await page.locator('.glow .decided').count(), 2, 'the cells are highlighted');
  assert.match(await visitor.text('#announcer'), /Told by the server/);
  await page.locator('#rematch').focus();
  await page.keyboard.press('Enter');
  await page.waitForSelector('#result', { state: 'hidden' });
  await visitor.settled(1);
  assert.ok(await page.locator('#sides input[value="o"]').isChecked(), 'sides are changed');
  assert.equal(visitor.shown().moves.length, 1, 'the computer plays first');
  const focused = await page.evaluate(() => document.activeElement.dataset.cell);
  assert.ok(focused, 'the focus is on the board');
}

async function withEnding(visitor, path, route) {
  const position = await visitor.ask(path, bodyOf(route));
  const ending = position.outcome ? { reason: 'Told by the server', cells: [0, 1] } : null;
  await route.fulfill({ json: { ...position, ending } });
}

// Networks of runs as the server lists them, the older run first.
function listedNetworks() {
  const levels = ['Beginner', 'Casual'].map((name, index) => ({ level: index + 1, name, elo: null }));
  const common = {
    ...{ game: 'tic_tac_toe', rules: {}, kind: 'trained' },
    ...{ thinks: false, simulations: null, levels },
  };
  const network = (run, iteration, which, time) => ({
    ...common,
    name: `runs/${run}${which === 'best' ? '@best' : ''}`,
    title: `${run} run, ${which} (iteration ${iteration})`,
    facts: { run, iteration, time, weights: `${run}${iteration}` },
  });
  return [
    network('old', 9, 'newest', 100),
    network('old', 4, 'best', 100),
    network('recent', 7, 'newest', 900),
    network('recent', 7, 'best', 900),
  ];
}

/** Levels of several players are grouped by player, and the chosen one names its player. */
export async function chooseAmongPlayers(visitor) {
  const { page } = visitor;
  await page.route('**/api/players', async (route) => {
    const all = await (await route.fetch()).json();
    const others = all.filter(({ name }) => ['random', 'uct'].includes(name));
    await route.fulfill({ json: [...others, ...listedNetworks()] });
  });
  await visitor.open('#/play/tic_tac_toe');
  const groups = (id) =>
    page.locator(`#${id} optgroup`).evaluateAll((all) =>
      all.map(({ label, children }) => [label, [...children].map(({ value }) => value)]),
    );
  const levels = (name) => [`${name}?level=1`, `${name}?level=2`];
  assert.deepEqual(await groups('level'), [
    ['recent run', levels('runs/recent')],
    ['old run', levels('runs/old')],
  ]);
  assert.deepEqual(await groups('player'), [
    ['Networks of training runs', ['runs/recent', 'runs/old', 'runs/old@best']],
    ['Players without a network', ['uct', 'random']],
  ]);
  const chosen = () => page.locator('#level').evaluate((box) => box.selectedOptions[0].text);
  assert.equal(await chosen(), 'Casual · recent run');
  await page.locator('#level').selectOption('runs/old?level=1');
  assert.equal(await chosen(), 'Beginner · old run');
  const texts = await page.locator('#level option').allTextContents();
  assert.deepEqual(texts.slice(0, 4), ['Beginner', 'Casual', 'Beginner · old run', 'Casual']);
  await page.reload();
  await page.waitForSelector('#board .hit');
  assert.equal(await chosen(), 'Beginner · old run');
}

/** Opponents are levels with names; requests name the level. */
export async function chooseLevel(visitor) {
  const { page } = visitor;
  const asked = [];
  await page.route('**/api/players', async (route) => {
    const all = await (await route.fetch()).json();
    const players = all.filter(({ name }) => name !== 'breakthrough8');
    const levels = ['Beginner', 'Casual', 'Strongest'].map((name, index) => ({
      level: index + 1,
      name,
      elo: 400.4 * (index + 1),
    }));
    const random = players.find(({ name }) => name === 'random');
    await route.fulfill({ json: [...players, { ...random, name: 'tutor', levels }] });
  });
  await page.route('**/api/reply', async (route) => {
    const query = bodyOf(route);
    asked.push(query);
    const reply = await visitor.ask('/api/reply', { ...query, player: 'random' });
    await route.fulfill({ json: reply });
  });
  await visitor.open('#/play/breakthrough8');
  const level = page.locator('#level');
  assert.deepEqual((await level.locator('option').allInnerTexts()).slice(0, 3), [
    'Beginner · 400 Elo',
    'Casual · 801 Elo',
    'Strongest · 1201 Elo',
  ]);
  assert.equal(await level.inputValue(), 'tutor?level=2', 'the second weakest is the default');
  assert.ok(await page.locator('#player').isHidden(), 'the expert view is closed');
  await level.selectOption('tutor?level=3');
  const { legal } = await visitor.position();
  await visitor.click(legal[0]);
  await visitor.settled(2);
  assert.equal(asked[0].player, 'tutor?level=3');
  assert.equal(asked[0].simulations, undefined);
  await page.reload();
  await page.waitForSelector('#board .hit');
  assert.equal(await level.inputValue(), 'tutor?level=3', 'the choice is remembered');
  await visitor.choosePlayer('random');
  assert.equal(await level.inputValue(), 'expert');
  await page.reload();
  await page.waitForSelector('#board .hit');
  assert.equal(await level.inputValue(), 'expert');
  assert.ok(
    await page.locator('#player').isVisible(),
    'the expert view shows what is chosen there',
  );
}
