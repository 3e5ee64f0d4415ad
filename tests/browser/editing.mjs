// The dialog that sets up a position.

import assert from 'node:assert/strict';
import { NAME } from './browser.mjs';
import { Visitor } from './visitor.mjs';

// A tap reaches no page in this Firefox, not even as an event of a plain button: it is clicked.
const TAP = NAME === 'firefox' ? 'click' : 'tap';

const START = 'xxxxx/...../..*../...../ooooo o';

async function textIs({ page }, text) {
  await page.waitForFunction(
    (wanted) => document.getElementById('position-text').value === wanted,
    text,
  );
}

/** A position is set up by keyboard and clicks, refused with a reason, and then played from. */
export async function setUpPosition(visitor, browser) {
  const { page } = visitor;
  visitor.tolerated = /400/;
  await visitor.open('#/play/neutron5');
  await page.keyboard.press('e');
  await textIs(visitor, START);
  await page.locator('#palette label', { hasText: 'Empty' }).click();
  await page.locator('#editor-board [data-cell="4"]').click();
  await page.locator('#palette label', { hasText: 'Black' }).click();
  await page.locator('#editor-board [data-cell="4"]').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await textIs(visitor, 'xxxx./....x/..*../...../ooooo o');
  await page.locator('#editor-board [data-cell="20"]').click();
  await page.waitForFunction(() => /6/.test(document.getElementById('editor-error').textContent));
  assert.equal(await page.locator('#editor-play').isDisabled(), true);
  await page.locator('#editor-start').click();
  await textIs(visitor, START);
  await page.locator('#position-text').fill('xxxx./....x/..*../...../ooooo x');
  await page.waitForFunction(() => !document.getElementById('editor-analyse').disabled);
  await page.locator('#editor-analyse').click();
  await page.waitForFunction(() => location.hash.includes('position='));
  assert.match(await visitor.text('#status'), /Black/);
  const address = page.url();
  const other = await Visitor.enter(browser, visitor.base, visitor.complaints);
  await other.open(new URL(address).hash);
  assert.match(await other.text('#status'), /Black/);
  assert.equal(other.page.url(), address);
  await other.close();
  await page.keyboard.press('e');
  await page.locator('#editor-play').click();
  await page.waitForFunction(() => !document.getElementById('editor-dialog').open);
  await refuseText(visitor);
}

// Only a JSON line holds a game that did not begin at the start.
async function refuseText({ page }) {
  await page.locator('#records').click();
  await page.locator('[data-format="pgn"]').click();
  await page.waitForFunction(() =>
    /another position/.test(document.getElementById('record-error').textContent),
  );
  const line = '{"game": "tic_tac_toe", "position": "x../.o./... x", "moves": ["a1"]}';
  await page.locator('#record-text').fill(line);
  await page.locator('#record-open').click();
  await page.waitForFunction(() => location.hash.startsWith('#/play/tic_tac_toe?position='));
  await page.waitForFunction(() => document.getElementById('ply').textContent === '1 / 1');
}

/** On a phone the dialog fits, both ways. */
export async function setUpOnPhone(browser, base, complaints) {
  for (const [width, height] of [
    [390, 844],
    [844, 390],
  ]) {
    const viewport = { width, height };
    const visitor = await Visitor.enter(browser, base, complaints, { viewport, hasTouch: true });
    await visitor.open('#/play/susan');
    await visitor.page.locator('#editor-open')[TAP]();
    await visitor.page.locator('#editor-board [data-cell="30"]')[TAP]();
    await visitor.page.waitForFunction(() =>
      document.getElementById('position-text').value.includes('/....x..../'),
    );
    const overflow = await visitor.page.evaluate(() => {
      const dialog = document.getElementById('editor-dialog');
      return dialog.scrollWidth > dialog.clientWidth;
    });
    assert.equal(overflow, false, `${width} by ${height}`);
    await visitor.close();
  }
}
