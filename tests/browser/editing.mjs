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
async function refuseText(visitor) {
  const { page } = visitor;
  await visitor.openRecords();
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

async function openEditor(visitor, game) {
  await visitor.open(`#/play/${game}`);
  // The board of the game before is there until the page has heard of another address.
  await visitor.page.waitForFunction((name) => document.getElementById('game').value === name, game);
  await visitor.page.locator('#editor-open').click();
  await visitor.page.waitForFunction(
    () => document.getElementById('position-text').value.length > 0,
  );
}

/** The counters of a game have fields; symbols that its rules do not have are not offered. */
export async function countInEditor(visitor) {
  const { page } = visitor;
  visitor.tolerated = /400/;
  const palette = () => page.locator('#palette label').allInnerTexts();
  const labels = () => page.locator('#editor-counters label').allInnerTexts();
  await openEditor(visitor, 'neutron5');
  assert.deepEqual(await palette(), ['Next', 'Black', 'White', 'Neutron', 'Empty']);
  assert.ok(await page.locator('#editor-counters').isHidden(), 'Neutron counts nothing');
  await page.keyboard.press('Escape');
  await openEditor(visitor, 'neutron5_hole1');
  assert.ok((await palette()).includes('Hole'));
  await page.keyboard.press('Escape');

  await openEditor(visitor, 'susan');
  assert.deepEqual((await labels()).map((label) => label.trim()), ['Slides in a row']);
  await page.locator('#editor-board [data-cell="30"]').click();
  await page.locator('#palette label', { hasText: 'White' }).click();
  await page.locator('#editor-board [data-cell="0"]').click();
  const slides = page.locator('#editor-counters input');
  await slides.focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  const board = 'o..../....../......./......../....x..../......../......./....../.....';
  await textIs(visitor, `${board} x slides=2`);
  await slides.fill('');
  await textIs(visitor, `${board} x`);
  assert.equal(await slides.inputValue(), '', 'a field that is being typed in keeps its text');
  await page.keyboard.type('9');
  await page.waitForFunction(() =>
    /slides=9 is too many/.test(document.getElementById('editor-error').textContent),
  );
  await page.locator('#position-text').fill(`${board} x slides=1`);
  assert.equal(await slides.inputValue(), '1', 'the field follows the text');
  await page.keyboard.press('Escape');

  await openEditor(visitor, 'checkers_gomoku');
  await page.locator('#editor-board [data-cell="0"]').click();
  await page.locator('[name="hand-0"]').fill('11');
  await page.locator('#editor-sides label', { hasText: 'White' }).click();
  await textIs(visitor, `x......./${Array(7).fill('........').join('/')} o hand=11,12`);
  await page.waitForFunction(() => !document.getElementById('editor-play').disabled);
  await page.locator('#editor-clear').click();
  await textIs(visitor, `${Array(8).fill('........').join('/')} x hand=12,12`);
  assert.equal(await page.locator('[name="hand-0"]').inputValue(), '12');
}

const ALMOST = 'xx./oo./... x';

/** A rematch begins where the game began, with sides changed; a new game may. */
export async function playAgainFromPosition(visitor) {
  const { page } = visitor;
  await visitor.open('#/play/tic_tac_toe');
  await visitor.setUp({ game: 'tic_tac_toe', player: 'random', side: 'x' });
  const begin = async () => {
    await page.keyboard.press('e');
    await page.locator('#position-text').fill(ALMOST);
    await page.waitForFunction(() => !document.getElementById('editor-play').disabled);
    await page.locator('#editor-play').click();
    await page.waitForFunction(() => location.hash.includes('position='));
  };
  const start = () => new URLSearchParams(page.url().split('?')[1]).get('position');
  await begin();
  await visitor.cell(2).click();
  await page.waitForSelector('#result:not([hidden])');
  await page.locator('#rematch').click();
  // The random player begins now, and may win at once.
  await page.waitForFunction(() => document.querySelector('#sides input[value="o"]').checked);
  assert.equal(start(), ALMOST, 'sides are changed, the position is not');
  await page.waitForFunction(() => document.getElementById('ply').textContent !== '0 / 0');

  await page.locator('#new').click();
  await page.waitForFunction(() => !location.hash.includes('position='));
  await page.locator('#message button', { hasText: 'same position' }).click();
  await page.waitForFunction(() => location.hash.includes('position='));
  assert.equal(start(), ALMOST);
  assert.ok(await page.locator('#message').isHidden());
}

/** On a phone the dialog fits, both ways. */
export async function setUpOnPhone(browser, base, complaints) {
  for (const [width, height] of [
    [390, 844],
    [844, 390],
  ]) {
    const viewport = { width, height };
    const visitor = await Visitor.enter(browser, base, complaints, { viewport, hasTouch: true });
    // Nobody has slid before there is a stone: for a moment the counter fits no position.
    visitor.tolerated = /400/;
    await visitor.open('#/play/susan');
    await visitor.page.locator('#editor-open')[TAP]();
    await visitor.page.locator('#editor-board [data-cell="30"]')[TAP]();
    await visitor.page.waitForFunction(() =>
      document.getElementById('position-text').value.includes('/....x..../'),
    );
    await visitor.page.locator('#editor-counters input')[TAP]();
    await visitor.page.keyboard.press('Backspace');
    await visitor.page.keyboard.type('1');
    await visitor.page.waitForFunction(() =>
      document.getElementById('position-text').value.endsWith(' slides=1'),
    );
    const overflow = await visitor.page.evaluate(() => {
      const dialog = document.getElementById('editor-dialog');
      return dialog.scrollWidth > dialog.clientWidth;
    });
    assert.equal(overflow, false, `${width} by ${height}`);
    await visitor.close();
  }
}
