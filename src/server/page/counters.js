// The fields of the editor for the counters in a position's text, such as the pieces in hand.

import { element } from './dom.js';
import { counterIn } from './position_text.js';

/** The labels of the numbers of each counter. `ply` has none: it follows from the board. */
const LABELS = {
  hand: ['Black in hand', 'White in hand'],
  slides: ['Slides in a row'],
  passes: ['Passes in a row'],
  quiet: ['Steps since the last capture'],
};

/** The fields in `box`. Calls `changed(key, numbers)` when somebody has changed a counter. */
export class CounterFields {
  #fields = new Map();

  constructor(box, changed) {
    Object.assign(this, { box, changed });
  }

  /** Makes the fields of a game. */
  show(game) {
    const keys = game.counters.filter((key) => key in LABELS);
    this.#fields = new Map(keys.map((key) => [key, this.#inputs(key)]));
    this.box.replaceChildren(
      ...[...this.#fields].flatMap(([key, inputs]) =>
        inputs.map((input, at) => element('label', {}, `${LABELS[key][at]} `, input)),
      ),
    );
    this.box.hidden = keys.length === 0;
  }

  #inputs(key) {
    const oninput = () => this.changed(key, this.#fields.get(key).map(numberIn));
    return LABELS[key].map((_, at) =>
      element('input', {
        type: 'number',
        min: 0,
        inputmode: 'numeric',
        name: `${key}-${at}`,
        autocomplete: 'off',
        oninput,
      }),
    );
  }

  /** Shows the counters among the words of a text. */
  fill(words) {
    for (const [key, inputs] of this.#fields) {
      const numbers = counterIn(words, key);
      inputs.forEach((input, at) => {
        // A field that is being typed in keeps its text if it means the number.
        const isTyped = input === document.activeElement && numberIn(input) === (numbers[at] ?? 0);
        if (!isTyped) input.value = numbers[at] ?? 0;
      });
    }
  }
}

// An empty field stands for nothing.
function numberIn(input) {
  return Math.max(0, Math.trunc(Number(input.value)) || 0);
}
