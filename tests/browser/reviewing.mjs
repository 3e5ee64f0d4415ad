// The review after a game, and variations.

import assert from 'node:assert/strict';
import { mockAnalysis } from './thinking.mjs';
import { bodyOf } from './visitor.mjs';

const GAME = ['a1', 'b2', 'c1', 'b1', 'b3', 'a2', 'c2', 'c3', 'a3'];

// Every turn but the second and the fifth is what the search advises.
async function mockReview(visitor) {
  await mockAnalysis(visitor, 'tic_tac_toe');
  const scores = [0.5, 0.5, 0.75, 0.75, 0.75, 0.5, 0.5, 0.5, 0.5, 0.5];
  await visitor.page.route('**/api/analysis', async (route) => {
    const { moves } = bodyOf(route);
    const ply = moves.length;
    const black = scores[ply];
    const win = ply % 2 === 0 ? black : 1 - black;
    const value = { win, draw: 0, loss: 1 - win };
    const { legal, to_move, outcome } = await visitor.ask('/api/position', {
      game: 'tic_tac_toe',
      moves,
    });
    const other = legal.find(({ turn }) => turn !== GAME[ply])?.turn;
    const best = [1, 4].includes(ply) ? other : GAME[ply];
    const turns = [{ turn: best, visits: 64, prior: 1, value, proven: null }];
    const report = { to_move, outcome, best, turns, value, pv: [best], proven: null };
    await route.fulfill({ json: outcome ? { to_move, outcome } : { ...report, simulations: 64 } });
  });
}

/** The review marks mistakes by their cost, shows the better turn, and counts for each side. */
export async function reviewGame(visitor) {
  const { page } = visitor;
  await mockReview(visitor);
  await visitor.open(`#/play/tic_tac_toe?turns=${GAME.join('.')}`);
  await page.locator('#analysis-switch').click();
  await page.locator('#review').click();
  await page.waitForFunction(
    () =>
      document.getElementById('judge').textContent === 'Evaluate game' &&
      document.querySelectorAll('#turns .fault').length === 2,
  );
  const turn = (index) => page.locator('#turns .turn').nth(index);
  assert.match(await turn(1).textContent(), /2\. b2 \?.*, White, mistake, costs 25 %$/);
  assert.equal(await page.locator('#graph .dot.fault.mistake').count(), 2);
  assert.deepEqual(await page.locator('#summary tbody tr').allInnerTexts(), [
    'Black\t0\t1\t0\t5 %',
    'White\t0\t1\t0\t6 %',
  ]);
  await page.locator('#fault-before').click();
  await page.waitForFunction(() => document.getElementById('ply').textContent === '5 / 9');
  assert.match(await visitor.text('#fault-done'), /^Mistake by Black: b3 costs 25 %\. Better was/);
  await page.locator('#better').click();
  await page.waitForFunction(() => document.getElementById('ply').textContent === '4 / 9');
  assert.equal(await page.locator('.marks .best').count(), 1, 'the better turn is on the board');
  assert.match(await visitor.text('#fault-next'), /^Next: Mistake by Black: b3 costs 25 %/);
  await page.locator('#board .hit.open').first().click();
  await page.waitForSelector('#turns .variation');
  assert.match(await page.locator('#summary').innerText(), /Black\s+0\s+1\s+0\s+5 %/);
}

// Lets the page list the turns anew, as it does with each value, while the focus stays where it is.
async function redrawTurns(page) {
  await page.evaluate(() => {
    document.querySelector('#turns li').classList.add('old');
    document.getElementById('judge').click();
  });
  await page.waitForSelector('#turns li.old', { state: 'detached' });
}

/** Another turn in the middle makes a variation, which can be made the main line and deleted. */
export async function keepVariations(visitor) {
  const { page } = visitor;
  await visitor.open('#/play/tic_tac_toe?turns=a1.b2.c3&ply=1');
  const { cells } = (await visitor.ask('/api/games')).find(({ name }) => name === 'tic_tac_toe');
  const at = (name) => visitor.cell(cells.findIndex((cell) => cell.name === name));
  const line = (moves) =>
    page.waitForFunction((turns) => location.hash.includes(`turns=${turns}`), moves);
  await at('a2').click();
  await line('a1.a2');
  const main = () => page.locator('#turns > li > .turn').allInnerTexts();
  const names = async () => (await main()).map((text) => text.match(/[abc]\d/)[0]);
  assert.deepEqual(
    await names(),
    ['a1', 'b2', 'c3'],
    'in an analysis the new line is the variation',
  );
  const variation = page.locator('#turns .variation');
  assert.equal(await variation.locator('.turn').count(), 1);
  await variation.locator('summary').focus();
  await page.keyboard.press('Enter');
  assert.ok(await variation.locator('.turn').isHidden(), 'it is closed by keyboard');
  await redrawTurns(page);
  assert.ok(await variation.locator('.turn').isHidden(), 'it stays closed');
  await page.keyboard.press('Enter');
  assert.ok(await variation.locator('.turn').isVisible(), 'it keeps the focus');
  await page.locator('#turns > li > .turn').nth(2).click();
  await line('a1.b2.c3');
  await variation.locator('.turn').click();
  await line('a1.a2');
  await variation.getByRole('button', { name: /main line/ }).click();
  assert.deepEqual(await names(), ['a1', 'a2']);
  assert.equal(await variation.locator('.turn').count(), 2, 'the old line is the variation');
  await variation.locator('summary').click();
  await variation.getByRole('button', { name: /Delete/ }).click();
  await variation.waitFor({ state: 'detached' });
  assert.deepEqual(await names(), ['a1', 'a2']);
}

/** Turns that are taken back in a game become a variation of what is played instead. */
export async function takeBack(visitor) {
  const { page } = visitor;
  await visitor.open('#/play/tic_tac_toe');
  await visitor.setUp({ game: 'tic_tac_toe', player: 'random', side: 'both' });
  await visitor.cell(0).click();
  await visitor.settled(1);
  await page.locator('#undo').click();
  await visitor.cell(4).click();
  await page.waitForSelector('#turns .variation');
  assert.match(await page.locator('#turns > li > .turn').innerText(), /b2/);
  assert.match(await page.locator('#turns .variation summary').innerText(), /Variation 1\. a/);
  assert.equal(visitor.shown().moves.length, 1);

  await visitor.setUp({ game: 'tic_tac_toe', player: 'random', side: 'x' });
  await visitor.cell(0).click();
  await visitor.settled(2);
  const { moves } = visitor.shown();
  for (const cell of [0, 4]) {
    await page.locator('#undo').click();
    await visitor.cell(cell).click();
    await visitor.settled(2);
    assert.equal(visitor.shown().moves.length, 2, 'the computer replies again');
  }
  const undone = page.locator('#turns .variation').first();
  await undone.locator('summary').click();
  const texts = await undone.locator('.turn').allTextContents();
  assert.deepEqual(
    texts.map((text) => text.match(/[abc]\d/)[0]),
    moves,
  );
}
