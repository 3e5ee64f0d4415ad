// The list of turns, with variations as lists within it. A click on a turn shows the position after
// it.

import { byId, element } from './dom.js';
import { turnsTo } from './tree.js';
import { PROVEN, SIDES, percent, score } from './values.js';

function known(value) {
  if (!value || value.over) return [];
  const proven = value.proven && value.proven !== 'draw' ? value.proven[0].toUpperCase() : null;
  const title = value.proven
    ? PROVEN[value.proven]
    : `Black’s expected score after this turn, ${value.by}`;
  // Without the space, screen readers would read the turn and the value as one word.
  return [' ', element('small', { title }, proven ? `${proven}!` : percent(score(value)))];
}

/** The list of the turns of a session; `hides` leaves out values and mistakes. */
class TurnList {
  constructor(session, review, hides) {
    Object.assign(this, { session, review, hides, shown: session.node });
  }

  #button(node) {
    const { session } = this;
    const moves = turnsTo(node);
    const side = session.sideAt(node.ply - 1);
    const fault = this.hides ? null : this.review.faultOf(moves);
    const remark = fault ? `, ${fault.kind.name}, costs ${percent(fault.cost)}` : '';
    return element(
      'button',
      {
        type: 'button',
        class: `turn ${side}`,
        'data-key': moves.join(' '),
        'aria-current': node === this.shown && 'step',
        onclick: () => session.dispatchEvent(new CustomEvent('visit', { detail: node })),
      },
      element('i', {}, `${node.ply}.`),
      ' ',
      element('span', { class: 'name' }, node.turn),
      fault && element('b', { class: `fault ${fault.kind.name}` }, ` ${fault.kind.mark}`),
      ...(this.hides ? [] : known(session.valueAfter(moves))),
      element('span', { class: 'unseen' }, `, ${SIDES[side]}${remark}`),
    );
  }

  #holdsShown(node) {
    for (let at = this.shown; at; at = at.parent) if (at === node) return true;
    return false;
  }

  #variation(node) {
    const { session } = this;
    const name = `${node.ply}. ${node.turn}`;
    const line = turnsTo(node).join(' ');
    const action = (text, label, onclick) =>
      element(
        'button',
        {
          type: 'button',
          class: 'small',
          'aria-label': label,
          'data-key': `${text} ${line}`,
          onclick,
        },
        text,
      );
    return element(
      'li',
      { class: 'variation' },
      element(
        'details',
        { open: this.#holdsShown(node), 'data-line': line },
        element(
          'summary',
          { 'data-key': `Variation ${line}` },
          'Variation ',
          element('i', {}, `${node.ply}.`),
          ` ${node.turn}`,
        ),
        element('ol', { class: 'turns' }, ...this.items(node)),
        action('Make main line', `Make the variation ${name} the main line`, () =>
          session.promote(node),
        ),
        action('Delete', `Delete the variation ${name}`, () =>
          session.dispatchEvent(new CustomEvent('remove', { detail: node })),
        ),
      ),
    );
  }

  /** The list items of the line that begins with a node. */
  items(first) {
    const items = [];
    for (let node = first; node; [node] = node.next) {
      items.push(element('li', {}, this.#button(node)));
      // The others of a first turn of a variation are listed beside the variation.
      if (node === first && first !== this.main) continue;
      items.push(...this.#others(node));
    }
    return items;
  }

  #others(node) {
    return node.parent.next
      .filter((other) => other !== node)
      .map((other) => this.#variation(other));
  }

  /** All list items. */
  get all() {
    [this.main] = this.session.tree.root.next;
    return this.main ? this.items(this.main) : [];
  }
}

// What a list keeps when it is drawn anew: the variations that are open or closed, and the focus.
class Kept {
  constructor(list) {
    this.shown = list.dataset.shown;
    this.open = new Map(
      [...list.querySelectorAll('details')].map(({ dataset, open }) => [dataset.line, open]),
    );
    this.focused = list.contains(document.activeElement)
      ? document.activeElement.dataset.key
      : null;
  }

  // A step into a variation opens it; it can be closed while its position is shown.
  restore(list, shown) {
    for (const details of list.querySelectorAll('details')) {
      const open = this.open.get(details.dataset.line) ?? details.open;
      details.open = open || (details.open && shown !== this.shown);
    }
    list.dataset.shown = shown;
    if (this.focused)
      [...list.querySelectorAll('[data-key]')]
        .find(({ dataset }) => dataset.key === this.focused)
        ?.focus({ preventScroll: true });
  }
}

/** Shows the turns of a session, and marks the last one before the position shown. */
export function showTurns(session, review, hides) {
  const list = byId('turns');
  const kept = new Kept(list);
  const turns = new TurnList(session, review, hides);
  list.replaceChildren(...turns.all);
  kept.restore(list, turnsTo(turns.shown).join(' '));
  const current = list.querySelector('[aria-current]');
  if (current) list.scrollTop = current.offsetTop - list.clientHeight / 2;
}
