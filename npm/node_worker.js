// Runs worker.js, which is written for a browser, in a thread of Node.

import { parentPort } from 'node:worker_threads';

globalThis.onmessage = null;
globalThis.postMessage = (message) => parentPort.postMessage(message);
await import('./worker.js');
parentPort.on('message', (data) => globalThis.onmessage({ data }));
