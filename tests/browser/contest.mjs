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
  assert.match(await visitor.text('#hint-text'), /^Hint: .+ Black can expect \d+ %\.$/);
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

/** After a reload a game is still played for real; its address in another tab is analysed. */
export async function reloadGame(visitor) {
  const { page } = visitor;
  await mockAnalysis(visitor, 'tic_tac_toe');
  await visitor.open('#/play/tic_tac_toe');
  await visitor.setUp({ game: 'tic_tac_toe', player: 'invented', side: 'x' });
  await visitor.cell(4).click();
  await visitor.settled(2);
  const { moves } = visitor.shown();
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
  await page.locator('#new').click();
  await page.waitForFunction(() => document.getElementById('ply').textContent === '0 / 0');
  assert.ok(await page.locator('#analysis-body').isHidden());
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
