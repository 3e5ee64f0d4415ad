// The clocks of the people at the board.

import { byId, element } from './dom.js';
import { pieceIcon } from './pieces.js';
import { remember, remembered } from './settings.js';
import { SIDES } from './values.js';

/** Choices as seconds for the game and seconds added for each turn. */
const CHOICES = {
  none: 'None',
  '180+0': '3 min',
  '300+0': '5 min',
  '600+5': '10 min + 5 s a turn',
  '1800+0': '30 min',
};
/** How often the clocks are drawn, in milliseconds. */
const STEP = 200;

// Formats milliseconds: `4:07`, and below ten seconds `7.3`.
function timeText(left) {
  const seconds = Math.max(0, left) / 1000;
  if (seconds < 10) return seconds.toFixed(1);
  const whole = Math.ceil(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/** Clocks for some sides. Calls `onFlag(side)` when a side has no time left. */
export class Clock {
  #left = {};
  #added = 0;
  #running = null;
  #since = 0;
  #timer = null;

  constructor(onFlag, onChoice) {
    this.onFlag = onFlag;
    byId('clock').append(
      ...Object.entries(CHOICES).map(([value, text]) => element('option', { value }, text)),
    );
    byId('clock').value = remembered('clock', 'none');
    if (byId('clock').selectedIndex < 0) byId('clock').value = 'none';
    byId('clock').addEventListener('change', () => {
      remember('clock', byId('clock').value);
      onChoice();
    });
  }

  /** Whether this game has clocks. */
  get isOn() {
    return Object.keys(this.#left).length > 0;
  }

  /** Sets the clocks of some sides to the chosen time; stops them. */
  reset(sides) {
    this.run(null);
    const choice = byId('clock').value;
    const [seconds, added] = choice === 'none' ? [0, 0] : choice.split('+').map(Number);
    this.#added = added * 1000;
    this.#left = Object.fromEntries((seconds ? sides : []).map((side) => [side, seconds * 1000]));
    this.#draw();
  }

  /** Takes the clocks away: this game goes on without them. Returns whether there were any. */
  remove() {
    const { isOn } = this;
    this.run(null);
    this.#left = {};
    this.#draw();
    return isOn;
  }

  /** What `restore` takes after a reload. */
  get state() {
    this.#pass();
    return { left: this.#left, added: this.#added, running: this.#running, at: Date.now() };
  }

  /** Sets the clocks as they were, less the time since then for the one that ran; stops them. */
  restore({ left, added, running, at }) {
    this.run(null);
    this.#added = added;
    this.#left = { ...left };
    if (running in this.#left) this.#left[running] -= Math.max(0, Date.now() - at);
    this.#draw();
  }

  /** Lets the clock of one side run, and no other; with null none. */
  run(side) {
    const next = side in this.#left ? side : null;
    if (next === this.#running) return;
    this.#pass();
    clearInterval(this.#timer);
    this.#running = next;
    this.#timer = next ? setInterval(() => this.#tick(), STEP) : null;
    this.#draw();
  }

  /** Adds the time that a side gets for a turn. */
  add(side) {
    if (side in this.#left) this.#left[side] += this.#added;
  }

  // Takes the time since the last call from the clock that runs.
  #pass() {
    const now = performance.now();
    if (this.#running) this.#left[this.#running] -= now - this.#since;
    this.#since = now;
  }

  #tick() {
    this.#pass();
    const side = this.#running;
    if (this.#left[side] > 0) {
      this.#draw();
      return;
    }
    this.#left[side] = 0;
    this.run(null);
    this.onFlag(side);
  }

  #draw() {
    byId('clocks').hidden = !this.isOn;
    byId('clocks').replaceChildren(
      ...Object.entries(this.#left).map(([side, left]) => {
        const name = side === this.#running ? 'clock running' : 'clock';
        const label = `${SIDES[side]}’s clock`;
        return element(
          'span',
          { class: name, role: 'timer', 'aria-label': label },
          pieceIcon(side),
          timeText(left),
        );
      }),
    );
  }
}
