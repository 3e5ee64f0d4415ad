//! A solver of Connect Four by alpha-beta (first solved by J. D. Allen and V. Allis in 1988).
//!
//! Four things make it fast. Columns are stored with an empty cell above each, so that lines and
//! drops are a few shifts and additions. Moves that lose at once are not searched. Moves that make
//! most threats are searched first. A table keeps lower and upper bounds of positions, each entry
//! in one word with the whole position, so that collisions cannot cause errors.

use super::{Solution, best_of};
use crate::base::rng::mix;
use crate::games::ConnectFour;
use crate::games::board::bits;
use crate::games::{Action, Game, Outcome};

const WIDTH: usize = 7;
const HEIGHT: usize = 6;
/// The number of bits of a column: its cells, the lowest first, and one above them that stays
/// empty.
const COLUMN: usize = HEIGHT + 1;
const CELLS: i32 = (WIDTH * HEIGHT) as i32;

/// The lowest cell of every column.
const BOTTOM: u64 = {
    let (mut cells, mut column) = (0, 0);
    while column < WIDTH {
        cells |= 1 << (column * COLUMN);
        column += 1;
    }
    cells
};
const BOARD: u64 = BOTTOM * ((1 << HEIGHT) - 1);

/// Columns from the middle outwards, the order in which moves are searched in a tie.
const COLUMNS: [usize; WIDTH] = [3, 2, 4, 1, 5, 0, 6];

/// Up to this number of stones a position and its mirror image share an entry of the table. Later
/// the gain does not outweigh the cost.
const MIRRORED: i32 = 22;

/// The maximum score. The score of a win is 1 with the last possible stone of the winner, 2 with
/// the one before, and so on. A loss has the negative score of the winner, a draw has 0.
const HIGHEST: i32 = (CELLS + 1) / 2;

/// A position in the solver's representation. Neither side has four in a line.
#[derive(Clone, Copy, Debug)]
struct Stones {
    /// The stones of the side to move.
    own: u64,
    all: u64,
    count: i32,
}

impl Stones {
    fn of(game: &ConnectFour) -> Self {
        let column_by_column = |stones: u64| {
            let place = |bit| bit % WIDTH * COLUMN + (HEIGHT - 1 - bit / WIDTH);
            bits(stones).fold(0_u64, |cells, bit| cells | 1 << place(bit))
        };
        let [own, other] = game.stones().map(column_by_column);
        Self { own, all: own | other, count: game.ply() as i32 }
    }

    /// The cells on which a dropped stone lands.
    #[inline]
    fn landing(self) -> u64 {
        (self.all + BOTTOM) & BOARD
    }

    /// The empty cells that complete a line of the side to move.
    #[inline]
    fn own_threats(self) -> u64 {
        threats(self.own, self.all)
    }

    #[inline]
    fn other_threats(self) -> u64 {
        threats(self.own ^ self.all, self.all)
    }

    /// The moves after which the other side cannot win at once, or 0 if there are none.
    #[inline]
    fn safe_moves(self) -> u64 {
        let (landing, threats) = (self.landing(), self.other_threats());
        let forced = landing & threats;
        let moves = match forced {
            0 => landing,
            _ if forced & (forced - 1) == 0 => forced,
            // Two threats cannot both be blocked.
            _ => return 0,
        };
        // A stone right below a threat makes the threat playable.
        moves & !(threats >> 1)
    }

    #[inline]
    fn after(self, cell: u64) -> Self {
        Self { own: self.own ^ self.all, all: self.all | cell, count: self.count + 1 }
    }

    /// A unique number of the position: in each column the bit above the highest stone, and below
    /// it the stones of the side to move.
    #[inline]
    fn key(self) -> u64 {
        let key = self.own + self.all + BOTTOM;
        if self.count > MIRRORED { key } else { key.min(mirrored(key)) }
    }
}

/// The empty cells that complete a line of four `stones`.
#[inline]
fn threats(stones: u64, all: u64) -> u64 {
    // Vertically, only the cell above three stones.
    let mut found = (stones << 1) & (stones << 2) & (stones << 3);
    for step in [COLUMN, COLUMN - 1, COLUMN + 1] {
        let pairs = (stones << step) & (stones << (2 * step));
        found |= pairs & (stones << (3 * step));
        found |= pairs & (stones >> step);
        let pairs = (stones >> step) & (stones >> (2 * step));
        found |= pairs & (stones >> (3 * step));
        found |= pairs & (stones << step);
    }
    found & BOARD & !all
}

