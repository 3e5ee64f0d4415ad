// The lines of turns of a game: a tree whose first branches are the main line.

/** A tree of turns. A node is `{turn, parent, next, ply}`; `next[0]` continues the main line. */
export class Tree {
  constructor(moves = []) {
    this.root = { turn: null, parent: null, next: [], ply: 0 };
    this.grow(moves);
  }

  /** Returns the node after some turns, or null. */
  find(moves) {
    let node = this.root;
    for (const turn of moves) node = node?.next.find((child) => child.turn === turn);
    return node ?? null;
  }

  /** Returns the node after some turns; adds what is missing. With `first` it is the main line. */
  grow(moves, first = false) {
    let node = this.root;
    for (const turn of moves) {
      let child = node.next.find((known) => known.turn === turn);
      if (!child) {
        child = { turn, parent: node, next: [], ply: node.ply + 1 };
        node.next.push(child);
      }
      if (first) this.promote(child);
      node = child;
    }
    return node;
  }

  /** Makes a node the main continuation of its parent. */
  promote(node) {
    const { next } = node.parent;
    node.parent.next = [node, ...next.filter((other) => other !== node)];
  }

  /** Removes a node and all that follows it. */
  remove(node) {
    node.parent.next = node.parent.next.filter((other) => other !== node);
  }
}

/** Returns the turns that lead to a node. */
export function turnsTo(node) {
  const turns = [];
  for (let at = node; at.parent; at = at.parent) turns.push(at.turn);
  return turns.reverse();
}

/** Returns the turns of the line through a node: those that lead to it, and its main line. */
export function lineThrough(node) {
  let end = node;
  while (end.next.length > 0) [end] = end.next;
  return turnsTo(end);
}
