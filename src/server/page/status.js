// The status line above the board: side to move, next step, result.

import { announce, byId, element } from './dom.js';
import { pieceIcon } from './pieces.js';
import { SIDES } from './values.js';

function outcomeText({ outcome }, sides) {
  if (outcome === 'draw') return 'The game is a draw.';
  const own = sides.length === 1 ? (sides.includes(outcome) ? ' You lose.' : ' You win.') : '';
  return `${SIDES[outcome]} wins.${own}`;
}

function resume(text, action) {
  return element('button', { type: 'button', class: 'small', id: 'resume', onclick: action }, text);
}

/**
 * Shows the state of the game; `computer.sides` are the sides of the computer player, `ahead` is what
 * the board shows of a line.
 */
export function showStatus({ session, steps, ahead, opponent, computer, onResume }) {
  const { position, result } = session;
  const line = byId('status');
  line.className = result ? 'over' : '';
  if (result) {
    const icon = result.outcome === 'draw' ? [] : [pieceIcon(result.outcome)];
    line.replaceChildren(...icon, outcomeText(result, computer.sides));
    return;
  }
  if (ahead) {
    line.replaceChildren(ahead.told);
    return;
  }
  const side = position.to_move;
  const parts = [pieceIcon(side), element('b', {}, SIDES[side])];
  if (opponent.thinking) parts.push(element('span', { class: 'thinking' }, ' is thinking …'));
  else if (opponent.isDue) parts.push(' to move ', resume(`Let ${computer.title} play`, onResume));
  else parts.push(`: ${steps.possible.length > 0 ? steps.hint : 'to move'}`);
  line.replaceChildren(...parts);
}

/** Announces the last turn and the result to screen readers. */
export function announcePosition(session) {
  const { position, ply, moves, result } = session;
  const turn = ply > 0 ? `${SIDES[session.sideAt(ply - 1)]} played ${moves[ply - 1]}. ` : '';
  announce(
    result
      ? [`${turn}${outcomeText(result, [])}`, result.reason].filter(Boolean).join(' ')
      : `${turn}${SIDES[position.to_move]} to move.`,
  );
}

/** Shows the numbers of pieces in hand, in games that count them. */
export function showHand({ hand }) {
  const box = byId('hand');
  box.hidden = !hand;
  if (!hand) return;
  const own = (side) => [
    pieceIcon(side),
    element('span', { class: 'unseen' }, `${SIDES[side]} `),
    `${hand[side]} `,
  ];
  box.replaceChildren('in hand ', ...own('x'), ...own('o'));
}