/// The mirror image: the columns in reverse order.
#[inline]
fn mirrored(cells: u64) -> u64 {
    const ONE: u64 = (1 << COLUMN) - 1;
    (0..WIDTH).fold(0, |image, column| {
        let cells = cells >> (column * COLUMN) & ONE;
        image | cells << ((WIDTH - 1 - column) * COLUMN)
    })
}

/// A table of bounds of scores, one word each: the position in the upper bits, then the lower and
/// the upper bound.
#[derive(Clone, Debug)]
struct Table {
    words: Vec<u64>,
}

/// The number of bits of a bound.
const BOUND: u32 = 6;

impl Table {
    fn new(entries: usize) -> Self {
        Self { words: vec![0; (entries.max(1) + 1).next_power_of_two() / 2] }
    }

    #[inline]
    fn place(&self, key: u64) -> usize {
        mix(key) as usize & (self.words.len() - 1)
    }

    #[inline]
    fn get(&self, key: u64) -> Option<[i32; 2]> {
        let word = self.words[self.place(key)];
        let bound = |bits: u64| (bits & ((1 << BOUND) - 1)) as i32 - HIGHEST;
        (word >> (2 * BOUND) == key).then(|| [bound(word >> BOUND), bound(word)])
    }

    #[inline]
    fn put(&mut self, key: u64, [lower, upper]: [i32; 2]) {
        let bits = |bound: i32| (bound + HIGHEST) as u64;
        let place = self.place(key);
        self.words[place] = key << (2 * BOUND) | bits(lower) << BOUND | bits(upper);
    }
}

/// A solver of Connect Four. It takes some hundredths of a second for positions with 16 stones, a
/// tenth with 12, one second with 8, and minutes for the start. Its table is kept from one position
/// to the next.
#[derive(Clone, Debug)]
pub(crate) struct ConnectFourSolver {
    table: Table,
    nodes: u64,
    /// Whether the callback stopped the search. The return value of the search is then invalid.
    stopped: bool,
}

/// The number of positions between two calls of the callback.
const NODES_PER_CHECK: u64 = 1 << 12;

/// A callback that returns whether to continue the search.
type KeepGoing<'a> = &'a dyn Fn() -> bool;

impl Default for ConnectFourSolver {
    /// A solver with a table of 64 MiB.
    fn default() -> Self {
        Self::new(1 << 23)
    }
}

impl ConnectFourSolver {
    /// A solver with a table of at most `entries` entries of 8 bytes.
    pub(crate) fn new(entries: usize) -> Self {
        Self { table: Table::new(entries), nodes: 0, stopped: false }
    }

    /// The number of positions visited so far.
    #[cfg(test)]
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The outcome of a position with best play. Faster than [`solve`](Self::solve).
    #[cfg(test)]
    pub(crate) fn outcome(&mut self, game: &ConnectFour) -> Outcome {
        self.outcome_while(game, &|| true)
    }

    fn outcome_while(&mut self, game: &ConnectFour, keep_going: KeepGoing<'_>) -> Outcome {
        game.outcome().unwrap_or_else(|| outcome_of(game, self.score(game, [-1, 1], keep_going)))
    }

    /// The outcome of a position with best play, and the number of turns until the end.
    pub(crate) fn solve(&mut self, game: &ConnectFour) -> Solution {
        if let Some(outcome) = game.outcome() {
            return Solution { outcome, turns_left: 0 };
        }
        let score = self.score(game, [-HIGHEST, HIGHEST], &|| true);
        let turns_left = turns_left(game.ply() as i32, score) as u32;
        Solution { outcome: outcome_of(game, score), turns_left }
    }

    /// The outcome of every legal action with best play, ascending by action.
    pub(crate) fn outcomes(&mut self, game: &ConnectFour) -> Vec<(Action, Outcome)> {
        self.outcomes_while(game, &|| true).unwrap_or_default()
    }

    /// The same as [`outcomes`](Self::outcomes). `None` if `keep_going`, which is called from time
    /// to time, returned false.
    pub(crate) fn outcomes_while(
        &mut self,
        game: &ConnectFour,
        keep_going: &dyn Fn() -> bool,
    ) -> Option<Vec<(Action, Outcome)>> {
        let mut legal = Vec::new();
        game.legal_actions(&mut legal);
        self.stopped = false;
        let outcomes = legal
            .into_iter()
            .map(|action| (action, self.outcome_while(&after(game, action), keep_going)))
            .collect();
        (!std::mem::take(&mut self.stopped)).then_some(outcomes)
    }

    /// The solution of every legal action, ascending by action.
    pub(crate) fn actions(&mut self, game: &ConnectFour) -> Vec<(Action, Solution)> {
        let mut legal = Vec::new();
        game.legal_actions(&mut legal);
        legal.into_iter().map(|action| (action, self.solve(&after(game, action)))).collect()
    }

