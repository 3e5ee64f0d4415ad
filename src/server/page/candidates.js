// The value bar, and the list of ranked turns.

import { byId, element } from './dom.js';
import { pieceIcon } from './pieces.js';
import {
  SIDES,
  bySearch,
  exactFor,
  exactInWords,
  fromBlack,
  inWords,
  percent,
  provenFor,
  provenInWords,
  scoreOf,
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

/** A piece of the side that wins, with its name for screen readers; null if none does. */
function winnerIcon(winner) {
  const side = { black: 'x', white: 'o' }[winner];
  if (!side) return null;
  const name = element('span', { class: 'unseen' }, `${SIDES[side]} `);
  return element('span', {}, pieceIcon(side), name);
}

/** What a search has proven of a turn, and in how many turns the game ends if that is known. */
function proof(proven, turns) {
  const icon = winnerIcon(proven);
  const text = turns ? `wins in ${turns}` : 'wins';
  const title = provenInWords(proven, turns);
  return element('span', { class: 'proof', title }, icon, icon ? text : 'draw');
}

/** What a solution says of a turn. */
function solved(exact) {
  const icon = winnerIcon(exact.winner);
  const text = icon ? `wins in ${exact.turns}` : 'neither';
  return element('span', { class: 'proof', title: exactInWords(exact) }, icon, text);
}

/** What is known for certain of a report: by a solution, or else by a proof. */
function certainty({ exact, proven, proven_in: turns }, side) {
  if (exact) return `${exactInWords(exactFor(exact, side))}. `;
  const winner = provenFor(proven, side);
  return winner ? `${provenInWords(winner, turns)}. ` : '';
}

/** What a turn is worth: the chances as a bar, unless a result is certain. */
function worth(value, exact, proven, turns) {
  if (exact?.winner) return [solved(exact)];
  if (proven && !exact) return [proof(proven, turns)];
  return [value ? bar(value) : '–', exact && solved(exact)].filter(Boolean);
}

/**
 * Calls `onPlay(turn)` on a click or by keyboard, `onSelect(turn)` on a tap, and `onPreview(turn)`
 * on hover or focus, with null at the end.
 */
export class Candidates {
  #pointer = null;

  constructor({ onPlay, onPreview, onSelect }) {
    Object.assign(this, { onPlay, onPreview, onSelect });
    byId('candidates').addEventListener('pointerdown', ({ pointerType }) => {
      this.#pointer = pointerType;
    });
  }

  // A finger cannot hover over a turn to see its line: a tap selects it. Keys make clicks as well,
  // without a count.
  #choose(turn, { detail }) {
    if (detail > 0 && this.#pointer === 'touch') this.onSelect(turn);
    else this.onPlay(turn);
  }

  /** Disables the list, which belongs to another position, until the next analysis. */
  outdate() {
    byId('candidates').inert = true;
  }

  /** Empties the panel and shows the reason. */
  clear(reason) {
    byId('candidates').hidden = true;
    byId('value-bar').hidden = true;
    byId('value-text').textContent = reason;
  }

  /**
   * Shows an analysis by a player: its `value`, `turns`, `proven`, `simulations`, and `exact` if
   * there is one.
   */
  show(report, player) {
    const side = report.to_move;
    const value = fromBlack(report.value, side);
    fillBar(byId('value-bar'), value);
    byId('value-bar').hidden = false;
    byId('value-text').textContent =
      `${certainty(report, side)}${inWords(value)} · ${bySearch(player, report.simulations)}`;
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

  // What is not proven is not certain, however close it is.
  #scoreIn(score, certain) {
    if (certain || (score >= 0.005 && score < 0.995)) return percent(score);
    return score < 0.5 ? '< 1 %' : '> 99 %';
  }

  #row({ turn, visits, prior, value, proven, proven_in: turns }, side, report, exact) {
    const preview = () => this.onPreview(turn);
    const button = element(
      'button',
      {
        type: 'button',
        onclick: (event) => this.#choose(turn, event),
        onfocus: preview,
        onblur: () => this.onPreview(null),
        title: `Play ${turn} for ${SIDES[side]}`,
      },
      turn,
    );
    const share = percent(Math.min(visits / Math.max(report.simulations, 1), 1));
    const chances = value ? fromBlack(value, side) : null;
    const certain = provenFor(proven, side);
    const told = chances ? this.#scoreIn(scoreOf(chances, side), certain) : '–';
    return element(
      'tr',
      { 'data-turn': turn, onmouseenter: preview, onmouseleave: () => this.onPreview(null) },
      element('th', { scope: 'row' }, button),
      element('td', { class: 'score', title: chances && inWords(chances) }, told),
      element('td', { class: 'visits', title: `${share} of the search` }, String(visits)),
      element('td', {}, percent(prior)),
      element('td', {}, element('div', { class: 'value' }, ...worth(chances, exact, certain, turns))),
    );
  }
}
