//! Unfinished lines of five, as planes of an observation.
//!
//! A network of 3x3 convolutions needs several layers to count along a line, and has to take into
//! account that a step removes the piece from its old line. With these planes it need not learn
//! what follows from the rules alone.

use super::{Board, DIRECTIONS, SIZE};
use crate::games::open_lines::{line_starts, open_line_cells};

/// The number of cells of a line that captures.
const FIVE: usize = 5;

/// The cells of lines of five without an enemy piece, with two, three, four and five `own` pieces.
pub(super) fn lines_with_two_to_five(own: u64, other: u64) -> [u64; 4] {
    let [_, _, two, three, four, five, ..] = open_line_cells::<SIZE, SIZE, FIVE>(own, other);
    [two, three, four, five]
}

/// The empty cells on which one more piece of `own` completes a line of five or more. The piece is
/// placed there if `placing`. Otherwise it steps there, from outside the line.
pub(super) fn fives_to_make(own: u64, other: u64, placing: bool) -> u64 {
    fives_along::<1, 0>(own, other, placing)
        | fives_along::<0, 1>(own, other, placing)
        | fives_along::<1, 1>(own, other, placing)
        | fives_along::<-1, 1>(own, other, placing)
}

fn fives_along<const DX: i32, const DY: i32>(own: u64, other: u64, placing: bool) -> u64 {
    let empty = !(own | other);
    let [_, _, _, _, starts, ..] = line_starts::<SIZE, SIZE, FIVE, DX, DY>(own, other);
    let beside = beside::<DX, DY>(own);
    let (mut cells, mut found) = (starts, 0);
    for place in 0..FIVE {
        // A step along the line must come from beyond its ends, not from within the five.
        let arriving = match place {
            _ if placing => u64::MAX,
            0 => beside | Board::shift(own, DX, DY),
            place if place == FIVE - 1 => beside | Board::shift(own, -DX, -DY),
            _ => beside,
        };
        found |= cells & empty & arriving;
        cells = Board::shift(cells, DX, DY);
    }
    found
}

/// The neighbours of `cells` in the six directions across the line.
fn beside<const DX: i32, const DY: i32>(cells: u64) -> u64 {
    let along = |(dx, dy): (i8, i8)| {
        let there = (i32::from(dx), i32::from(dy));
        there == (DX, DY) || there == (-DX, -DY)
    };
    let across = (0..DIRECTIONS.len()).filter(|&direction| !along(DIRECTIONS[direction]));
    across.fold(0, |beside, direction| beside | Board::step(cells, direction))
}
