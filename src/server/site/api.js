// Requests to a worker that has the program in itself: what api.js is of a page without a server.

/** A failed request. */
export class ApiError extends Error {
  /** `at` is the index of the illegal turn or null, `wait` the seconds before a retry or null. */
  constructor(message, status, at = null, wait = null) {
    super(message);
    Object.assign(this, { status, at, wait });
  }
}

/** Milliseconds that an abandoned search may go on before its worker is replaced. */
const GRACE = 200;

const here = new URL('.', import.meta.url);

/** Loads a file of the site that is compressed. A host may have told the browser to unpack it. */
async function load(name) {
  const response = await fetch(new URL(name, here));
  if (!response.ok) throw new ApiError(`cannot load ${name}: ${response.statusText}`, response.status);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(unpacked).arrayBuffer());
}

const program = load('tavoliere.wasm.gz').then((bytes) => WebAssembly.compile(bytes));
const listings = fetch(new URL('players.json', here)).then((response) => response.json());
const players = new Map();

/** Loads the files of a player once; null for one that needs none. */
async function filesOf(name) {
  const listing = (await listings).find((player) => player.name === name);
  if (!listing) throw new ApiError(`there is no player \`${name}\``, 400);
  if (!listing.file) return null;
  if (!players.has(name)) players.set(name, load(listing.file));
  return players.get(name);
}

/** The worker, with the names of the players that it has. */
let worker = null;
let known = new Set();

/** Requests that wait; the first one is with the worker if `busy`. */
const queue = [];
let busy = false;

function start() {
  worker = new Worker(new URL('worker.js', here), { type: 'module' });
  known = new Set();
  worker.onmessage = ({ data }) => finish(queue[0], data);
  worker.onerror = (event) => {
    event.preventDefault();
    const failed = queue[0];
    stop();
    finish(failed, { status: 500, text: JSON.stringify({ error: `the program failed: ${event.message}` }) });
  };
}

function stop() {
  worker?.terminate();
  worker = null;
}

/** Hands the first request to the worker, with what it needs for it. */
async function next() {
  const request = queue[0];
  if (busy || !request) return;
  busy = true;
  try {
    const name = request.body?.player?.replace(/\?level=\d+$/, '');
    const [module, files] = await Promise.all([program, name ? filesOf(name) : null]);
    // It may have been abandoned meanwhile.
    if (queue[0] !== request) return;
    if (!worker) start();
    const message = { module, path: request.path, body: request.body };
    if (name && !known.has(name)) Object.assign(message, { player: name, files });
    if (name) known.add(name);
    worker.postMessage(message);
  } catch (error) {
    if (queue[0] !== request) return;
    queue.shift();
    busy = false;
    clearTimeout(request.grace);
    request.reject(error);
    next();
  }
}

function finish(request, { status, text }) {
  queue.shift();
  busy = false;
  clearTimeout(request.grace);
  const answer = JSON.parse(text);
  if (status === 200) request.resolve(answer);
  else request.reject(new ApiError(answer.error, status, answer.at ?? null));
  next();
}

/** Lets go of a request. The worker cannot be interrupted, but it can be replaced. */
function abandon(request) {
  request.reject(new DOMException('The request was aborted.', 'AbortError'));
  const at = queue.indexOf(request);
  if (at > 0) queue.splice(at, 1);
  if (at !== 0) return;
  request.grace = setTimeout(() => {
    if (queue[0] !== request) return;
    stop();
    finish(request, { status: 200, text: 'null' });
  }, GRACE);
}

/** The games that the site shows; null for all. */
const shown = document.documentElement.dataset.games?.split(' ') ?? null;

/** Answers a request as the server would. */
export async function call(path, body, signal) {
  if (path === '/api/players') return (await listings).map(({ file, ...listing }) => listing);
  if (path === '/api/games' && shown) {
    const games = await ask(path, body, signal);
    // Rules and pictures of a family may be told by any of its games.
    return games.map((game) => ({ ...game, hidden: !shown.includes(game.name) }));
  }
  return ask(path, body, signal);
}

function ask(path, body, signal) {
  return new Promise((resolve, reject) => {
    const request = { path, body, resolve, reject, grace: null };
    if (signal?.aborted) {
      reject(new DOMException('The request was aborted.', 'AbortError'));
      return;
    }
    signal?.addEventListener('abort', () => abandon(request), { once: true });
    queue.push(request);
    next();
  });
}

/** Whether the page itself aborted the request. */
export function isAborted(error) {
  return error.name === 'AbortError';
}

// Once the page was loaded, it works without the network.
if ('serviceWorker' in navigator && window.isSecureContext) {
  navigator.serviceWorker.register(new URL('../offline.js', here));
}
