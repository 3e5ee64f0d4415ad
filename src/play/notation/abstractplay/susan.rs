//! Cells of Susan as AbstractPlay names them: a letter for the row, `a` at the bottom, and a number
//! from the row's left end.

use crate::games::Notation;

/// Rows of the board; the middle one, the fifth, is the longest.
const ROWS: u8 = 9;
const MIDDLE: u8 = 5;

/// A turn in our notation as AbstractPlay writes it.
pub(super) fn exported(turn: &str, notation: Notation) -> String {
    let cell = |[letter, number]: [u8; 2]| match notation {
        Notation::Linhart => Some([ROWS + 1 - letter, number]),
        Notation::Skewed => Some([number, letter.checked_sub(left_out(number))?]),
    };
    each_cell(turn, cell).expect("a legal turn names cells of the board")
}

/// A turn of AbstractPlay in our skewed notation; none if it names a cell that cannot be there.
pub(super) fn imported(turn: &str) -> Option<String> {
    each_cell(turn, |[row, number]| Some([number + left_out(row), row]))
}

/// Files that a row of the skewed board lacks on its left.
fn left_out(row: u8) -> u8 {
    row.saturating_sub(MIDDLE)
}

/// A turn with its cells, letter and number from 1, renamed. What is no cell stays as it is, for
/// the rules to judge.
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
