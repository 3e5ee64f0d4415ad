// The computer player, which plays when it is its turn.

import { call, isAborted } from './api.js';

/** Whether a player is to play below its strength: what it thinks of a position is then noise. */
function isWeakened(name) {
  return /[?&]level=/.test(name);
}

/** `computer()` returns `{name, limits, sides}`: the player's name, its limits and its sides. */
export class Opponent extends EventTarget {
  #request = null;

  constructor(session, computer, failed) {
    super();
    Object.assign(this, { session, computer, failed, thinking: false });
    session.addEventListener('leave', () => this.#stop());
  }

  /** Whether the computer is to move in the last position of the game, and that is shown. */
  get isDue() {
    const { position, atEnd } = this.session;
    const { name, sides } = this.computer();
    const ended = !position || this.session.result;
    return Boolean(!ended && atEnd && name && sides.includes(position.to_move));
  }

  /** Cancels a pending request, and requests a turn if the computer is to move in a live game. */
  update() {
    this.#stop();
    if (this.session.live && this.isDue) this.#reply();
  }

  #stop() {
    this.#request?.abort();
    this.#request = null;
    this.#set(false);
  }

  #set(thinking) {
    if (thinking === this.thinking) return;
    this.thinking = thinking;
    this.dispatchEvent(new Event('thinking'));
  }

  async #reply() {
    const request = new AbortController();
    this.#request = request;
    this.#set(true);
    const { session } = this;
    const { name, title, limits } = this.computer();
    try {
      const query = { ...session.query(), player: name, seed: session.seed, ...limits };
      const reply = await call('/api/reply', query, request.signal);
      if (request !== this.#request) return;
      const { moves, position } = session;
      if (reply.value && !isWeakened(name))
        session.setValue(session.key(moves), reply.value, position.to_move, `by ${title}`);
      session.accept(reply);
    } catch (error) {
      if (isAborted(error) || request !== this.#request) return;
      this.#set(false);
      this.failed(error, () => this.update());
    }
  }
}
