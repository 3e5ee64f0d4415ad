// The analysis panel.

import assert from 'node:assert/strict';
import { NAME } from './browser.mjs';
import { contrast } from './contrast.mjs';
import { Visitor, bodyOf } from './visitor.mjs';

/** Returns the first player that can analyse and is bound to a game, with the game; or null. */
export async function analysingPlayer(visitor) {
  const players = await visitor.ask('/api/players');
  const player = players.find(({ thinks, game }) => thinks && game !== null);
  return player ? { player, game: player.game } : null;
}

/** Serves a player that can analyse, whose reports are made from the legal turns. */
export async function mockAnalysis(visitor, game) {
  const player = {
    name: 'invented',
    title: 'Invented',
    game,
    rules: null,
    kind: 'trained',
    thinks: true,
    simulations: 200,
    facts: null,
  };
  await visitor.page.route('**/api/players', async (route) => {
    const players = await (await route.fetch()).json();
    await route.fulfill({ json: [player, ...players] });
  });
  await visitor.page.route('**/api/analysis', async (route) => {
    const { game: name, rules, moves, simulations } = bodyOf(route);
    const position = await visitor.ask('/api/position', { game: name, rules, moves });
    await route.fulfill({ json: mockReport(position, simulations ?? 200) });
  });
  await visitor.page.route('**/api/reply', async (route) => {
    const query = { ...bodyOf(route), player: 'random', simulations: undefined };
    await route.fulfill({ json: await visitor.ask('/api/reply', query) });
  });
  return player;
}

function mockReport({ board, to_move, ply, legal, outcome, winner }, simulations) {
  const turns = legal.slice(0, 4).map(({ turn }, rank) => ({
    turn,
    visits: Math.round(simulations / 2 ** (rank + 1)),
    prior: 0.4 / (rank + 1),
    value: { win: 0.6 - rank / 10, draw: 0.1, loss: 0.3 + rank / 10 },
    proven: rank === 3 ? 'loss' : null,
  }));
  const all = { board, to_move, ply, legal: legal.map(({ turn }) => turn), outcome, winner };
  if (outcome) return all;
  return {
    ...all,
    best: turns[0].turn,
    value: turns[0].value,
    raw: turns[0].value,
    turns,
    pv: [turns[0].turn],
    proven: null,
    simulations,
  };
}

/** Checks the ranked turns, the value bar, the marks, a preview, and the evaluation of a game. */
export async function checkAnalysis(visitor, game = 'neutron5') {
  const real = await analysingPlayer(visitor);
  const { name } = real?.player ?? (await mockAnalysis(visitor, game));
  const shown = real?.game ?? game;
  const started = Date.now();
  await visitor.open(`#/play/${shown}`);
  const { page } = visitor;
  await visitor.analyse();
  await page.waitForSelector('#candidates tbody tr');
  const first = Date.now() - started;
  await visitor.choosePlayer(name);
  await page.locator('#effort').selectOption('100');
  await page.waitForFunction(
    () =>
      /by .+, 100 simulations/.test(document.getElementById('value-text').textContent) ||
      /Proven (win|draw)/.test(document.getElementById('value-text').textContent),
  );
  assert.equal(
    await page.locator('#value-bar span').count(),
    3,
    'the bar has a part for each result',
  );
  assert.ok((await page.locator('.heat > *').count()) > 0, 'the board shows where turns go');
  assert.ok((await page.locator('.marks .best').count()) > 0, 'the board shows the best turn');
  await page.locator('#candidates tbody button').first().focus();
  assert.ok((await page.locator('.marks .number').count()) > 0, 'the principal variation is drawn');
  await page.locator('#candidates tbody button').first().press('Enter');
  await visitor.settled(1);
  assert.ok(visitor.shown().moves.length >= 1, 'a ranked turn can be played from the list');
  await evaluateGame(visitor);
  await page.locator('#analysis-switch').click();
  assert.equal(await page.locator('#analysis-body').isVisible(), false);
  assert.equal(
    await page.locator('.marks > *').count(),
    0,
    'nothing is drawn when it is switched off',
  );
  return { first, real: real !== null };
}

