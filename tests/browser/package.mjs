// Tests the npm package in an empty project: its types, in Node, in a browser, from another host.
//
//   npm run package [-- --speed]                     makes the package by scripts/npm.sh
//   npm run package -- --program FILE                with another WebAssembly module

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { launch } from './browser.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, '../..');
const { values: options } = parseArgs({
  options: { program: { type: 'string' }, speed: { type: 'boolean' } },
});
const binary = process.env.TAVOLIERE ?? join(ROOT, 'target/release/tavoliere');

/** Another player, which is not in the package. */
const OTHER = 'entropy';

/** The version of boardgame.io that the example was written for. */
const BOARDGAME = 'boardgame.io@0.50.2';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.json': 'application/json' };

/** Serves a folder. With `isOpen` pages of other hosts may read it, as on a CDN. */
async function serve(folder, isOpen) {
  const server = createServer(async ({ url }, answer) => {
    const name = url === '/' ? '/index.html' : new URL(url, 'http://localhost').pathname;
    try {
      const bytes = await readFile(join(folder, name));
      const type = TYPES[extname(name)] ?? 'application/octet-stream';
      const headers = { 'Content-Type': type, ...(isOpen && { 'Access-Control-Allow-Origin': '*' }) };
      answer.writeHead(200, headers).end(bytes);
    } catch {
      answer.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${server.address().port}`;
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { base, stop };
}

/** Makes the package and installs it in an empty project with the examples; returns the folder. */
async function project(folder) {
  const more = options.program ? ['--program', options.program] : [];
  const env = { ...process.env, TAVOLIERE: binary };
  const said = String(execFileSync(join(ROOT, 'scripts/npm.sh'), more, { env }));
  console.log(said.trim());
  const [file] = said.split(':');
  await writeFile(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  await cp(join(ROOT, 'examples/web'), folder, { recursive: true });
  const quiet = ['--silent', '--no-audit', '--no-fund'];
  execFileSync('npm', ['install', ...quiet, join(ROOT, file), BOARDGAME], { cwd: folder });
}

/** The types fit the compiler at its strictest, in Node and in a page, and refuse what is wrong. */
async function checkTypes(folder) {
  await cp(join(HERE, 'package.ts'), join(folder, 'use.ts'));
  const compiler = join(HERE, 'node_modules/typescript/bin/tsc');
  const more = ['--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'];
  const strict = ['--noEmit', '--strict', ...more];
  const target = ['--target', 'es2022', '--lib', 'es2022,dom'];
  const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler'];
  for (const way of [['--module', 'nodenext'], bundler]) {
    const args = [compiler, ...strict, ...target, ...way, 'use.ts'];
    try {
      execFileSync(process.execPath, args, { cwd: folder, stdio: 'pipe' });
    } catch (error) {
      throw new Error(`${way.join(' ')}: ${error.stdout}`);
    }
  }
  console.log('ok types');
}

/** The turns of the native player in some lines, with the arithmetic of WebAssembly. */
function nativeTurns(player, lines, simulations) {
  const queries = lines.map((moves) => `${JSON.stringify({ moves, simulations })}\n`).join('');
  const answers = execFileSync(binary, ['analyze', '--player', `${player}?engine=portable`], {
    input: queries,
    env: { ...process.env, RAYON_NUM_THREADS: '1' },
  });
  return String(answers).trim().split('\n').map((line) => JSON.parse(line).best);
}

/** In Node the package plays as the native player does, and the bot of boardgame.io wins. */
async function playInNode(folder) {
  await writeFile(
    join(folder, 'play.js'),
    `import { load } from 'tavoliere';
    const player = await load('connect_four');
    const moves = [];
    while (!(await player.position(moves)).outcome)
      moves.push(await player.best(moves, { simulations: 50 }));
    console.log(JSON.stringify(moves));
    player.close();`,
  );
  const run = (file) => execFileSync(process.execPath, [file], { cwd: folder, timeout: 60_000 });
  const moves = JSON.parse(run('play.js'));
  const lines = moves.map((_, ply) => moves.slice(0, ply));
  assert.deepEqual(moves, nativeTurns('connect_four', lines, 50), 'as the native player');
  console.log(`ok connect_four against itself in Node, ${moves.length} turns, as the native player`);
  const { turns, winner, draw } = JSON.parse(run('boardgame.js'));
  assert.ok(winner === '1' || draw, `the bot lost: ${turns}`);
  console.log(`ok a bot of boardgame.io, ${turns.length} turns, ${draw ? 'a draw' : 'the bot wins'}`);
}

/** The page of the example plays a game to its end. */
async function playInPage(page, base) {
  await page.goto(base);
  await page.waitForFunction(() => /choose a column/.test(document.getElementById('says').textContent));
  for (let turn = 0; turn < 21; turn += 1) {
    const said = await page.locator('#says').textContent();
    if (/(wins|draw)\.$/.test(said)) return `${said} after ${turn} turns`;
    await page.locator('#turns:not([inert]) button').first().click();
    await page.waitForFunction(
      () => !document.getElementById('turns').inert || !document.querySelector('#turns button'),
    );
    const hope = /^You win in \d+ % with [1-7]\.$/;
    if (turn === 0) assert.match(await page.locator('#says').textContent(), hope);
  }
  throw new Error('the game does not end');
}

/** What programs do, with the package at an address; returns what came of it. */
function useAt(page, address, other) {
  return page.evaluate(
    async ([address, other]) => {
      const { load, players } = await import(address);
      const told = ({ name, message }) => `${name}: ${message}`;
      const failure = (promise) => promise.then(() => 'nothing', told);
      const player = await load('susan');
      const updates = [];
      const onUpdate = ({ simulations }) => updates.push(simulations);
      const analysis = await player.analyze(['e5'], { simulations: 200, top: 3, onUpdate });
      const request = new AbortController();
      setTimeout(() => request.abort(), 300);
      const aborted = await failure(player.analyze([], { simulations: 100_000, signal: request.signal }));
      const after = await player.best(['e5'], { simulations: 20 });
      const folder = await load(new URL(`${other}/`, location));
      const first = (await folder.legal())[0];
      const bytes = new Uint8Array(await (await fetch(`${other}.gz`)).arrayBuffer());
      const packed = await load(bytes);
      const illegal = await player.position(['zz']).catch((error) => error);
      const result = {
        names: (await players()).map(({ name }) => name),
        updates,
        analysis,
        aborted,
        after,
        other: [folder.game, first, packed.game],
        illegal: [illegal.status, illegal.at],
        missing: await failure(load('nobody')),
        page: await failure(load(new URL('/index.html', location))),
        plain: (await load('random', { game: 'entropy' })).canAnalyze,
      };
      const pending = failure(player.legal());
      for (const each of [player, folder, packed]) each.close();
      return { ...result, closed: [await pending, await failure(player.legal())] };
    },
    [address, other],
  );
}

function checkUse(used) {
  assert.ok(used.names.includes('susan'));
  assert.deepEqual(used.updates, [32, 128], 'earlier analyses come on the way');
  const { analysis } = used;
  assert.equal(analysis.simulations, 200);
  assert.equal(analysis.turns.length, 3);
  assert.equal(analysis.best, nativeTurns('susan', [['e5']], 200)[0], 'as the native player');
  assert.match(used.aborted, /^AbortError/);
  assert.equal(used.after, nativeTurns('susan', [['e5']], 20)[0], 'it answers after an abort');
  assert.deepEqual([used.other[0], used.other[2]], [OTHER, OTHER]);
  assert.ok(used.other[1], 'an exported player has legal turns');
  assert.deepEqual(used.illegal, [400, 0]);
  assert.match(used.missing, /there is no player `nobody`; the package has/);
  assert.match(used.page, /is no player/);
  assert.equal(used.plain, false);
  for (const closed of used.closed) assert.match(closed, /^AbortError/);
}

/**
 * Simulations a second of the package and of a site, in turns on one page: the medians of 9 different
 * positions.
 */
async function measure(browser, folder, base) {
  execFileSync(binary, ['site', '--out', join(folder, 'site'), 'susan'], { stdio: 'ignore' });
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${base}/site/index.html`);
  const [own, site] = await page.evaluate(async () => {
    const { load } = await import('/node_modules/tavoliere/tavoliere.js');
    const { call } = await import('/site/assets/api.js');
    const player = await load('susan');
    const body = { game: 'susan', player: 'susan' };
    const ways = [
      (moves, simulations) => player.analyze(moves, { simulations }),
      (moves, simulations) => call('/api/analysis', { ...body, moves, simulations }),
    ];
    const rates = [[], []];
    for (const [round, turn] of (await player.legal(['e5'])).slice(0, 12).entries()) {
      for (const [way, ask] of ways.entries()) {
        const begun = performance.now();
        const { simulations } = await ask(['e5', turn], 200);
        // The browser compiles again what runs long.
        if (round >= 3) rates[way].push((1000 * simulations) / (performance.now() - begun));
      }
    }
    return rates.map((all) => Math.round(all.sort((a, b) => a - b)[all.length >> 1]));
  });
  console.log(`susan, simulations/s: ${own} by the package, ${site} by a site`);
}

async function main() {
  const folder = await mkdtemp(join(tmpdir(), 'tavoliere-package-'));
  const complaints = [];
  const hosts = [];
  let browser;
  try {
    await project(folder);
    await checkTypes(folder);
    await playInNode(folder);
    execFileSync(binary, ['export', OTHER, '--output', join(folder, OTHER)], { stdio: 'ignore' });
    execFileSync(binary, ['site', '--out', join(folder, 'other'), OTHER], { stdio: 'ignore' });
    await cp(join(folder, `other/assets/players/${OTHER}.gz`), join(folder, `${OTHER}.gz`));
    const [own, cdn] = [await serve(folder, false), await serve(join(folder, 'node_modules'), true)];
    hosts.push(own, cdn);
    browser = await launch();
    const page = await (await browser.newContext()).newPage();
    page.on('pageerror', (error) => complaints.push(error.stack));
    console.log(`ok the page of the example: ${await playInPage(page, own.base)}`);
    checkUse(await useAt(page, `${own.base}/node_modules/tavoliere/tavoliere.js`, OTHER));
    console.log('ok analyses, aborts, exported players');
    checkUse(await useAt(page, `${cdn.base}/tavoliere/tavoliere.js`, OTHER));
    console.log('ok the same from another host');
    if (options.speed) await measure(browser, folder, own.base);
    assert.deepEqual(complaints, []);
  } finally {
    await browser?.close();
    for (const { stop } of hosts) stop();
    await rm(folder, { recursive: true, force: true });
  }
}

await main();
