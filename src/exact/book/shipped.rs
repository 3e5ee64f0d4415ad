//! The books that are part of the program.

use super::Book;
use crate::registry::Variant;

/// Lists the texts of books in `checkpoints/solutions`.
macro_rules! books {
    ($($game:literal),* $(,)?) => {
        &[$(include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"), "/checkpoints/solutions/", $game, ".book"
        ))),*]
    };
}

/// The texts of all books. The first line of each names its game.
pub(super) const BOOKS: &[&str] =
    books!["neutron5", "neutron5_single", "neutron5_double", "neutron5_kraus"];

/// The book of a game, if one is part of the program.
pub(crate) fn shipped(variant: &Variant) -> Option<Book> {
    BOOKS.iter().find_map(|text| Book::read(text, variant).ok())
}