/** What a solution says stands beside what the search found. */
export async function seeExactValues(visitor) {
  const { page } = visitor;
  await visitor.open('#/play/tic_tac_toe?turns=b2.a1.c3');
  const said = (pattern) =>
    page.waitForFunction(
      (words) => new RegExp(words).test(document.getElementById('value-text').textContent),
      pattern,
    );
  await said('Solved: nobody can force a win');
  const proofs = () => page.locator('#candidates .proof').allTextContents();
  assert.ok((await proofs()).some((text) => text === 'neither'), await proofs());
  const wins = /^(Black|White) wins in \d$/;
  assert.ok((await proofs()).some((text) => wins.test(text)), 'turns that lose');
  await visitor.open('#/play/tic_tac_toe?turns=b2.b1.a1');
  await said('Solved: (Black|White) wins in 4 turns');
}

// A proven win without visits, a turn with all visits, and a proven loss.
async function mockProof(visitor) {
  await mockAnalysis(visitor, 'tic_tac_toe');
  await visitor.page.route('**/api/analysis', async (route) => {
    const { moves, simulations } = bodyOf(route);
    const { to_move, legal } = await visitor.ask('/api/position', { game: 'tic_tac_toe', moves });
    const sure = { win: 1, draw: 0, loss: 0 };
    const lost = { win: 0, draw: 0, loss: 1 };
    const value = { win: 0.997, draw: 0, loss: 0.003 };
    const turns = [
      { turn: legal[0].turn, visits: 0, prior: 0.1, value: sure, proven: 'win' },
      { turn: legal[1].turn, visits: 48, prior: 0.8, value, proven: null },
      { turn: legal[2].turn, visits: 2, prior: 0.1, value: lost, proven: 'loss' },
    ];
    const pv = legal.slice(0, 3).map(({ turn }) => turn);
    const report = { to_move, best: pv[0], turns, value: sure, pv, proven: 'win', simulations };
    await route.fulfill({ json: report });
  });
}

/** The board stresses what the list has first, and the list has numbers. */
export async function seeEmphasis(visitor) {
  const { page } = visitor;
  await mockProof(visitor);
  await visitor.open('#/play/tic_tac_toe?turns=b2');
  await page.waitForSelector('#candidates tbody tr');
  const width = async (name) =>
    Number(await page.locator(`.marks .${name}`).first().getAttribute('stroke-width'));
  assert.ok((await width('best')) > (await width('other')), 'the proven win is the thickest');
  assert.equal(await page.locator('.marks > *').count(), 2, 'a proven loss is not drawn');
  const heat = await page
    .locator('.heat > *')
    .evaluateAll((cells) => cells.map((cell) => Number(cell.getAttribute('fill-opacity'))));
  assert.equal(heat.length, 2);
  assert.ok(heat[0] > heat[1], `the cell of the proven win is the strongest: ${heat}`);
  const rows = (await page.locator('#candidates tbody tr').allInnerTexts()).map((row) =>
    row.split('\t').map((cell) => cell.trim()),
  );
  assert.deepEqual(
    rows.map(([, score, visits]) => [score, visits]),
    [
      ['100 %', '0'],
      ['> 99 %', '48'],
      ['0 %', '2'],
    ],
  );
  await contrastOfArrows(visitor);
}

async function contrastOfArrows({ page }) {
  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name;
    }, theme);
    const { arrows, cells } = await page.evaluate(() => {
      const style = (node) => getComputedStyle(node);
      const all = (selector) => [...document.querySelectorAll(selector)];
      return {
        arrows: all('.marks > .ring')
          .map(style)
          .map(({ stroke, opacity }) => [stroke, Number(opacity)]),
        cells: all('.cells > *').map((node) => style(node).fill),
      };
    });
    for (const [stroke, opacity] of arrows)
      for (const cell of new Set(cells)) {
        const found = contrast(stroke, cell, opacity);
        assert.ok(found >= 3, `${theme}: ${stroke} on ${cell} has ${found.toFixed(2)}`);
      }
  }
}

