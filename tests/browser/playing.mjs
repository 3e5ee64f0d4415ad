// Games against a player, by mouse and by keyboard.

import assert from 'node:assert/strict';

// Pseudorandom numbers, the same on every run (Lehmer's generator).
function numbers(seed) {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

async function stepsCanBeTakenBack(visitor) {
  const { legal } = await visitor.position();
  const several = legal.find(({ path }) => path.length > 1);
  if (!several) return;
  const [first] = several.path;
  await visitor.cell(first).click();
  assert.equal(
    (await visitor.page.locator('.glow .chosen').count()) > 0,
    true,
    'the chosen cell is marked',
  );
  const next = new Set(
    legal.filter(({ path }) => path[0] === first && path.length > 1).map(({ path }) => path[1]),
  );
  assert.equal(
    await visitor.page.locator('.targets > *').count(),
    next.size,
    'the next step shows its targets',
  );
  await visitor.page.keyboard.press('Escape');
  assert.equal(
    await visitor.page.locator('.glow .chosen').count(),
    0,
    'Escape takes the step back',
  );
}

/** Plays a whole game against `random`, as the side that moves first. */
export async function playGame(visitor, game, side, seed) {
  await visitor.open(`#/play/${game}`);
  await visitor.setUp({ game, player: 'random', side });
  const next = numbers(seed);
  await stepsCanBeTakenBack(visitor);
  let position = await visitor.position();
  let turns = 0;
  while (!position.outcome) {
    assert.equal(position.to_move, side, 'the computer has replied');
    await visitor.click(position.legal[Math.floor(next() * position.legal.length)]);
    await visitor.settled(position.ply + 2);
    position = await visitor.position();
    turns += 1;
    assert.ok(turns < 400, 'the game comes to an end');
  }
  await resultIsShown(visitor, position);
  return position.ply;
}

async function resultIsShown(visitor, position) {
  const said = await visitor.text('#status');
  const expected = { x: /Black wins/, o: /White wins/, draw: /The game is a draw/ }[position.outcome];
  assert.match(said, expected);
  assert.match(await visitor.text('#announcer'), expected);
  assert.equal(await visitor.page.locator('#turns .turn').count(), position.ply);
  assert.equal(
    (await visitor.page.locator('#graph .proven').count()) > 0,
    true,
    'the result is in the graph',
  );
}

/** Steps through the game just played, by keys, buttons, the list and the graph. */
export async function stepThrough(visitor) {
  const { page } = visitor;
  const { moves } = visitor.shown();
  const at = (ply) =>
    page.waitForFunction(
      (text) => document.getElementById('ply').textContent === text,
      `${ply} / ${moves.length}`,
    );
  await page.locator('#setup-title').click();
  await page.keyboard.press('ArrowLeft');
  await at(moves.length - 1);
  assert.equal(visitor.shown().ply, moves.length - 1);
  await page.keyboard.press('Home');
  await at(0);
  await page.keyboard.press('ArrowRight');
  await at(1);
  await page.locator('#last').click();
  await at(moves.length);
  // A game against `random` may end after two turns.
  const third = Math.min(3, moves.length);
  await page.locator('#turns .turn').nth(third - 1).click();
  await at(third);
  await page.locator('#graph svg').focus();
  await page.keyboard.press('ArrowLeft');
  await at(third - 1);
  // Switches the analysis off: its arrival would move the graph.
  await page.keyboard.press('a');
  const { width, height } = await page.locator('#graph svg').boundingBox();
  await page.locator('#graph svg').click({ position: { x: width - 10, y: height / 2 } });
  await at(moves.length);
  await undoAndRedo(visitor, moves, at);
}

// Undo goes back to the user's own turn, redo forward again.
async function undoAndRedo(visitor, moves, at) {
  const { page } = visitor;
  await page.locator('#undo').click();
  const own = moves.length % 2 === 1 ? moves.length - 1 : moves.length - 2;
  await at(own);
  await page.locator('#redo').click();
  await at(Math.min(own + 2, moves.length));
  assert.deepEqual(visitor.shown().moves, moves, 'undo and redo keep all turns');
}

/** Special turns: captures, a turn that may end early, a turn without a cell. */
export async function playSpecialTurns(visitor) {
  const { page } = visitor;
  const fourInRow = 'turns=a1.a8.b1.b8.c1.c8.d1.d8';
  const at = (name) => cellNamed(visitor, 'checkers_gomoku', name);
  await visitor.open(`#/play/checkers_gomoku?${fourInRow}`);
  await (await at('e1')).click();
  assert.match(await visitor.text('#status'), /choose a piece to capture/);
  await (await at('b8')).click();
  await page.waitForFunction(() => location.hash.includes('e1xb8'));

  await visitor.open(`#/play/checkers_gomoku?${fourInRow}&rules.capture=optional`);
  await (await at('e1')).click();
  await page.locator('#special button', { hasText: 'Play e1' }).click();
  await page.waitForFunction(() => /d8\.e1(&|\.|$)/.test(location.hash));

  await visitor.open('#/play/susan?turns=e5&rules.pie=on');
  await page.locator('#special button', { hasText: 'Play swap' }).click();
  await page.waitForFunction(() => location.hash.includes('e5.swap'));
}

async function cellNamed(visitor, game, name) {
  const games = await visitor.ask('/api/games');
  const { cells } = games.find((candidate) => candidate.name === game);
  return visitor.cell(cells.findIndex((cell) => cell.name === name));
}

/** The computer plays both sides of a game to its end. */
export async function playComputerGame(visitor) {
  const { page } = visitor;
  await visitor.open('#/play/tic_tac_toe');
  await visitor.setUp({ game: 'tic_tac_toe', player: 'random', side: 'both' });
  await page.locator('#sides input[value="none"] + span').click();
  await page.waitForSelector('#status.over');
  assert.ok(visitor.shown().moves.length >= 5);
}

/** A reply that arrives after another game was opened does not change that game. */
export async function leaveWhileItThinks(visitor) {
  const { page } = visitor;
  await visitor.open('#/play/tic_tac_toe');
  await visitor.setUp({ game: 'tic_tac_toe', player: 'random', side: 'x' });
  await page.route('**/api/reply', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 900));
    await route.continue().catch(() => {});
  });
  await page.route('**/api/position', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 900));
    await route.continue();
  });
  await visitor.cell(4).click();
  await page.waitForSelector('#status .thinking');
  await page.waitForTimeout(200);
  await page.locator('#game').selectOption('susan');
  await visitor.leaveGame();
  await page.waitForFunction(() => location.hash.startsWith('#/play/susan'));
  await page.waitForTimeout(1000);
  assert.deepEqual(visitor.shown(), { game: 'susan', rules: {}, moves: [], ply: 0 });
}

