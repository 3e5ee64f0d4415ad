// The package in Node. tavoliere.d.ts has the types.

import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';

import { opened } from './player.js';

export { TavoliereError } from './player.js';

/** Returns a thread that runs `worker.js`, with the interface of a browser's worker. */
function start() {
  const thread = new Worker(new URL('./node_worker.js', import.meta.url));
  const worker = {
    postMessage: (message) => thread.postMessage(message),
    terminate: () => thread.terminate(),
  };
  thread.on('message', (data) => worker.onmessage({ data }));
  thread.on('error', (error) => worker.onerror(error));
  return worker;
}

/** Returns the bytes of a file, here or on the web, or null if there is none. */
async function read(address) {
  if (address.protocol === 'file:') {
    const absent = (error) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    };
    return readFile(address).then((bytes) => new Uint8Array(bytes), absent);
  }
  const response = await fetch(address);
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`cannot load ${address}: status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

export const { load, players } = opened({ start, read, base: () => pathToFileURL('./').href });
