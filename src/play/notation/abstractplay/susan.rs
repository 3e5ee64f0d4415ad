//! AbstractPlay's names of the cells of Susan: a letter for the row, `a` at the bottom, and a
//! number from the left end of the row.

use crate::games::Notation;

/// Rows of the board; the middle one, the fifth, is the longest.
const ROWS: u8 = 9;
const MIDDLE: u8 = 5;

/// Converts a turn from our notation to AbstractPlay's.
pub(super) fn exported(turn: &str, notation: Notation) -> String {
    let cell = |[letter, number]: [u8; 2]| match notation {
        Notation::Linhart => Some([ROWS + 1 - letter, number]),
        Notation::Skewed => Some([number, letter.checked_sub(left_out(number))?]),
    };
    each_cell(turn, cell).expect("a legal turn names cells of the board")
}

/// Converts a turn from AbstractPlay's notation to our skewed one; `None` if a cell is not on the
/// board.
pub(super) fn imported(turn: &str) -> Option<String> {
    each_cell(turn, |[row, number]| Some([number + left_out(row), row]))
}

/// The number of files that a row of the skewed board lacks on its left.
fn left_out(row: u8) -> u8 {
    row.saturating_sub(MIDDLE)
}

/// Renames the cells of a turn, each a letter and a number from 1. Other text is left to the rules
/// to refuse.
fn each_cell(turn: &str, rename: impl Fn([u8; 2]) -> Option<[u8; 2]>) -> Option<String> {
    let renamed = |text: &str| match cell_of(text.trim()) {
        None => Some(text.to_owned()),
        Some(cell) => {
            let [letter, number] = rename(cell)?;
            let named = (1..=ROWS).contains(&letter) && (1..=ROWS).contains(&number);
            named.then(|| format!("{}{number}", char::from(b'a' - 1 + letter)))
        }
    };
    let cells: Option<Vec<String>> = turn.split('-').map(renamed).collect();
    Some(cells?.join("-"))
}

fn cell_of(text: &str) -> Option<[u8; 2]> {
    let [letter, digit] = *text.as_bytes() else { return None };
    let letter = letter.to_ascii_lowercase().checked_sub(b'a' - 1)?;
    let digit = digit.checked_sub(b'0')?;
    [letter, digit].iter().all(|part| (1..=ROWS).contains(part)).then_some([letter, digit])
}
