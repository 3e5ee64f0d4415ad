//! Strong solutions of small games: the value of every position that the pieces can form.
//!
//! The input is a game that numbers its positions ([`Game::layout`]); the output is a folder with
//! the number of turns in which the side to move wins or loses each of them. The value of a
//! position does not depend on how many turns were played before, nor on limits on the length of a
//! game. Positions in which neither side can force a win are *neither*: with best play the game is
//! drawn or never ends.
//!
//! Begin with [`level`], the analysis itself. [`index`] numbers positions, [`turns`] has the rules
//! on sets of cells, [`solver`] works through all levels with the files of [`journal`].
//!
//! [`Game::layout`]: crate::games::Game::layout

mod assemble;
mod cell_map;
mod file;
mod index;
mod journal;
mod level;
mod lookup;
mod map;
mod news;
pub(crate) mod recheck;
mod slice;
mod solve;
mod solver;
mod state;
mod subject;
mod turns;
mod values;
mod words;

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use file::sealed;
pub(crate) use file::{About, Count, Solution, is_finished};
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use news::fuzz as read_news;
pub(crate) use recheck::numbered_position;
pub(crate) use solve::{SolveSettings, solve};
pub(crate) use solver::{Stopped, Watcher};
pub(crate) use subject::SolvedGame;
pub(crate) use values::Value;

#[cfg(test)]
pub(crate) mod tests;
