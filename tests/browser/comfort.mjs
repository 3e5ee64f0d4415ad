// The orientation of the board, sounds, clocks, and the options of the rules.

import assert from 'node:assert/strict';

async function topRow(visitor) {
  const first = await visitor.cell(0).boundingBox();
  const last = await visitor.cell(24).boundingBox();
  return first.y < last.y ? 'straight' : 'turned';
}

/** The person's side is at the bottom, unless the board was turned by hand. */
export async function turnBoard(visitor) {
  const { page } = visitor;
  const is = (way) =>
    page.waitForFunction((turned) => {
      const y = (cell) => document.querySelector(`[data-cell="${cell}"]`).getBoundingClientRect().y;
      return y(0) > y(24) === turned;
    }, way === 'turned');
  await visitor.open('#/play/neutron5');
  await visitor.setUp({ game: 'neutron5', player: 'random', side: 'o' });
  assert.equal(await topRow(visitor), 'straight', 'White is at home at the bottom');
  await page.locator('#sides input[value="x"] + span').click();
  await is('turned');
  await page.keyboard.press('f');
  await is('straight');
  await page.reload();
  await page.waitForSelector('#board .hit');
  await is('straight');
  await page.locator('#flip').click();
  await is('turned');
  await page.locator('#sides input[value="o"] + span').click();
  await is('straight');
  // Not from the game in progress, which the page would ask about.
  await page.goto('about:blank');
  await visitor.open('#/play/neutron5?turns=A5-A2');
  await page.locator('#sides input[value="x"] + span').click();
  await is('turned');
}

/** Sounds are off until they are switched on, and stay on. */
export async function hearTurns(visitor) {
  const { page } = visitor;
  await page.addInitScript(() => {
    window.notes = 0;
    const { start } = OscillatorNode.prototype;
    OscillatorNode.prototype.start = function (...when) {
      window.notes += 1;
      return start.apply(this, when);
    };
  });
  const notes = () => page.evaluate(() => window.notes);
  await visitor.open('#/play/tic_tac_toe');
  await visitor.setUp({ game: 'tic_tac_toe', player: 'random', side: 'both' });
  await visitor.cell(0).click();
  await visitor.settled(1);
  assert.equal(await notes(), 0, 'sounds are off');
  await page.locator('label.switch', { hasText: 'Sounds' }).click();
  const before = await notes();
  await visitor.cell(1).click();
  await visitor.settled(2);
  assert.equal(await notes(), before + 1);
  await page.reload();
  await page.waitForSelector('#board .hit');
  assert.ok(await page.locator('#sounds').isChecked(), 'the choice is remembered');
}

/** Clocks run from the second turn; who has no time left loses. */
export async function runOutOfTime(visitor) {
  const { page } = visitor;
  await page.clock.install();
  await visitor.open('#/play/tic_tac_toe');
  assert.ok(await page.locator('#clocks').isHidden(), 'there are no clocks by default');
  await visitor.setUp({ game: 'tic_tac_toe', player: 'random', side: 'both' });
  await page.locator('#clock').selectOption('600+5');
  const clocks = page.locator('#clocks .clock');
  assert.deepEqual(await clocks.allInnerTexts(), ['10:00', '10:00']);
  await page.clock.runFor(20_000);
  assert.deepEqual(await clocks.allInnerTexts(), ['10:00', '10:00'], 'no clock runs before a turn');
  await visitor.cell(0).click();
  await page.waitForSelector('.clock.running');
  await page.clock.runFor(20_000);
  assert.match((await clocks.allInnerTexts())[1], /^9:[34]\d$/);
  await visitor.cell(1).click();
  await page.waitForFunction(() => document.getElementById('ply').textContent === '2 / 2');
  assert.match((await clocks.allInnerTexts())[1], /^9:4\d$/, 'a turn adds five seconds');
  await page.reload();
  await page.waitForSelector('.clock.running');
  const [black, white] = await clocks.allInnerTexts();
  assert.match(black, /^10:0[345]$/, 'after a reload the clocks go on');
  assert.match(white, /^9:4\d$/);
  await page.clock.fastForward(700_000);
  await page.waitForSelector('#result:not([hidden])');
  assert.match(await visitor.text('#status'), /White wins/);
  assert.equal(await visitor.text('#reason'), 'Black ran out of time.');
  assert.equal(await page.locator('.targets > *').count(), 0, 'the game is over');
  await page.locator('#new').click();
  await page.waitForFunction(() => document.getElementById('ply').textContent === '0 / 0');
  assert.deepEqual(await clocks.allInnerTexts(), ['10:00', '10:00']);
}

/** Who leaves a game for analysis has all the time: it is no longer timed, and the page says so. */
export async function stopClocks(visitor) {
  const { page } = visitor;
  await visitor.open('#/play/tic_tac_toe');
  await visitor.setUp({ game: 'tic_tac_toe', player: 'random', side: 'x' });
  await page.locator('#clock').selectOption('300+0');
  await visitor.cell(4).click();
  await visitor.settled(2);
  assert.ok(await page.locator('#clocks').isVisible());
  await visitor.analyse();
  assert.match(await visitor.text('#message'), /clocks are stopped: .* no longer timed/);
  await page.locator('#come-back').click();
  await page.locator('#analyse').waitFor();
  assert.ok(await page.locator('#clocks').isHidden());
  await visitor.newGame();
  assert.equal(await visitor.text('#clocks'), '5:00', 'the next game has clocks');
}

/** Options with few values are selects, with what they mean. */
export async function chooseRules(visitor) {
  const { page } = visitor;
  await page.route('**/api/games', async (route) => {
    const games = await (await route.fetch()).json();
    const susan = games.find(({ name }) => name === 'susan');
    susan.title = 'The game of Susan';
    susan.options = [
      {
        name: 'pie',
        text: 'Whether White may take over the first stone.',
        choices: [
          { value: 'off', text: 'No' },
          { value: 'on', text: 'Yes, White may swap' },
        ],
      },
    ];
    await route.fulfill({ json: games });
  });
  await visitor.open('#/play/susan');
  assert.equal(await page.locator('#game option:checked').innerText(), 'The game of Susan');
  await page.locator('#rules summary').click();
  const pie = page.locator('#rules-fields select[name="pie"]');
  assert.deepEqual(await pie.locator('option').allInnerTexts(), ['No', 'Yes, White may swap']);
  assert.match(await visitor.text('#rule-pie'), /take over the first stone/);
  await pie.selectOption({ label: 'Yes, White may swap' });
  await page.locator('#rules-form button').click();
  await page.waitForFunction(() => location.hash.includes('rules.pie=on'));
  assert.ok(await page.locator('#rules-fields input[name="max_plies"]').isVisible());
}
