// A slower network in front of a server: a relay that delays what it passes on.

import { connect, createServer } from 'node:net';

/** A direction of the network, which all connections share. */
class Lane {
  #free = 0;

  /** `delay` in milliseconds, `speed` in megabits a second. */
  constructor(delay, speed) {
    Object.assign(this, { delay, bytesPerMs: (speed * 1e6) / 8 / 1000, bytes: 0 });
  }

  /** Passes on what a socket receives to another one, and its end. */
  join(from, to) {
    from.on('data', (chunk) => {
      this.bytes += chunk.length;
      this.#free = Math.max(this.#free, performance.now()) + chunk.length / this.bytesPerMs;
      this.#later(() => to.write(chunk));
    });
    from.on('end', () => this.#later(() => to.end()));
    from.on('error', () => to.destroy());
    from.on('close', () => this.#later(() => to.destroy()));
  }

  #later(action) {
    setTimeout(action, Math.max(0, this.#free - performance.now()) + this.delay);
  }
}

/**
 * Relays connections to the server at `base`; `latency` is the round trip in milliseconds, `speed`
 * in megabits a second. Resolves to `{base, received, stop}`; `received()` are the bytes that came
 * from the server since the last call.
 */
export function slowDown(base, { latency, speed }) {
  const there = new Lane(latency / 2, speed);
  const back = new Lane(latency / 2, speed);
  const relay = createServer({ allowHalfOpen: true }, (browser) => {
    const server = connect({ port: new URL(base).port, host: '127.0.0.1', allowHalfOpen: true });
    browser.setNoDelay();
    server.setNoDelay();
    // A connection takes a round trip before the first request can be sent.
    browser.pause();
    setTimeout(() => browser.resume(), latency);
    there.join(browser, server);
    back.join(server, browser);
  });
  const received = () => {
    const { bytes } = back;
    back.bytes = 0;
    return bytes;
  };
  return new Promise((resolve) => {
    relay.listen(0, '127.0.0.1', () =>
      resolve({
        base: `http://127.0.0.1:${relay.address().port}`,
        received,
        stop: () => relay.close(),
      }),
    );
  });
}
