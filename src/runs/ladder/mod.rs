//! Ladders: rating lists of many players, whose games are chosen for their information.
//!
//! * [`journal`]: the state of a ladder, and the append-only log from which it is rebuilt;
//! * [`schedule`]: the choice of the next matches;
//! * [`standings`]: the rating list;
//! * [`Ladder`]: the folder with the log and the games.
//!
//! The state of a ladder is a function of its log. If no player has a limit of time, the log is a
//! function of the seed and the players: interruptions do not change it. Players are numbered in
//! the order in which they entered.

mod files;
mod folder;
pub(crate) mod journal;
pub(crate) mod schedule;
pub(crate) mod standings;

pub(crate) use folder::Ladder;
pub(crate) use journal::{Fixture, Header, Journal, LadderPlayer, Training};
pub(crate) use standings::{Row, Standings};
