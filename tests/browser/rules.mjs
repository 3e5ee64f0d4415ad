// The cards of the games at a first visit, and the rules panel.

import assert from 'node:assert/strict';

const PHONES = [
  { width: 360, height: 740 },
  { width: 740, height: 360 },
];

/** At a first visit there are cards; later the game that was played last. */
export async function meetGames(visitor) {
  const { page } = visitor;
  await page.goto(`${visitor.base}/`);
  await page.waitForSelector('.cards .card');
  const families = await visitor.ask('/api/rules');
  assert.equal(await page.locator('.cards .card').count(), families.length);
  assert.equal(await page.locator('.cards .still .piece').first().isVisible(), true);
  const titles = await page.locator('.cards h2').allInnerTexts();
  assert.deepEqual(titles.slice(0, 2), ['Susan', 'Neutron 5x5']);

  const neutron = page.locator('.card', { hasText: 'Neutron 5x5' }).first();
  assert.equal(await neutron.getByText('one hole each').first().isVisible(), false, 'folded');
  await neutron.locator('summary').click();
  await neutron.getByRole('link', { name: 'Neutron 5x5, one hole each' }).click();
  await page.waitForSelector('#board .hit');
  assert.equal(visitor.shown().game, 'neutron5_hole1');
  assert.equal(await visitor.text('#game-title'), 'Neutron 5x5, one hole each');

  await page.goto(`${visitor.base}/#/training`);
  await page.goto(`${visitor.base}/`);
  await page.waitForSelector('#board .hit');
  assert.equal(visitor.shown().game, 'neutron5_hole1', 'the last game is remembered');
  await page.locator('#nav-games').click();
  await page.waitForSelector('.cards .card');
  assert.equal(await page.title(), 'Games – Tavoliere');
}

/** The rules of every family have all their sections and pictures; the panel works by keyboard. */
export async function readRules(visitor) {
  const { page } = visitor;
  const dialog = page.locator('#rules-dialog');
  const families = await visitor.ask('/api/rules');
  for (const { name, games } of families) {
    await visitor.open(`#/play/${games[0].name}`);
    await page.waitForFunction(
      (title) => document.getElementById('game-title').textContent === title,
      games[0].title,
    );
    const book = await visitor.ask(`/api/rules/${name}`);
    await page.locator('#rules-open').focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('#rules-dialog .lead');
    const headings = await dialog.locator('h3').allInnerTexts();
    for (const { title } of book.sections) assert.ok(headings.includes(title), `${name}: ${title}`);
    const positions = book.sections.flatMap(({ blocks }) =>
      blocks.filter(({ kind }) => kind === 'position'),
    );
    assert.equal(await dialog.locator('figure svg').count(), positions.length);
    const pieces = [...positions[0].position.squares].filter((sign) => sign !== '.').length;
    assert.equal(await dialog.locator('figure').first().locator('.piece').count(), pieces);
    assert.ok(!(await dialog.innerText()).includes('**'), 'no marks of Markdown');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    const focused = await page.evaluate(() => document.activeElement.id);
    assert.equal(focused, 'rules-open', 'the focus returns to the button');
  }
  await showPositionOnBoard(visitor);
  await fitsOnPhones(visitor);
}

async function showPositionOnBoard(visitor) {
  const { page } = visitor;
  await visitor.open('#/play/neutron5');
  await page.locator('#rules-open').click();
  await page.locator('#rules-dialog figure a').first().click();
  await page.locator('#rules-dialog').waitFor({ state: 'hidden' });
  await page.waitForFunction(() => location.hash.includes('A5-A2'));
  assert.deepEqual(visitor.shown().moves, ['A5-A2']);
}

async function fitsOnPhones({ page, base }) {
  for (const size of PHONES) {
    await page.setViewportSize(size);
    await page.goto(`${base}/#/play/susan`);
    await page.locator('#rules-open').click();
    await page.waitForSelector('#rules-dialog .lead');
    const [inner, outer] = await page.evaluate(() => {
      const dialog = document.getElementById('rules-dialog');
      return [dialog.scrollWidth - dialog.clientWidth, dialog.getBoundingClientRect().right];
    });
    assert.ok(inner <= 0 && outer <= size.width, `the panel fits ${size.width} pixels`);
    // A click beside the panel closes it.
    await page.mouse.click(2, 2);
    await page.locator('#rules-dialog').waitFor({ state: 'hidden' });
    await page.goto(`${base}/#/games`);
    await page.waitForSelector('.cards .card');
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= size.width, `the cards are ${width} pixels wide`);
  }
}

/** Why a game ended comes with the position. */
export async function knowEndings(visitor) {
  const { ending } = await visitor.ask('/api/position', {
    game: 'neutron5',
    moves: ['C5-A3', 'C5'],
  });
  assert.equal(ending.reason, "Black brought the neutron to White's home row");
  assert.deepEqual(ending.cells, [22]);
}
