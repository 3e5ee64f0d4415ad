// Where undo and redo lead.

/** Returns the last ply before the one shown at which one of `people` is to move. */
export function plyBefore(session, people) {
  const own = (at) => people.includes(session.sideAt(at));
  let at = session.ply - 1;
  while (at > 0 && !own(at)) at -= 1;
  return own(at) ? at : session.ply - 1;
}

/** Returns the next ply after the one shown at which one of `people` is to move, or the last. */
export function plyAfter(session, people) {
  let at = session.ply + 1;
  while (at < session.moves.length && !people.includes(session.sideAt(at))) at += 1;
  return at;
}
