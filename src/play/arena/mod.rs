//! Matches between two players: pairs of games from the same opening, colours exchanged.

mod batched;
mod openings;
mod played;
mod record;
mod sequential;
mod tally;
mod totals;

pub use batched::{BatchedPlayer, play_batched};
pub(crate) use openings::random_position;
pub use openings::{Opening, OpeningBook, TooFewOpenings, openings};
pub use played::{Effort, Played};
pub use record::{Recorder, Winner};
pub use sequential::play_sequential;
pub use tally::Tally;
pub use totals::{Forfeits, Totals};