/** On a phone a tap shows the line of a turn, which is stepped through and played. */
export async function stepLine(browser, base, complaints) {
  const visitor = await Visitor.enter(browser, base, complaints, {
    viewport: { width: 390, height: 640 },
    hasTouch: true,
  });
  const { page } = visitor;
  await mockProof(visitor);
  await visitor.open('#/play/tic_tac_toe?turns=b2');
  await page.waitForSelector('#candidates tbody tr');
  const turn = page.locator('#candidates tbody tr').first().locator('button');
  await turn.scrollIntoViewIfNeeded();
  await tap(turn);
  await page.waitForSelector('#line-ahead:visible');
  assert.equal(visitor.shown().moves.length, 1, 'a tap does not play');
  assert.equal(await page.locator('.line-turns button').count(), 3);
  const pieces = () => page.locator('#board .piece').count();
  const has = (count) =>
    page.waitForFunction(
      (many) => document.querySelectorAll('#board .piece').length === many,
      count,
    );
  assert.equal(await pieces(), 1);
  await tap(page.locator('#line-ahead'));
  await has(2);
  await tap(page.locator('#line-ahead'));
  await has(3);
  assert.ok((await page.evaluate(() => scrollY)) > 60, 'the page is scrolled to the line');
  const status = await page.locator('#status').boundingBox();
  assert.ok(status.y >= 0, 'the status line is in view');
  const [, , third] = await page.locator('.line-turns button').allInnerTexts();
  const told = /^Ahead 2 of 3: .+ · White to move · 100 % for White$/;
  assert.match(await visitor.text('#status'), told);
  assert.equal(await page.locator('.marks .number').textContent(), '3', third);
  const board = await page.locator('#board').boundingBox();
  assert.ok(board.y >= status.y + status.height, 'above the board');
  const row = await page.locator('.line-row').boundingBox();
  assert.ok(board.y >= 0 && board.y + board.height <= 640, 'the board is in view');
  assert.ok(row.y >= board.y + board.height && row.y + row.height <= 640, 'and so is the line');
  assert.equal(visitor.shown().moves.length, 1, 'steps do not play');
  await tap(page.locator('#line-back'));
  await has(2);
  await tap(page.locator('#line-close'));
  await has(1);
  assert.equal(await page.locator('.line-row').count(), 0);
  await tap(turn);
  await tap(page.locator('#line-ahead'));
  await has(2);
  await tap(page.locator('#line-ahead'));
  await has(3);
  await tap(page.locator('#line-play'));
  await visitor.settled(3);
  assert.equal(visitor.shown().moves.length, 3, 'the line is played as far as it was shown');
  await visitor.close();
}

// Taps an element. Playwright cannot in this Firefox: there the page gets the events of a tap.
async function tap(locator) {
  if (NAME !== 'firefox') {
    await locator.tap();
    return;
  }
  await locator.dispatchEvent('pointerdown', { pointerType: 'touch', bubbles: true });
  await locator.dispatchEvent('click', { detail: 1 });
}

/** A line of several turns draws the next one, and the one after it faintly. */
export async function drawNextTurns(visitor) {
  const { page } = visitor;
  await mockAnalysis(visitor, 'neutron5');
  const pv = ['E3,A1-D4', 'C3,A5-A2', 'D3,B1-C2', 'C3,B5-B2'];
  await page.route('**/api/analysis', async (route) => {
    const { moves, simulations } = bodyOf(route);
    const { to_move, legal } = await visitor.ask('/api/position', { game: 'neutron5', moves });
    const value = { win: 0.6, draw: 0, loss: 0.4 };
    const best = legal.some(({ turn }) => turn === pv[0]) ? pv[0] : legal[0].turn;
    const turns = [{ turn: best, visits: simulations, prior: 1, value, proven: null }];
    await route.fulfill({ json: { to_move, best, turns, value, pv, proven: null, simulations } });
  });
  await visitor.open('#/play/neutron5?turns=A5-A2');
  await page.locator('#candidates tbody button').first().focus();
  const arrows = (name) => page.locator(`.marks > .line${name}`).count();
  await page.waitForSelector('.marks .number');
  assert.equal(await arrows(':not(.faint)'), 2, 'the neutron and the piece of the next turn');
  assert.equal(await arrows('.faint'), 2, 'and those of one more');
}

async function evaluateGame({ page }) {
  await page.locator('#judge').click();
  await page.waitForFunction(() => {
    const plies = document.querySelectorAll('#turns .turn').length + 1;
    const points = document.querySelectorAll('#graph .dot, #graph .proven').length;
    return points === plies && document.getElementById('judge').textContent === 'Evaluate game';
  });
}
