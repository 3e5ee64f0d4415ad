//! The books that are part of the program.

use super::Book;
use crate::games::{Game, Variant};

/// The texts of all books. The first line of each names its game.
pub(super) const BOOKS: &[&str] =
    &[include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/checkpoints/solutions/neutron5.book"))];

/// The book of a game, if one is part of the program.
pub(crate) fn shipped<G: Game>(variant: &Variant<G>) -> Option<Book> {
    BOOKS.iter().find_map(|text| Book::read(text, variant).ok())
}
