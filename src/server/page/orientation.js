// Which way round the board of a game lies: with the person's pieces at the bottom, unless somebody
// turned it by hand, which is remembered for each game.

import { SIDE_LOOKS, lookOf } from './pieces.js';
import { remember, remembered } from './settings.js';

/** A side is at home below the other if its pieces start lower by this, in rows. */
const CLEARLY = 1;

// Which side starts at the bottom of the board as the game draws it; null if none does.
function sideBelow(game, squares) {
  const mean = (side) => {
    const isOwn = (at) => lookOf(game, squares[at]) === SIDE_LOOKS[side];
    const rows = game.cells.filter((_, at) => isOwn(at)).map(({ y }) => y);
    return rows.reduce((sum, y) => sum + y, 0) / rows.length;
  };
  const lower = mean('x') - mean('o');
  if (!(Math.abs(lower) >= CLEARLY)) return null;
  return lower > 0 ? 'x' : 'o';
}

/** The orientation of the board of a session. */
export class Orientation {
  #below = new Map();

  constructor(session) {
    this.session = session;
  }

  /** Learns where the pieces start, for which it may have to ask the server; calls `learnt()`. */
  async learn(learnt) {
    const { session } = this;
    const { name, game } = session;
    if (this.#below.has(name)) return;
    const { squares } = await session.at([]);
    this.#below.set(name, sideBelow(game, squares));
    learnt();
  }

  #auto(people) {
    const below = this.#below.get(this.session.name) ?? null;
    return below !== null && people.length === 1 && people[0] !== below;
  }

  /** Whether the board is turned by half a turn, for the sides that people play. */
  isFlipped(people) {
    const { game, name } = this.session;
    if (game.drop) return false;
    const kept = remembered(`flipped.${name}`, '');
    return kept === '' ? this.#auto(people) : kept === 'yes';
  }

  /** Turns the board; turning it back to how it would lie by itself forgets the choice. */
  flip(people) {
    const flipped = !this.isFlipped(people);
    const own = flipped === this.#auto(people);
    remember(`flipped.${this.session.name}`, own ? '' : flipped ? 'yes' : 'no');
  }
}
