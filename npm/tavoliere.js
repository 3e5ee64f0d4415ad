// The package in a browser. tavoliere.d.ts has the types.

import { opened } from './player.js';

export { TavoliereError } from './player.js';

let bootstrap = null;

/** Returns a worker that runs `worker.js`, which may be on another host, such as a CDN. */
function start() {
  const address = new URL('./worker.js', import.meta.url);
  if (address.origin === location.origin)
    return new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  // A worker is of the page's own origin; what it imports need not be.
  const text = `import ${JSON.stringify(address.href)};`;
  bootstrap ??= URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  return new Worker(bootstrap, { type: 'module' });
}

/** Returns the bytes of a file, or null if there is none. */
async function read(address) {
  const response = await fetch(address);
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`cannot load ${address}: status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

export const { load, players } = opened({ start, read, base: () => document.baseURI });
