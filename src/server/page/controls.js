// The buttons below the board, and the keys that do the same.

import { byId } from './dom.js';
import { startKeys } from './keys.js';

/** Actions by the ids of their buttons, and the keys of those that have one. */
const KEYS = {
  ArrowLeft: 'previous',
  ArrowRight: 'next',
  Home: 'first',
  End: 'last',
  u: 'undo',
  r: 'redo',
  f: 'flip',
  n: 'new',
  h: 'hint',
};

/** Connects `actions`, by the ids of their buttons, and `others`, by their keys. */
export function startControls(actions, others) {
  for (const [id, action] of Object.entries(actions)) byId(id).addEventListener('click', action);
  const press = (id) => () => {
    if (!byId(id).hidden && !byId(id).disabled) byId(id).click();
  };
  const keys = { ...others };
  for (const [key, id] of Object.entries(KEYS)) keys[key] = press(id);
  const visible = (action) => () => {
    if (!byId('play').hidden) action();
  };
  startKeys(
    Object.fromEntries(Object.entries(keys).map(([key, action]) => [key, visible(action)])),
  );
}

/** Shows which positions of the session the buttons can reach. */
export function showControls({ ply, moves, game, tags }) {
  for (const id of ['first', 'previous', 'undo']) byId(id).disabled = ply === 0;
  for (const id of ['next', 'last', 'redo']) byId(id).disabled = ply === moves.length;
  byId('ply').textContent = `${ply} / ${moves.length}`;
  byId('flip').disabled = game.drop;
  const told = Object.entries(tags)
    .map(([key, value]) => `${key}: ${value}`)
    .join(' · ');
  byId('tags').textContent = told;
  byId('tags').hidden = told === '';
}
