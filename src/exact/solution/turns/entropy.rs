//! Entropy on sets of cells, on a board of `N` by `N` cells.

use super::steps::Steps;
use super::{Ended, Lanes, Turns};
use crate::games::board::{Grid, bits};
use crate::games::{EntropyGoal, EntropyRules, Rescue};

/// The turns of Entropy.
///
/// Whether the last turn was a pass is not part of a row. It matters only to a side that must pass
/// itself, which then draws. Without it the two would pass for ever, which is neither won nor lost.
pub(crate) struct EntropyTurns<const N: usize> {
    rules: EntropyRules,
}

impl<const N: usize> EntropyTurns<N> {
    pub(crate) fn new(rules: EntropyRules) -> Self {
        Self { rules }
    }

    /// Whether a side has reached its goal.
    fn reached(&self, own: u64, other: u64) -> bool {
        let with_friend = own & Grid::<N, N>::neighbours(own);
        let empty = Grid::<N, N>::ALL & !(own | other);
        match self.rules.win {
            EntropyGoal::Immobile => with_friend & Grid::<N, N>::neighbours(empty) == 0,
            EntropyGoal::NoFriend => with_friend == 0,
            EntropyGoal::Contact => with_friend == 0 && own & !Grid::<N, N>::neighbours(other) == 0,
        }
    }

    /// The cells to which a piece may move.
    fn allowed(&self, own: u64, other: u64) -> u64 {
        let isolated = own & !Grid::<N, N>::neighbours(own | other);
        match self.rules.rescue {
            _ if isolated == 0 => Grid::<N, N>::ALL,
            Rescue::Any => Grid::<N, N>::neighbours(isolated),
            Rescue::All => bits(isolated).fold(Grid::<N, N>::ALL, |allowed, cell| {
                allowed & Grid::<N, N>::neighbours(1 << cell)
            }),
        }
    }
}

/// Calls `each` with the start and the end of every move of `movers` like a queen's over `empty`,
/// until it returns true.
#[inline(always)]
fn queen_moves<const N: usize>(movers: u64, empty: u64, mut each: impl FnMut(u64, u64) -> bool) {
    for step in Steps::<N>::ALL {
        let (mut running, mut distance) = (movers, 0);
        for _ in 1..N {
            running = step.apply(running) & empty;
            distance += step.distance;
            for cell in bits(running) {
                if each(1 << (cell as i32 - distance), 1 << cell) {
                    return;
                }
            }
        }
    }
}

impl<const N: usize> Turns for EntropyTurns<N> {
    type Word = u8;

    fn ended(&self, own: u64, other: u64) -> Ended {
        if self.reached(other, own) {
            Ended { lost: 1, ..Ended::default() }
        } else if self.reached(own, other) {
            Ended { won: 1, ..Ended::default() }
        } else {
            Ended::default()
        }
    }

    #[inline]
    fn some_turn(&self, own: u64, other: u64, good: impl Fn(u64) -> Lanes) -> Lanes {
        let empty = Grid::<N, N>::ALL & !(own | other);
        let allowed = self.allowed(own, other);
        let (mut lanes, mut must_pass) = (0, true);
        queen_moves::<N>(own & Grid::<N, N>::neighbours(own), empty, |from, to| {
            if to & allowed != 0 {
                must_pass = false;
                lanes |= good(own ^ from ^ to);
            }
            // A turn that wins is good in both senses.
            lanes & 1 != 0
        });
        if must_pass { good(own) } else { lanes }
    }

    #[inline]
    fn sources(&self, after: u64, other: u64, mut mark: impl FnMut(u64)) {
        let empty = Grid::<N, N>::ALL & !(after | other);
        queen_moves::<N>(after, empty, |from, to| {
            mark(after ^ from ^ to);
            false
        });
        mark(after);
    }
}
