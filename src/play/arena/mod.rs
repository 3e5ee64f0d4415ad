//! Matches between two players: pairs of games from the same opening, colours exchanged.

mod batched;
mod openings;
mod played;
mod record;
mod sequential;
mod tally;
mod totals;

#[cfg(test)]
pub(crate) use batched::play_batched;
pub(crate) use batched::{BatchedPlayer, play_batched_until};
pub(crate) use openings::{Opening, OpeningBook, openings, random_position};
pub(crate) use played::{Effort, Played};
pub(crate) use record::{Recorder, Winner};
#[cfg(test)]
pub(crate) use sequential::play_sequential;
pub(crate) use sequential::play_sequential_until;
pub(crate) use tally::Tally;
pub(crate) use totals::{Forfeits, Totals};
