//! Matches between two players: pairs of games from the same opening, colours exchanged.

mod apart;
mod openings;
mod played;
mod record;
mod tally;
mod together;
mod totals;

pub use apart::play_apart;
pub use openings::{Opening, OpeningBook, TooFewOpenings, openings};
pub use played::{Effort, Played};
pub use record::{Recorder, Winner};
pub use tally::Tally;
pub use together::{Contestant, play_together};
pub use totals::Totals;
