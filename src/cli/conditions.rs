//! The conditions under which pairs of games are played.

use crate::games::Game;
use crate::games::Variant;
use crate::play::arena::OpeningBook;

/// What matches and ladders have in common.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Conditions {
    /// Simulations of trained players that name none
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub simulations: u32,
    /// Random turns at the beginning of each pair of games
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub opening: u32,
    /// Also from openings that one side wins by force
    ///
    /// Either player wins them, so they tell nothing; those that a prover finds are left out.
    #[arg(long)]
    pub decided: bool,
    /// Only from openings that a longer proof leaves undecided too
    ///
    /// They tell more, where there are enough: a third of the usual ones in Neutron 5x5.
    #[arg(long, conflicts_with = "decided")]
    pub balanced: bool,
    /// Names the openings and what players draw
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

impl Conditions {
    /// The openings.
    pub fn book<G: Game>(&self, variant: &Variant<G>) -> OpeningBook<G> {
        let book = OpeningBook::new(variant, self.opening, self.seed);
        match (self.decided, self.balanced) {
            (true, _) => book,
            (_, true) => book.balanced(),
            _ => book.undecided(),
        }
    }
}
