// The list of turns; a click on one shows the position after it.

import { byId, element } from './dom.js';
import { PROVEN, SIDES, percent, score } from './values.js';

function known(value) {
  if (!value || value.over) return null;
  const proven = value.proven && value.proven !== 'draw' ? value.proven[0].toUpperCase() : null;
  const title = value.proven ? PROVEN[value.proven] : 'Black’s expected score after this turn';
  return element('small', { title }, proven ? `${proven}!` : percent(score(value)));
}

/** Shows the turns of a session, and marks the last one before the position shown. */
export function showTurns(session) {
  const items = session.moves.map((turn, index) => {
    const current = index + 1 === session.ply;
    const label = `Turn ${index + 1}, ${SIDES[session.sideAt(index)]}: ${turn}`;
    return element(
      'li',
      {},
      element(
        'button',
        {
          type: 'button',
          class: `turn ${session.sideAt(index)}`,
          'aria-label': label,
          'aria-current': current && 'step',
          onclick: () => session.dispatchEvent(new CustomEvent('go', { detail: index + 1 })),
        },
        element('i', {}, `${index + 1}.`),
        turn,
        known(session.valueAt(index + 1)),
      ),
    );
  });
  byId('turns').replaceChildren(...items);
  const current = byId('turns').querySelector('[aria-current]');
  if (current) byId('turns').scrollTop = current.offsetTop - byId('turns').clientHeight / 2;
}
