//! A rating list that grows: who plays whom next, what was played, and what it says.
//!
//! * [`journal`]: what happened so far, as a log that is only ever appended to;
//! * [`schedule`]: the matches that tell most about the ratings;
//! * [`standings`]: the rating list;
//! * [`Ladder`]: the folder with the log and the games.
//!
//! Everything is a function of the log, and the log of the seed and the players, as long as nobody
//! plays by the clock: how long a ladder is played and how often it is stopped only says how much of
//! the log there is. Players are numbered by the order in which they entered.

mod files;
mod folder;
pub mod journal;
pub mod schedule;
pub mod standings;

pub use folder::Ladder;
pub use journal::{Entry, Fixture, Header, Journal, Training};
pub use standings::{Row, Standings};