/** Plays a turn of Neutron by keyboard only, and gets a reply. */
export async function playByKeyboard(visitor) {
  const { page } = visitor;
  await visitor.open('#/play/neutron5');
  await visitor.setUp({ game: 'neutron5', player: 'random', side: 'o' });
  await page.reload();
  await page.waitForSelector('#board .hit');
  await page.keyboard.press('Tab');
  assert.equal(
    await page.evaluate(() => document.activeElement.id),
    'skip',
    'the first Tab stop is the link to the board',
  );
  await page.keyboard.press('Enter');
  // A5-B4, after which no reply ends the game.
  const turn = (await visitor.position()).legal[1];
  for (const target of turn.path) {
    await walkTo(visitor, target);
    await page.keyboard.press('Enter');
  }
  await visitor.settled(2);
  assert.equal(visitor.shown().moves[0], turn.turn);
  assert.equal(visitor.shown().moves.length, 2);
  assert.match(await visitor.text('#announcer'), /Black played .+White to move/);
}

async function walkTo(visitor, target) {
  const { page } = visitor;
  const columns = 5;
  for (let steps = 0; steps < 20; steps += 1) {
    const here = Number(await page.evaluate(() => document.activeElement.dataset.cell));
    if (here === target) return;
    const [dx, dy] = [
      (target % columns) - (here % columns),
      Math.floor(target / columns) - Math.floor(here / columns),
    ];
    await page.keyboard.press(
      dx > 0 ? 'ArrowRight' : dx < 0 ? 'ArrowLeft' : dy > 0 ? 'ArrowDown' : 'ArrowUp',
    );
  }
  assert.fail(`the arrow keys do not lead to cell ${target}`);
}
