// The program in a worker: requests wait for it in a queue, and one that is abandoned may end its
// worker. The site and the npm package ask it.

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

/** Returns bytes that may be compressed. A host may have told the browser to unpack them. */
export async function unpacked(bytes) {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Loads a file that may be compressed. */
export async function load(address) {
  const response = await fetch(address);
  const { ok, status, statusText } = response;
  if (!ok) throw new ApiError(`cannot load ${address}: ${statusText}`, status);
  return unpacked(new Uint8Array(await response.arrayBuffer()));
}

function aborted() {
  return new DOMException('The request was aborted.', 'AbortError');
}

/**
 * A program. `module` is a promise of the compiled one, `filesOf(name)` promises the files of a
 * player or null for one without a network, and `start()` returns a worker that runs `worker.js`.
 */
export class Program {
  /** The worker, with the names of the players that it has. */
  #worker = null;
  #known = new Set();

  /** Requests that wait; the first one is with the worker if `busy`. */
  #queue = [];
  #busy = false;

  constructor(module, filesOf, start) {
    Object.assign(this, { module, filesOf, start });
  }

  /** Answers a request as the server would, once the worker has `player`: that of the body. */
  ask(path, body, signal, player = body?.player?.replace(/\?level=\d+$/, '')) {
    return new Promise((resolve, reject) => {
      const request = { path, body, player, resolve, reject, grace: null };
      if (signal?.aborted || this.closed) {
        reject(aborted());
        return;
      }
      signal?.addEventListener('abort', () => this.#abandon(request), { once: true });
      this.#queue.push(request);
      this.#next();
    });
  }

  /** Stops the worker for good; requests that wait are aborted, and so are later ones. */
  close() {
    this.closed = true;
    this.#stop();
    for (const { reject, grace } of this.#queue.splice(0)) {
      clearTimeout(grace);
      reject(aborted());
    }
    this.#busy = false;
  }

  #begin() {
    this.#worker = this.start();
    this.#known = new Set();
    this.#worker.onmessage = ({ data }) => this.#finish(this.#queue[0], data);
    this.#worker.onerror = (event) => {
      event.preventDefault?.();
      const failed = this.#queue[0];
      this.#stop();
      const error = `the program failed: ${event.message}`;
      this.#finish(failed, { status: 500, text: JSON.stringify({ error }) });
    };
  }

  #stop() {
    this.#worker?.terminate();
    this.#worker = null;
  }

  // Hands the first request to the worker, with what it needs for it.
  async #next() {
    const [request] = this.#queue;
    if (this.#busy || !request) return;
    this.#busy = true;
    const { path, body, player } = request;
    try {
      const files = player ? this.filesOf(player) : null;
      const [module, given] = await Promise.all([this.module, files]);
      // It may have been abandoned meanwhile.
      if (this.#queue[0] !== request) return;
      if (!this.#worker) this.#begin();
      const message = { module, path, body };
      if (player && !this.#known.has(player)) {
        Object.assign(message, { player, files: given });
      }
      if (player) this.#known.add(player);
      this.#worker.postMessage(message);
    } catch (error) {
      if (this.#queue[0] !== request) return;
      this.#queue.shift();
      this.#busy = false;
      clearTimeout(request.grace);
      request.reject(error);
      this.#next();
    }
  }

  #finish(request, { status, text, refused }) {
    if (!request || this.#queue[0] !== request) return;
    this.#known.delete(refused);
    this.#queue.shift();
    this.#busy = false;
    clearTimeout(request.grace);
    const answer = JSON.parse(text);
    if (status === 200) request.resolve(answer);
    else request.reject(new ApiError(answer.error, status, answer.at ?? null));
    this.#next();
  }

  // Lets go of a request. The worker cannot be interrupted, but it can be replaced.
  #abandon(request) {
    request.reject(aborted());
    const at = this.#queue.indexOf(request);
    if (at > 0) this.#queue.splice(at, 1);
    if (at !== 0) return;
    request.grace = setTimeout(() => {
      if (this.#queue[0] !== request) return;
      this.#stop();
      this.#finish(request, { status: 200, text: 'null' });
    }, GRACE);
  }
}
