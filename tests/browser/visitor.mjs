// Drives a page like a user, and records every error.

import assert from 'node:assert/strict';
import { NAME } from './browser.mjs';

// Firefox does not tell the bodies of requests: the page repeats them in a header.
function repeatBodies() {
  const send = window.fetch;
  window.fetch = (path, request = {}) => {
    const { body } = request;
    const headers = body
      ? { ...request.headers, 'X-Body': encodeURIComponent(body) }
      : request.headers;
    return send(path, { ...request, headers });
  };
}

/** Returns the JSON body of a request that was intercepted. */
export function bodyOf(route) {
  const request = route.request();
  const repeated = request.headers()['x-body'];
  return repeated ? JSON.parse(decodeURIComponent(repeated)) : request.postDataJSON();
}

// Chromium may ask for the icon of a page that was left for an empty one, and refuses it then.
const isIconOfNowhere = (complaint) =>
  /\/assets\/icon\.svg/.test(complaint) && /origin 'null'|net::ERR_FAILED/.test(complaint);

/** A page under test. `complaints` collects errors, warnings and requests to other hosts. */
export class Visitor {
  constructor(context, page, base, complaints) {
    Object.assign(this, { context, page, base, complaints, tolerated: null });
  }

  /** Opens a fresh browser context; `options` are those of Playwright. */
  static async enter(browser, base, complaints, options = {}) {
    const context = await browser.newContext({
      viewport: { width: 1280, height: 900 },
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(10_000);
    if (NAME === 'firefox') await context.addInitScript(repeatBodies);
    const visitor = new Visitor(context, await context.newPage(), base, complaints);
    visitor.watch(visitor.page);
    return visitor;
  }

  watch(page) {
    page.on('console', (message) => {
      if (!['error', 'warning'].includes(message.type())) return;
      // The browser logs failed requests even if the page handles them.
      if (this.tolerated?.test(message.text())) return;
      const complaint = `console ${message.type()}: ${message.text()} ${message.location().url}`;
      if (!isIconOfNowhere(complaint)) this.complaints.push(complaint);
    });
    page.on('pageerror', (error) => this.complaints.push(`uncaught: ${error.stack}`));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${this.base}/`) && !/^(data|blob):/.test(url))
        this.complaints.push(`request to elsewhere: ${url}`);
    });
  }

  /** Opens an address of the page and waits until it is drawn. */
  async open(hash = '') {
    await this.page.goto(`${this.base}/${hash}`);
    const [, view] = hash.split(/[/?]/);
    const drawn = { games: '.cards .card', training: '#training h1' };
    await this.page.waitForSelector(drawn[view] ?? '#board .hit');
  }

  /** Opens the dialog of records: by the keyboard, as the button may move while panels fill. */
  async openRecords() {
    await this.page.locator('#records').press('Enter');
  }

  async close() {
    await this.page.unrouteAll({ behavior: 'ignoreErrors' });
    await this.context.close();
  }

  /** Sends a request to the server, as the page would; returns the answer. */
  async ask(path, body) {
    const request = body && {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    };
    const response = await fetch(this.base + path, request);
    const answer = await response.json();
    assert.ok(response.ok, `${path}: ${JSON.stringify(answer)}`);
    return answer;
  }

  /** Returns the game in the address: `{game, rules, moves, ply}`. */
  shown() {
    const [path, query = ''] = new URL(this.page.url()).hash.split('?');
    const values = new URLSearchParams(query);
    const turns = values.get('turns');
    const moves = turns ? turns.split('.') : [];
    const rules = {};
    for (const [key, value] of values) {
      if (key.startsWith('rules.'))
        rules[key.slice(6)] = /^\d+$/.test(value) ? Number(value) : value;
    }
    return {
      game: path.split('/')[2],
      rules,
      moves,
      ply: values.has('ply') ? Number(values.get('ply')) : moves.length,
    };
  }

  /** Returns the server's answer about the position in the address. */
  position() {
    const { game, rules, moves, ply } = this.shown();
    return this.ask('/api/position', { game, rules, moves: moves.slice(0, ply) });
  }

  cell(index) {
    return this.page.locator(`#board [data-cell="${index}"]`);
  }

  /** Clicks the cells of a path, or the button of a turn that has none. */
  async click({ turn, path }) {
    if (path.length === 0) {
      await this.page.locator('#special button', { hasText: new RegExp(turn, 'i') }).click();
    }
    for (const cell of path) await this.cell(cell).click();
  }

  /** Waits until `plies` turns were played and the user is to move, or the game is over. */
  async settled(plies) {
    await this.page.waitForFunction(
      (least) => {
        const [shown] = document.getElementById('ply').textContent.split(' / ');
        const status = document.getElementById('status');
        const over = status.classList.contains('over');
        return over || (Number(shown) >= least && !status.querySelector('.thinking'));
      },
      plies,
      { timeout: 20_000 },
    );
  }

  /** Sets up a new game with the controls of the page. */
  async setUp({ game, player, side }) {
    const { page } = this;
    if ((await page.locator('#game').inputValue()) !== game) {
      await page.locator('#game').selectOption(game);
      await this.leaveGame();
    }
    await page.waitForFunction((name) => location.hash.startsWith(`#/play/${name}`), game);
    await this.choosePlayer(player);
    await page.locator(`#sides input[value="${side}"] + span`).click();
    await this.newGame();
  }

  /** Begins a new game, also where another is in progress. */
  async newGame() {
    const { page } = this;
    await page.locator('#new').click();
    await this.leaveGame();
    await page.waitForFunction(() => document.getElementById('ply').textContent === '0 / 0');
  }

  /** Leaves the game in progress, if the page asks. */
  async leaveGame() {
    const { page } = this;
    if (await page.locator('#leave-dialog').isVisible()) await page.locator('#leave').click();
  }

  /** Chooses an opponent in the expert view. */
  async choosePlayer(player) {
    const { page } = this;
    if (!(await page.locator('#player').isVisible())) await page.locator('#expert-summary').click();
    await page.locator('#player').selectOption(player);
  }

  /** Leaves the game that is being played, to analyse it. */
  async analyse() {
    const { page } = this;
    await page.locator('#analyse').click();
    await page.locator('#analyse').waitFor({ state: 'hidden' });
  }

  text(selector) {
    return this.page.locator(selector).innerText();
  }
}
