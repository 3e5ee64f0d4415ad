// The server behind a proxy that has it in a folder, and pages elsewhere that ask it.

import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import { playGame } from './playing.mjs';
import { startServer } from './server.mjs';
import { checkAnalysis } from './thinking.mjs';
import { followTraining } from './training.mjs';
import { Visitor } from './visitor.mjs';

/** The folder of the proxy. */
const FOLDER = '/games/tavoliere';

/** Listens on a free port; returns the origin. */
function listen(server) {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`));
  });
}

function close(server) {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}

/**
 * Starts a proxy that has a server in its folder: it hands on the requests there without the folder, with the
 * `Host` of the browser. All others are `strays`.
 */
async function startProxy(base) {
  const { hostname, port } = new URL(base);
  const strays = [];
  const server = createServer((incoming, outgoing) => {
    const { url, method, headers } = incoming;
    if (!url.startsWith(`${FOLDER}/`)) {
      strays.push(url);
      outgoing.writeHead(404).end();
      return;
    }
    const path = url.slice(FOLDER.length);
    const asked = request({ hostname, port, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    asked.on('error', () => outgoing.destroy());
    outgoing.on('close', () => asked.destroy());
    incoming.pipe(asked);
  });
  const origin = await listen(server);
  return { base: `${origin}${FOLDER}`, strays, stop: () => close(server) };
}

async function visiting(browser, base, complaints, check) {
  const visitor = await Visitor.enter(browser, base, complaints);
  try {
    await check(visitor);
  } finally {
    await visitor.close();
  }
}

/** In a folder of a proxy the page plays, analyses and follows a training; no request leaves the folder. */
export async function liveInFolder(browser, server, runs, complaints) {
  const proxy = await startProxy(server.base);
  const visit = (check) => visiting(browser, proxy.base, complaints, check);
  try {
    await visit((visitor) => playGame(visitor, 'connect_four', 'x', 13));
    await visit((visitor) => checkAnalysis(visitor));
    await visit((visitor) => followTraining(visitor, runs));
    await visit(async (visitor) => {
      await visitor.page.goto(`${proxy.base}/`);
      await visitor.page.waitForSelector('.cards .card');
      const icon = await visitor.page.locator('.brand img').evaluate((image) => image.naturalWidth);
      assert.ok(icon > 0, 'the icon is there');
    });
    assert.deepEqual(proxy.strays, []);
  } finally {
    await proxy.stop();
  }
}

/** The link with a token works in a folder as well, and its cookie is for that folder. */
export async function enterFolder(browser, settings, complaints) {
  const server = await startServer({ ...settings, port: 0, options: ['--token'] });
  const proxy = await startProxy(server.base);
  try {
    await visiting(browser, proxy.base, complaints, async (visitor) => {
      await visitor.page.goto(`${proxy.base}/${new URL(server.link).search}`);
      await visitor.page.waitForSelector('.cards .card');
      assert.equal(visitor.page.url(), `${proxy.base}/`, 'the address has no token');
      const cookies = await visitor.context.cookies(`${proxy.base}/api/games`);
      assert.deepEqual(cookies.map(({ path }) => path), [FOLDER]);
      await visitor.open('#/play');
      await visitor.setUp({ game: 'tic_tac_toe', player: 'random', side: 'x' });
      await visitor.cell(4).click();
      await visitor.settled(2);
    });
    assert.deepEqual(proxy.strays, []);
  } finally {
    await proxy.stop();
    await server.stop();
  }
}

/** Asks a server from a page of an origin; returns the side to move, or the name of the error. */
async function askFrom(browser, origin, address, headers) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(origin);
  const answer = await page.evaluate(
    async ([address, headers]) => {
      const body = JSON.stringify({ game: 'tic_tac_toe', moves: ['b2'] });
      const type = { 'Content-Type': 'application/json' };
      try {
        const response = await fetch(address, { method: 'POST', headers: { ...type, ...headers }, body });
        return (await response.json()).to_move ?? response.status;
      } catch (error) {
        return error.name;
      }
    },
    [address, headers],
  );
  await context.close();
  return answer;
}

/** A page of an origin that is allowed asks the server, with the token; one of another port does not. */
export async function askFromElsewhere(browser, settings) {
  const blank = () => createServer((_, answer) => answer.end('<!doctype html><title>elsewhere</title>'));
  const [one, other] = [blank(), blank()];
  const [allowed, strange] = await Promise.all([listen(one), listen(other)]);
  const token = '0123456789abcdef';
  const options = ['--allow-origin', allowed, '--token', token];
  const server = await startServer({ ...settings, port: 0, options });
  const address = `${server.base}/api/position`;
  const bearer = { Authorization: `Bearer ${token}` };
  try {
    assert.equal(await askFrom(browser, allowed, address, bearer), 'o');
    assert.equal(await askFrom(browser, allowed, address, {}), 401, 'it reads why it is refused');
    assert.equal(await askFrom(browser, strange, address, bearer), 'TypeError');
  } finally {
    await server.stop();
    await Promise.all([one, other].map(close));
  }
}
