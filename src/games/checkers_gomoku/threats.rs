//! Lines on their way to five, for observations.
//!
//! A network of 3x3 convolutions needs several layers to count along a line, and a step takes the
//! piece out of the line that it came from. What follows from the rules alone need not be learnt.

use super::{Board, DIRECTIONS, SIZE, step};
use crate::games::open_lines::{line_starts, open_line_cells};

/// Cells of a line that captures.
const FIVE: usize = 5;

/// The cells of lines of five without an enemy piece that hold two, three, four and five of `own`.
pub(super) fn lines_with_two_to_five(own: u64, other: u64) -> [u64; 4] {
    let [_, _, two, three, four, five, ..] = open_line_cells::<SIZE, SIZE, FIVE>(own, other);
    [two, three, four, five]
}

/// The empty cells on which one more piece of `own` makes a line of five or more: one that is
/// placed there, or, if none are left to be placed, one that steps there and does not leave the
/// line by that.
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
        // Along the line only pieces that are not of the five may come.
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

/// The neighbours of `cells` that do not lie along the line.
fn beside<const DX: i32, const DY: i32>(cells: u64) -> u64 {
    let along = |(dx, dy): (i8, i8)| {
        let there = (i32::from(dx), i32::from(dy));
        there == (DX, DY) || there == (-DX, -DY)
    };
    let across = (0..DIRECTIONS.len()).filter(|&direction| !along(DIRECTIONS[direction]));
    across.fold(0, |beside, direction| beside | step(cells, direction))
}
