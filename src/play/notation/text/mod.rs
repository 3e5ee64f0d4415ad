//! The text format: tags and numbered turns, like the Portable Game Notation of chess.

mod reader;
mod tokens;
mod writer;

pub(crate) use reader::read;
pub(crate) use writer::write;
