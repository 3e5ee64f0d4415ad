// The review after a game, and variations.

import assert from 'node:assert/strict';
import { contrast } from './contrast.mjs';
import { mockAnalysis } from './thinking.mjs';
import { Visitor, bodyOf } from './visitor.mjs';

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
  const name = /2\. b2 \? 75 %, White, mistake, costs 25 %$/;
  assert.match(await turn(1).textContent(), name, 'words are apart');
  const title = await turn(1).locator('small').getAttribute('title');
  assert.equal(title, 'Black’s expected score after this turn, by tic_tac_toe, 64 simulations');
  assert.equal(await page.locator('#graph .dot.fault.mistake').count(), 2);
  assert.deepEqual(await page.locator('#summary tbody tr').allInnerTexts(), [
    'Black\t0\t1\t0\t5 %',
    'White\t0\t1\t0\t6 %',
  ]);
  await page.locator('#fault-before').click();
  await page.waitForFunction(() => document.getElementById('ply').textContent === '5 / 9');
  assert.equal(await visitor.text('#review-by'), 'Each position by tic_tac_toe, 64 simulations.');
  const fault = 'Mistake by Black: b3 ? costs 25 %.';
  assert.equal(await visitor.text('#fault-done'), fault, 'the better turn is not told yet');
  await page.locator('#previous').click();
  await page.waitForFunction(() => document.getElementById('ply').textContent === '4 / 9');
  assert.equal(await visitor.text('#fault-next'), `Next: ${fault}`);
  assert.equal(await page.locator('.marks > *').count(), 0, 'nor is it on the board');
  await page.locator('#better').click();
  await page.waitForFunction(() => document.getElementById('ply').textContent === '4 / 9');
  assert.equal(await page.locator('.marks .best').count(), 1, 'the better turn is on the board');
  assert.match(await visitor.text('#fault-next'), /^Next: .+: b3 \? costs 25 %\. Better was/);
  await page.locator('#board .hit.open').first().click();
  await page.waitForSelector('#turns .variation');
  assert.match(await page.locator('#summary').innerText(), /Black\s+0\s+1\s+0\s+5 %/);
}

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
  { width: 844, height: 390 },
];

async function isInView({ page }, selector) {
  const { width, height } = page.viewportSize();
  const box = await page.locator(selector).boundingBox();
  return (
    box !== null &&
    box.x >= 0 &&
    box.y >= 0 &&
    box.x + box.width <= width &&
    box.y + box.height <= height
  );
}

async function review(visitor) {
  const { page } = visitor;
  await mockReview(visitor);
  await visitor.open(`#/play/tic_tac_toe?turns=${GAME.join('.')}`);
  await page.locator('#review').click();
  await page.waitForFunction(
    () =>
      document.getElementById('review').textContent === 'Review' &&
      document.querySelectorAll('#turns .fault').length === 2,
  );
}

const isPrimary = ({ page }, selector) =>
  page.locator(selector).evaluate((node) => node.classList.contains('strong'));

/** After a review the result, the first mistake and the board are on the screen together. */
export async function seeReview(browser, base, complaints) {
  for (const viewport of SIZES) {
    const visitor = await Visitor.enter(browser, base, complaints, { viewport });
    const size = `${viewport.width}x${viewport.height}`;
    const newGames = visitor.page.getByRole('button', { name: 'New game', exact: true });
    await visitor.open(`#/play/tic_tac_toe?turns=${GAME.join('.')}`);
    await visitor.page.waitForSelector('#result:not([hidden])');
    assert.equal(await newGames.filter({ visible: true }).count(), 1, `${size}: one New game`);
    await review(visitor);
    for (const selector of ['#status', '#board', '#review-panel', '#fault-next'])
      assert.ok(await isInView(visitor, selector), `${size}: ${selector} is in view`);
    const { height } = await visitor.page.locator('#board').boundingBox();
    assert.ok(height >= 300, `${size}: the board is ${height} high`);
    assert.match(await visitor.text('#status'), /is a draw|wins/);
    assert.match(await visitor.text('#fault-next'), /^First mistake: turn 2, b2 by White\./);
    assert.ok(!(await isPrimary(visitor, '#review')), 'the review is done');
    assert.equal(await newGames.filter({ visible: true }).count(), 1, `${size}: one New game`);
    await visitor.page.locator('#fault-first').click();
    await visitor.page.waitForFunction(
      () => document.getElementById('ply').textContent === '2 / 9',
    );
    for (const selector of ['#board', '#fault-done'])
      assert.ok(await isInView(visitor, selector), `${size}: ${selector} of the mistake`);
    await visitor.close();
  }
}

/** The mark of a mistake is read on the selected turn as well, in light and dark colours. */
export async function readMarks(visitor) {
  const { page } = visitor;
  await review(visitor);
  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name;
    }, theme);
    for (const index of [1, 4]) {
      const chip = page.locator('#turns .turn').nth(index);
      await chip.click();
      await page.waitForFunction(
        (ply) => document.getElementById('ply').textContent === `${ply} / 9`,
        index + 1,
      );
      // The list may be drawn anew at any time.
      const [mark, ground] = await page.evaluate(() => {
        const node = document.querySelector('#turns [aria-current]');
        const { color } = getComputedStyle(node.querySelector('.fault'));
        return [color, getComputedStyle(node).backgroundColor];
      });
      const found = contrast(mark, ground);
      assert.ok(found >= 4.5, `${theme}: ${mark} on ${ground} has ${found.toFixed(2)}`);
    }
  }
}

/** A mistake can be tried again: the page tells nothing before, and compares the turn played. */
export async function retryMistake(visitor) {
  const { page } = visitor;
  await review(visitor);
  await page.locator('#fault-first').click();
  await page.locator('#retry').click();
  await page.waitForFunction(() => document.getElementById('ply').textContent === '1 / 9');
  const told = (pattern) =>
    page.waitForFunction(
      (words) => new RegExp(words).test(document.getElementById('fault-done').textContent),
      pattern,
    );
  await told('^Find a better turn for White than b2');
  assert.ok(await page.locator('#analysis-body').isHidden(), 'the analysis would tell the turn');
  assert.equal(await page.locator('.marks > *').count(), 0, 'and so would an arrow');
  const { legal } = await visitor.position();
  const play = async (name) => visitor.click(legal.find(({ turn }) => turn === name));
  await play('b2');
  await told('^That is the same turn: 25 % with b2 for White');
  await page.locator('#retry').click();
  await told('^Find a better turn');
  // What the mocked search advises there.
  const best = legal.find(({ turn }) => turn !== 'b2').turn;
  await play(best);
  await told(`^As good as the best: ${best} has 50 % for White, instead of 25 % with b2`);
  await page.locator('#retry').click();
  await told('^Find a better turn');
  await play('c3');
  await told('^Not clearly better: c3 has 25 % for White, .*; the best turn has 50 %');
  await page.locator('#better').click();
  await page.waitForSelector('.marks .best');
  assert.match(await visitor.text('#fault-next'), /^Next: .+: b2 \? costs 25 %\. Better was/);
  await page.locator('#retry').click();
  await told('^Find a better turn');
  await page.locator('#retry-end').click();
  await page.waitForFunction(() => document.getElementById('ply').textContent === '2 / 9');
  assert.match(await visitor.text('#fault-done'), /^Mistake by White: b2 \? .+\. Better was/);
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
