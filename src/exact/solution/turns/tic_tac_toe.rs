//! Tic-tac-toe on sets of cells.

use super::{Ended, Lanes, Turns};
use crate::games::board::bits;

const ALL: u64 = 0o777;

/// The lines of the board.
const LINES: [u64; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

/// The turns of tic-tac-toe.
pub(crate) struct TicTacToeTurns;

fn has_line(stones: u64) -> bool {
    LINES.iter().any(|line| stones & line == *line)
}

impl Turns for TicTacToeTurns {
    type Word = u8;

    fn possible(&self, own: u64, _: u64, free: u16) -> u16 {
        if has_line(own) { 0 } else { free }
    }

    fn drawn(&self, own: u64, other: u64) -> u16 {
        u16::from(own | other == ALL && !has_line(other))
    }

    fn ended(&self, _: u64, other: u64) -> Ended {
        Ended { lost: has_line(other).into(), ..Ended::default() }
    }

    fn some_turn(&self, own: u64, other: u64, good: impl Fn(u64) -> Lanes) -> Lanes {
        let empty = ALL & !(own | other);
        bits(empty).fold(0, |lanes, cell| lanes | good(own | 1 << cell))
    }

    fn sources(&self, after: u64, _: u64, mark: impl FnMut(u64)) {
        bits(after).map(|cell| after & !(1 << cell)).for_each(mark);
    }
}
