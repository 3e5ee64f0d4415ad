// Links, the browser's history, and game records.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { NAME } from './browser.mjs';
import { Visitor } from './visitor.mjs';

async function labels(visitor) {
  return visitor.page
    .locator('#board .hit')
    .evaluateAll((hits) => hits.map((hit) => hit.getAttribute('aria-label')));
}

/** A link shows the same position in another browser. */
export async function shareLink(visitor, browser) {
  await visitor.open('#/play/neutron5?turns=A5-A2.E3,A1-D4&ply=1&rules.max_plies=50');
  const address = visitor.page.url();
  const other = await Visitor.enter(browser, visitor.base, visitor.complaints);
  await other.open(new URL(address).hash);
  await other.page.waitForFunction(() => document.getElementById('ply').textContent === '1 / 2');
  assert.deepEqual(await labels(other), await labels(visitor));
  assert.equal(other.page.url(), address, 'the address stays what it was');
  assert.equal(
    await other.page.locator('#rules-fields input[name="max_plies"]').inputValue(),
    '50',
  );
  await other.open('#/play/neutron5?turns=A5-A2');
  await other.page.waitForFunction(() =>
    /Let .+ play/.test(document.getElementById('status').textContent),
  );
  assert.equal(
    other.shown().moves.length,
    1,
    'the computer does not play in a game opened by a link',
  );
  await other.page.locator('#resume').click();
  await other.settled(2);
  await other.close();
}

/** A link with an illegal turn shows an error and the position before that turn. */
export async function openBadLink(visitor) {
  visitor.tolerated = /400/;
  await visitor.open('#/play/neutron5?turns=A5-A2.E3,A1-D4.A1');
  await visitor.page.waitForSelector('#message:not([hidden])');
  assert.match(await visitor.text('#message'), /Turn 3 of this link cannot be played/);
  assert.deepEqual(visitor.shown().moves, ['A5-A2', 'E3,A1-D4']);
}

/** The browser's back button leads to the previous game with all its turns. */
export async function goBack(visitor) {
  await visitor.open('#/play/tic_tac_toe?turns=a1.b2');
  await visitor.page.locator('#new').click();
  await visitor.page.waitForFunction(() => document.getElementById('ply').textContent === '0 / 0');
  await visitor.page.goBack();
  await visitor.page.waitForFunction(() => document.getElementById('ply').textContent === '2 / 2');
  assert.deepEqual(visitor.shown().moves, ['a1', 'b2']);
}

/** A message goes with the page that it was shown on. */
export async function leaveMessage(visitor) {
  const { page } = visitor;
  const message = page.locator('#message');
  await visitor.open('#/play/tic_tac_toe');
  await visitor.setUp({ game: 'tic_tac_toe', player: 'random', side: 'x' });
  await page.keyboard.press('a');
  await message.waitFor();
  await page.locator('#nav-games').click();
  await page.waitForSelector('.cards .card');
  assert.ok(await message.isHidden());
}

// Returns the text of the record that the page offers as a download. Playwright learns nothing of
// downloads in Firefox: there the page keeps the text.
async function saved({ page }, format) {
  const button = page.locator(`[data-format="${format}"]`);
  if (NAME === 'firefox') {
    await page.evaluate(() => {
      HTMLAnchorElement.prototype.click = () => {};
      URL.createObjectURL = (blob) => {
        window.saved = blob.text();
        return '#';
      };
      window.saved = null;
    });
    await button.click();
    await page.waitForFunction(() => window.saved);
    return page.evaluate(() => window.saved);
  }
  const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return readFile(await download.path(), 'utf8');
}

/** A saved game can be opened again, in both formats; AbstractPlay's is for finished games only. */
export async function saveAndOpen(visitor) {
  for (const [format, game, moves] of [
    ['pgn', 'susan', ['e5', 'f5', 'd4', 'e4']],
    ['abstractplay', 'tic_tac_toe', ['a1', 'b1', 'a2', 'b2', 'a3']],
  ]) {
    await visitor.open(`#/play/${game}?turns=${moves.join('.')}&ply=3`);
    await visitor.openRecords();
    const text = await saved(visitor, format);
    await visitor.page.keyboard.press('Escape');
    await visitor.open('#/play/neutron5');
    await visitor.openRecords();
    await visitor.page.locator('#record-text').fill(text);
    await visitor.page.locator('#record-open').click();
    await visitor.page.waitForFunction((hash) => location.hash.startsWith(hash), `#/play/${game}`);
    assert.deepEqual(visitor.shown().moves, moves, format);
  }
  visitor.tolerated = /400/;
  await visitor.openRecords();
  await visitor.page.locator('#record-text').fill('this is no record');
  await visitor.page.locator('#record-open').click();
  await visitor.page.waitForFunction(
    () => document.getElementById('record-error').textContent.length > 10,
  );
}
