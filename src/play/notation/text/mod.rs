//! The text format: tags and numbered turns, like the Portable Game Notation of chess.

mod reader;
mod tokens;
mod writer;

pub use reader::read;
pub use writer::write;
