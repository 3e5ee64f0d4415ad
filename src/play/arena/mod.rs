//! Matches between two players: pairs of games from the same opening, colours exchanged.

mod apart;
mod openings;
mod played;
mod record;
mod tally;
mod together;
mod totals;

pub use apart::play_apart;
pub(crate) use openings::random_position;
pub use openings::{Opening, OpeningBook, TooFewOpenings, openings};
pub use played::{Effort, Played};
pub use record::{Recorder, Winner};
pub use tally::Tally;
pub use together::{Contestant, play_together};
pub use totals::{Forfeits, Totals};
