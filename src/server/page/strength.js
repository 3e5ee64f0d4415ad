// How strongly the board shows the turns of an analysis: in the order of the list, by their values.

import { exactFor, fromBlack, provenFor, scoreOf } from './values.js';

/** A turn whose expected score is this much below that of the best one is not shown. */
const RANGE = 0.3;

/** The most of a turn that is not proven beside one that is a proven win. */
const UNPROVEN = 0.5;

/** Returns by turn what is certain of it: the side that wins, `draw`, or null. */
function certainties({ turns, exact, to_move: side }) {
  const known = new Map(turns.map(({ turn, proven }) => [turn, provenFor(proven, side)]));
  for (const found of exact?.turns ?? []) {
    const { winner } = exactFor(found, side);
    if (winner) known.set(found.turn, winner);
  }
  return known;
}

/**
 * Returns by turn how strongly to show the turns of a report, from 0 to 1. The best has 1, none has
 * more than one above it in the list, and those that are certain to lose have 0.
 */
export function strengthsOf(report) {
  const { turns, to_move: side } = report;
  const known = certainties(report);
  const [own, other] = side === 'x' ? ['black', 'white'] : ['white', 'black'];
  const most = Math.max(...turns.map(({ visits }) => visits), 1);
  const score = ({ value }) => (value ? scoreOf(fromBlack(value, side), side) : 0);
  const hasWin = [...known.values()].includes(own);
  const strength = (candidate) => {
    const certain = known.get(candidate.turn);
    if (certain === own) return 1;
    if (certain === other) return 0;
    const closeness = Math.max(0, 1 - (score(turns[0]) - score(candidate)) / RANGE);
    const found = Math.min(1, closeness) * (0.3 + (0.7 * candidate.visits) / most);
    return hasWin ? UNPROVEN * found : found;
  };
  let least = 1;
  return new Map(
    turns.map((candidate, rank) => {
      least = rank === 0 ? 1 : Math.min(least, strength(candidate));
      return [candidate.turn, least];
    }),
  );
}
