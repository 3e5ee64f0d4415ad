// The value bar, and the list of ranked turns.

import { byId, element } from './dom.js';
import { pieceIcon } from './pieces.js';
import {
  SIDES,
  exactFor,
  exactInWords,
  fromBlack,
  inWords,
  percent,
  provenFor,
  PROVEN,
} from './values.js';

const PARTS = ['black', 'draw', 'white'];

function fillBar(bar, value) {
  bar.replaceChildren(
    ...PARTS.map((part) => {
      const piece = element('span', { class: part });
      piece.style.flexGrow = value[part].toFixed(4);
      return piece;
    }),
  );
  bar.title = inWords(value);
  bar.setAttribute('aria-label', inWords(value));
}

function bar(value) {
  const node = element('div', { class: 'bar', role: 'img' });
  fillBar(node, value);
  return node;
}

/** A piece of the side that wins; nothing if none does. */
function winnerIcon(winner) {
  return { black: pieceIcon('x'), white: pieceIcon('o') }[winner];
}

function proof(proven) {
  if (!proven) return null;
  const icon = winnerIcon(proven);
  return element('span', { class: 'proof', title: PROVEN[proven] }, icon, icon ? 'wins' : 'draw');
}

/** What a solution says of a turn. */
function solved(exact) {
  const icon = winnerIcon(exact.winner);
  const text = icon ? `in ${exact.turns}` : 'neither';
  return element('span', { class: 'proof', title: exactInWords(exact) }, icon, text);
}

/** What is known for certain of a report: by a solution, or else by a proof. */
function certainty({ exact, proven }, side) {
  if (exact) return `${exactInWords(exactFor(exact, side))}. `;
  const winner = provenFor(proven, side);
  return winner ? `${PROVEN[winner]}. ` : '';
}

/** Calls `onPlay(turn)` on a click; `onPreview(turn)` on hover or focus, with null at the end. */
export class Candidates {
  constructor({ onPlay, onPreview }) {
    Object.assign(this, { onPlay, onPreview });
  }

  /** Disables the list, which belongs to another position, until the next analysis. */
  outdate() {
    byId('candidates').inert = true;
  }

  /** Empties the panel and shows the reason. */
  clear(reason) {
    byId('candidates').hidden = true;
    byId('value-bar').replaceChildren();
    byId('value-text').textContent = reason;
  }

  /** Shows an analysis: its `value`, `turns`, `proven`, `simulations`, and `exact` if there is one. */
  show(report) {
    const side = report.to_move;
    const value = fromBlack(report.value, side);
    fillBar(byId('value-bar'), value);
    byId('value-text').textContent =
      `${certainty(report, side)}${inWords(value)} · ${report.simulations} simulations`;
    const exact = new Map(report.exact?.turns.map((found) => [found.turn, exactFor(found, side)]));
    const body = byId('candidates').tBodies[0];
    const focused = body.contains(document.activeElement)
      ? document.activeElement.textContent
      : null;
    body.replaceChildren(
      ...report.turns.map((turn) => this.#row(turn, side, report, exact.get(turn.turn))),
    );
    byId('candidates').hidden = false;
    byId('candidates').inert = false;
    if (focused)
      [...body.querySelectorAll('button')]
        .find((button) => button.textContent === focused)
        ?.focus();
  }

  #row({ turn, visits, prior, value, proven }, side, report, exact) {
    const preview = () => this.onPreview(turn);
    const button = element(
      'button',
      {
        type: 'button',
        onclick: () => this.onPlay(turn),
        onfocus: preview,
        onblur: () => this.onPreview(null),
        title: `Play ${turn} for ${SIDES[side]}`,
      },
      turn,
    );
    const share = visits / Math.max(report.simulations, 1);
    const count = element(
      'td',
      { class: 'visits', title: `${visits} of ${report.simulations}` },
      percent(Math.min(share, 1)),
    );
    return element(
      'tr',
      { onmouseenter: preview, onmouseleave: () => this.onPreview(null) },
      element('th', { scope: 'row' }, button),
      count,
      element('td', {}, percent(prior)),
      element(
        'td',
        { class: 'value' },
        value ? bar(fromBlack(value, side)) : '–',
        exact ? solved(exact) : proof(provenFor(proven, side)),
      ),
    );
  }
}
