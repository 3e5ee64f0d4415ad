// The line of a turn that was tapped in the list: its turns, and buttons to step through it and to
// play it.

import { byId, element } from './dom.js';

/** The number of columns of the list. */
const COLUMNS = 5;

function button(id, text, onclick, more = {}) {
  return element('button', { type: 'button', class: 'small', id, onclick, ...more }, text);
}

/**
 * A row of the list. Calls `onStep(at)` to show the position after `at` turns, `onPlay()` to play
 * what is shown, and `onClose()`.
 */
export class LineRow {
  #at = 0;

  constructor({ onStep, onPlay, onClose }) {
    this.onStep = onStep;
    this.turns = element('ol', { class: 'line-turns', 'aria-label': 'Line' });
    const step = (by) => () => onStep(this.#at + by);
    this.back = button('line-back', '◀', step(-1), { 'aria-label': 'Back in the line' });
    this.ahead = button('line-ahead', '▶', step(1), { 'aria-label': 'Ahead in the line' });
    this.play = button('line-play', '', onPlay);
    const close = button('line-close', '✕', onClose, { 'aria-label': 'Close the line' });
    const row = element('div', { class: 'row' }, this.back, this.ahead, this.play, close);
    const cell = element('td', { colspan: COLUMNS }, this.turns, row);
    this.node = element('tr', { class: 'line-row' }, cell);
  }

  /** Shows the turns of a line, of which `at` are played on the board. */
  show(line, at) {
    this.#at = at;
    this.turns.replaceChildren(
      ...line.map((turn, index) =>
        element(
          'li',
          {},
          element(
            'button',
            {
              type: 'button',
              class: 'small',
              'aria-current': index + 1 === at && 'step',
              onclick: () => this.onStep(index + 1),
            },
            turn,
          ),
        ),
      ),
    );
    this.back.disabled = at === 0;
    this.ahead.disabled = at === line.length;
    this.play.textContent = at > 1 ? `Play ${at} turns` : `Play ${line[0]}`;
  }

  /** Places the row below the one of a turn in the list, or removes it. */
  place(turn) {
    const { rows } = byId('candidates').tBodies[0];
    const row = [...rows].find(({ dataset }) => dataset.turn === turn);
    if (row) row.after(this.node);
    else this.node.remove();
  }

  /** Scrolls so that the whole row is in view. */
  reveal() {
    this.node.scrollIntoView({ block: 'nearest' });
  }
}
