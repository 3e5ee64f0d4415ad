// Layout on a phone, and the colour themes.

import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NAME, launch } from './browser.mjs';
import { Visitor } from './visitor.mjs';

const PHONE = { width: 360, height: 740 };
const COMPARISON = '#/training?compare=tic_tac_toe';

async function fits({ page }, what) {
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= PHONE.width, `${what} is ${width} pixels wide on a screen of ${PHONE.width}`);
}

/** No view is wider than the screen of a phone. */
export async function fitOnPhone(browser, base, complaints) {
  const visitor = await Visitor.enter(browser, base, complaints, {
    viewport: PHONE,
    hasTouch: true,
  });
  const games = await visitor.ask('/api/games');
  for (const { name, cells } of games) {
    await visitor.open(`#/play/${name}`);
    await visitor.page.waitForFunction(
      (count) => document.querySelectorAll('#board .hit').length === count,
      cells.length,
    );
    await fits(visitor, name);
  }
  for (const hash of ['#/training', '#/training/example', '#/training/example/2', COMPARISON]) {
    await visitor.open(hash);
    await visitor.page.waitForTimeout(200);
    await fits(visitor, hash);
  }
  await visitor.close();
  return games.length;
}

// What each table of a view shows beyond its box, or the screen.
async function cutTables({ page }) {
  return page.evaluate(() =>
    [...document.querySelectorAll('#training table')]
      .filter((table) => table.getBoundingClientRect().width > 0)
      .map((table) => {
        const box = table.parentElement.getBoundingClientRect();
        return [table.closest('[id]').id, table.getBoundingClientRect().right - box.right];
      })
      .filter(([, cut]) => cut > 1),
  );
}

/** On a phone the tables of a run are whole: what it has reached, and who plays for it. */
export async function seeTablesOnPhone(browser, base, complaints, runs) {
  const file = join(runs, 'example', 'activity.json');
  const worker = { engine: 'avx2', threads: 8, games_per_s: 12.34, silent: 0 };
  const workers = [{ host: 'the-third-desktop-of-the-upper-floor', ...worker }];
  const cluster = { workers, tasks: 7, waiting: 0.25 };
  const time = Math.floor(Date.now() / 1000);
  const stage = { phase: 'selfplay', iteration: 4, goal: 9, done: 5, total: 64, time };
  writeFileSync(file, JSON.stringify({ ...stage, cluster }));
  const visitor = await Visitor.enter(browser, base, complaints, { viewport: PHONE });
  await visitor.open('#/training/example');
  for (const id of ['run-results', 'run-cluster']) await visitor.page.waitForSelector(`#${id}`);
  assert.deepEqual(await cutTables(visitor), []);
  await fits(visitor, 'a run with workers');
  await visitor.close();
  rmSync(file);
}

/** On a phone the whole board and the status are on the screen, in landscape and portrait. */
export async function seeBoardOnPhone(browser, base, complaints) {
  for (const viewport of [
    { width: 844, height: 390 },
    { width: 390, height: 844 },
  ]) {
    const visitor = await Visitor.enter(browser, base, complaints, { viewport, hasTouch: true });
    for (const game of ['neutron5', 'susan', 'connect_four', 'checkers_gomoku']) {
      await visitor.open(`#/play/${game}`);
      for (const id of ['board', 'status']) {
        const { x, y, width, height } = await visitor.page.locator(`#${id}`).boundingBox();
        const inside =
          x >= 0 && y >= 0 && x + width <= viewport.width && y + height <= viewport.height;
        assert.ok(inside, `${id} of ${game} is on the screen: ${[x, y, width, height]}`);
        assert.ok(id !== 'board' || height > 300, `the board of ${game} is ${height} high`);
      }
      const wide = await visitor.page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= viewport.width, `${game} is ${wide} wide`);
    }
    await visitor.open('#/play/tic_tac_toe?turns=a1.a2.b1.b2.c1');
    const review = visitor.page.locator('#review');
    await review.waitFor();
    const { y, height } = await review.boundingBox();
    assert.ok(y >= 0 && y + height <= viewport.height, 'the result is on the screen');
    await visitor.close();
  }
}

/** A piece of a special kind has its sign as text, which is seen on its body. */
export async function seeSigns(visitor) {
  await visitor.open('#/play/tic_tac_toe');
  for (const look of ['black', 'white', 'neutral', 'hole']) {
    const { name, text, colours, isInside } = await visitor.page.evaluate(async (look) => {
      const { drawPiece } = await import(new URL('assets/pieces.js', document.baseURI));
      const piece = drawPiece({ symbol: 'k', name: 'King', look, sign: 'K2' }, { x: 1, y: 1 });
      document.querySelector('#board .pieces').append(piece);
      const [body, sign] = piece.firstChild.children;
      const [outer, inner] = [body, sign].map((node) => node.getBoundingClientRect());
      return {
        name: sign.getAttribute('class'),
        text: sign.textContent,
        colours: [body, sign].map((node) => getComputedStyle(node).fill),
        isInside: inner.left > outer.left && inner.right < outer.right,
      };
    }, look);
    assert.deepEqual([name, text, isInside], ['sign', 'K2', true], look);
    assert.ok(colours[1] !== 'none' && colours[0] !== colours[1], `${look}: ${colours}`);
  }
}

/** The number of a turn does not look like the turn, which may be a number as well. */
export async function tellNumbers(visitor) {
  await visitor.open('#/play/connect_four?turns=1.2');
  await visitor.page.waitForSelector('#turns .turn i');
  const [number, turn] = await visitor.page.evaluate(() => {
    const number = document.querySelector('#turns .turn i');
    return [number, number.nextElementSibling].map((node) => {
      const { fontSize, fontWeight, borderRightWidth } = getComputedStyle(node);
      return [fontSize, fontWeight, borderRightWidth].map(parseFloat);
    });
  });
  assert.ok(number[0] < turn[0] && number[1] < turn[1], `${number} is smaller than ${turn}`);
  assert.ok(number[2] > 0, 'a line separates them');
}

/** The system's theme applies until the button changes it; the choice is remembered. */
export async function changeTheme(browser, base, complaints) {
  const background = ({ page }) =>
    page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const backgrounds = [];
  for (const colorScheme of ['light', 'dark']) {
    const own = NAME === 'firefox' ? await launch(colorScheme === 'dark') : null;
    const visitor = await Visitor.enter(own ?? browser, base, complaints, { colorScheme });
    await visitor.open('#/play');
    backgrounds.push(await background(visitor));
    if (colorScheme === 'dark') {
      await visitor.page.locator('#theme').click();
      assert.equal(await background(visitor), backgrounds[0], 'the button changes to light');
      await visitor.page.reload();
      assert.equal(await background(visitor), backgrounds[0], 'the choice is remembered');
    }
    await visitor.close();
    await own?.close();
  }
  assert.notEqual(backgrounds[0], backgrounds[1]);
}
