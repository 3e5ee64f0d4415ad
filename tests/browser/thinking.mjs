// The analysis panel.

import assert from 'node:assert/strict';
import { bodyOf } from './visitor.mjs';

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
      /100 simulations/.test(document.getElementById('value-text').textContent) ||
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
  assert.ok((await proofs()).some((text) => /^in \d$/.test(text)), 'turns that lose');
  await visitor.open('#/play/tic_tac_toe?turns=b2.b1.a1');
  await said('Solved: (Black|White) wins in 4 turns');
}

async function evaluateGame({ page }) {
  await page.locator('#judge').click();
  await page.waitForFunction(() => {
    const plies = document.querySelectorAll('#turns .turn').length + 1;
    const points = document.querySelectorAll('#graph .dot, #graph .proven').length;
    return points === plies && document.getElementById('judge').textContent === 'Evaluate game';
  });
}