    /// The best action, the lowest in a tie. `None` if the game is over.
    pub(crate) fn best(&mut self, game: &ConnectFour) -> Option<Action> {
        best_of(&self.actions(game), game.to_move())
    }

    /// The score of an unfinished position, clamped to the bounds. It is narrowed down by
    /// null-window searches, with bounds close to a draw first.
    fn score(
        &mut self,
        game: &ConnectFour,
        [mut low, mut high]: [i32; 2],
        keep_going: KeepGoing<'_>,
    ) -> i32 {
        let stones = Stones::of(game);
        if stones.own_threats() & stones.landing() != 0 {
            return ((CELLS + 1 - stones.count) / 2).min(high);
        }
        low = low.max(-((CELLS - stones.count) / 2));
        high = high.min((CELLS - 1 - stones.count) / 2);
        while low < high && !self.stopped {
            let middle = low + (high - low) / 2;
            let bound = if middle <= 0 { middle.min(low / 2) } else { middle.max(high / 2) };
            let found = self.search(stones, [bound, bound + 1], keep_going);
            if found <= bound {
                high = found;
            } else {
                low = found;
            }
        }
        low
    }

    /// The score of a position in which the side to move cannot win at once, or a bound of it if it
    /// is not between `alpha` and `beta`.
    fn search(
        &mut self,
        stones: Stones,
        [mut alpha, mut beta]: [i32; 2],
        keep_going: KeepGoing<'_>,
    ) -> i32 {
        self.nodes += 1;
        if self.nodes.is_multiple_of(NODES_PER_CHECK) && !keep_going() {
            self.stopped = true;
        }
        let moves = stones.safe_moves();
        let left = CELLS - stones.count;
        if moves == 0 {
            return -(left / 2);
        }
        if left <= 2 {
            return 0;
        }
        // Neither the other side's next stone nor the next stone of the side to move wins.
        let (mut lowest, mut highest) = (-((left - 2) / 2), (left - 1) / 2);
        let key = stones.key();
        if let Some([lower, upper]) = self.table.get(key) {
            (lowest, highest) = (lowest.max(lower), highest.min(upper));
        }
        (alpha, beta) = (alpha.max(lowest), beta.min(highest));
        if alpha >= beta {
            return if highest <= alpha { highest } else { lowest };
        }
        let (list, count) = sorted(stones, moves);
        let mut best = lowest;
        for &cell in &list[..count] {
            let value = -self.search(stones.after(cell), [-beta, -alpha.max(best)], keep_going);
            if self.stopped {
                return 0;
            }
            if value >= beta {
                self.table.put(key, [value, highest]);
                return value;
            }
            best = best.max(value);
        }
        // Below `alpha` the result is only an upper bound.
        let bound = if best > alpha { [best, best] } else { [lowest, best.max(lowest)] };
        self.table.put(key, bound);
        best
    }
}

/// The moves in order of the threats they make, most first, and their number.
#[inline]
fn sorted(stones: Stones, moves: u64) -> ([u64; WIDTH], usize) {
    const ONE: u64 = (1 << HEIGHT) - 1;
    let (mut list, mut threats_made, mut count) = ([0; WIDTH], [0; WIDTH], 0);
    for column in COLUMNS {
        let cell = moves & ONE << (column * COLUMN);
        if cell == 0 {
            continue;
        }
        let made = threats(stones.own | cell, stones.all | cell).count_ones();
        let mut place = count;
        while place > 0 && threats_made[place - 1] < made {
            (list[place], threats_made[place]) = (list[place - 1], threats_made[place - 1]);
            place -= 1;
        }
        (list[place], threats_made[place]) = (cell, made);
        count += 1;
    }
    (list, count)
}

/// The number of turns until the end of the game, from a position with `count` stones.
fn turns_left(count: i32, score: i32) -> i32 {
    if score == 0 {
        return CELLS - count;
    }
    // The winner plays the last turn. Before it there are `CELLS - 2 * score` stones, or one more,
    // depending on whose turn it is.
    let first = if score > 0 { count } else { count + 1 };
    let before = CELLS - 2 * score.abs();
    before + (before - first).rem_euclid(2) + 1 - count
}

fn outcome_of(game: &ConnectFour, score: i32) -> Outcome {
    match score {
        0 => Outcome::Draw,
        1.. => Outcome::Win(game.to_move()),
        _ => Outcome::Win(game.to_move().other()),
    }
}

fn after(game: &ConnectFour, action: Action) -> ConnectFour {
    let mut next = *game;
    next.play(action);
    next
}
