// Requests to a worker that has the program in itself: what api.js is of a page without a server.

import { ApiError, Program, load } from './program.js';

export { ApiError };

const here = new URL('.', import.meta.url);
const module = load(new URL('tavoliere.wasm.gz', here)).then((bytes) => WebAssembly.compile(bytes));
const listings = fetch(new URL('players.json', here)).then((response) => response.json());
const players = new Map();

/** Loads the files of a player once; null for one that needs none. */
async function filesOf(name) {
  const listing = (await listings).find((player) => player.name === name);
  if (!listing) throw new ApiError(`there is no player \`${name}\``, 400);
  if (!listing.file) return null;
  if (!players.has(name)) players.set(name, load(new URL(listing.file, here)));
  return players.get(name);
}

const start = () => new Worker(new URL('worker.js', here), { type: 'module' });
const program = new Program(module, filesOf, start);

/** The address of a path of the server, if there were one. */
export function addressOf(path) {
  return new URL(`..${path}`, here);
}

/** The games that the site shows; null for all. */
const shown = document.documentElement.dataset.games?.split(' ') ?? null;

/** Answers a request as the server would. */
export async function call(path, body, signal) {
  if (path === '/api/players') return (await listings).map(({ file, ...listing }) => listing);
  const answer = await program.ask(path, body, signal);
  if (path !== '/api/games' || !shown) return answer;
  // Rules and pictures of a family may be told by any of its games.
  return answer.map((game) => ({ ...game, hidden: !shown.includes(game.name) }));
}

/** Whether the page itself aborted the request. */
export function isAborted(error) {
  return error.name === 'AbortError';
}

// Once the page was loaded, it works without the network.
if ('serviceWorker' in navigator && window.isSecureContext) {
  navigator.serviceWorker.register(new URL('../offline.js', here));
}
