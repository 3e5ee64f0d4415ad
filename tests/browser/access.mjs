// The page as axe-core sees it, and the link with a token.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { startServer } from './server.mjs';
import { Visitor } from './visitor.mjs';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

async function findings({ page }, where) {
  await page.evaluate(await readFile(AXE, 'utf8'));
  const violations = await page.evaluate(async () => (await window.axe.run()).violations);
  return violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(
      ({ id, nodes }) =>
        `${where}: ${id}: ${nodes
          .map(({ html }) => html)
          .join(' ')
          .slice(0, 300)}`,
    );
}

// The review, a mistake that is tried again, and the line of a turn in the list.
async function reviewIn({ page }, look) {
  if (!(await page.locator('#review').isVisible())) return;
  await page.locator('#review').click();
  await page.waitForSelector('#review-panel:not([hidden])');
  await look('a review');
  if (await page.locator('#retry').isVisible()) {
    await page.locator('#retry').click();
    await page.waitForSelector('#retry-end:visible');
    await look('a mistake that is tried again');
    await page.locator('#retry-end').click();
  }
  await page.locator('#first').click();
  await page.waitForSelector('#candidates:not([inert]) tbody tr');
  const turn = page.locator('#candidates tbody button').first();
  // A tap, on a screen that has no touch.
  await turn.dispatchEvent('pointerdown', { pointerType: 'touch' });
  await turn.dispatchEvent('click', { detail: 1 });
  await page.locator('#line-ahead').click();
  await look('the line of a turn');
}

/** axe-core has no serious findings, in light and dark colours, on the views and dialogs. */
export async function passAxe(browser, base, complaints) {
  const found = [];
  for (const colours of ['light', 'dark']) {
    const visitor = await Visitor.enter(browser, base, complaints);
    const { page } = visitor;
    await visitor.open('#/play/neutron5');
    if (colours === 'dark') await page.locator('#theme').click();
    const look = async (where) => found.push(...(await findings(visitor, `${colours}, ${where}`)));
    await look('a game');
    await page.locator('#editor-open').click();
    await look('the dialog that sets up a position');
    await page.keyboard.press('Escape');
    await page.locator('#rules summary').click();
    await look('the options of the rules');
    await visitor.open('#/play/tic_tac_toe?turns=a1.b2.c1.b1.b3.a2.c2.c3.a3');
    await page.waitForFunction(() =>
      document.getElementById('value-text').textContent.includes('over'),
    );
    await look('the analysis of a game that is over');
    await page.locator('#previous').click();
    await page.waitForFunction(() => document.getElementById('ply').textContent === '8 / 9');
    await page.waitForSelector('#value-bar');
    await look('an analysis');
    await page.locator('#last').click();
    await page.waitForSelector('#result:not([hidden])');
    await look('a result');
    await reviewIn(visitor, look);
    await visitor.openRecords();
    await look('the dialog of records');
    await page.keyboard.press('Escape');
    const comparison = '#/training?compare=tic_tac_toe';
    for (const hash of ['#/training', '#/training/example', '#/training/example/2', comparison]) {
      await visitor.open(hash);
      await page.waitForTimeout(300);
      // What is closed at first is seen as well.
      await page.evaluate(() => document.getElementById('run-config')?.setAttribute('open', ''));
      await look(hash);
    }
    await visitor.close();
  }
  assert.deepEqual(found, []);
}

/** The link with a token leads to the page; without the token the page says what is missing. */
export async function enterByToken(browser, settings, complaints) {
  const server = await startServer({ ...settings, port: 0, options: ['--token'] });
  try {
    const visitor = await Visitor.enter(browser, server.base, complaints);
    await visitor.page.goto(server.link);
    await visitor.page.waitForSelector('.cards .card');
    assert.ok(!visitor.page.url().includes('token'), 'the address has no token');
    await visitor.open('#/play');
    await visitor.setUp({ game: 'tic_tac_toe', player: 'random', side: 'x' });
    await visitor.cell(4).click();
    await visitor.settled(2);
    await visitor.close();
    await stayOutside(browser, server, complaints);
  } finally {
    await server.stop();
  }
}

async function stayOutside(browser, { base }, complaints) {
  const response = await fetch(`${base}/api/games`);
  assert.equal(response.status, 401);
  const visitor = await Visitor.enter(browser, base, complaints);
  visitor.tolerated = /401/;
  await visitor.page.goto(`${base}/`);
  await visitor.page.waitForSelector('#message:not([hidden])');
  assert.match(await visitor.text('#message'), /token/i);
  await visitor.close();
}
