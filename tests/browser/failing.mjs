// The page when the server is busy or gone.

import assert from 'node:assert/strict';

/** A busy server: the page shows the reason, and *Try again* continues the game. */
export async function meetBusyServer(visitor) {
  const { page } = visitor;
  await visitor.open('#/play/neutron5');
  await visitor.setUp({ game: 'neutron5', player: 'random', side: 'o' });
  visitor.tolerated = /503/;
  await page.route('**/api/reply', (route) =>
    route.fulfill({
      status: 503,
      headers: { 'Retry-After': '2' },
      json: { error: 'all places are taken', at: null },
    }),
  );
  const { legal } = await visitor.position();
  await visitor.click(legal[0]);
  await page.waitForSelector('#message button');
  assert.match(await visitor.text('#message'), /All places are taken \(wait 2 s\)/);
  await page.unroute('**/api/reply');
  await page.locator('#message button', { hasText: 'Try again' }).click();
  await visitor.settled(2);
  assert.equal(await page.locator('#message').isVisible(), false);
}

/** A server that is gone: the game continues when it is back, and nothing is lost. */
export async function outliveServer(visitor, server) {
  const { page } = visitor;
  await visitor.open('#/play/tic_tac_toe');
  await visitor.setUp({ game: 'tic_tac_toe', player: 'random', side: 'x' });
  visitor.tolerated = /ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/;
  await server.stop();
  await visitor.cell(4).click();
  await page.waitForSelector('#message button');
  assert.match(await visitor.text('#message'), /server does not answer/);
  await server.start();
  await page.locator('#message button', { hasText: 'Try again' }).click();
  await visitor.settled(2);
  assert.equal(visitor.shown().moves[0], 'b2');
}
