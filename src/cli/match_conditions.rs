//! Options that `match` and `ladder` share: simulations, openings and the seed.

use crate::play::arena::OpeningBook;
use crate::registry::Variant;

/// The options for pairs of games.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct Conditions {
    /// Simulations of trained players for each turn
    ///
    /// From 1 to 1,000,000. Player options such as RUN?simulations=200 take precedence.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub simulations: u32,
    /// Random turns at the start of each pair of games
    ///
    /// From 0 to 100.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub opening: u32,
    /// Also play openings that a prover finds won for one side
    ///
    /// By default they are left out: either player wins them, so they do not tell players apart.
    #[arg(long)]
    pub decided: bool,
    /// Leave out openings that a longer proof search finds won, too
    ///
    /// The others tell players apart better, but they are fewer: a third in Neutron 5x5.
    #[arg(long, conflicts_with = "decided")]
    pub balanced: bool,
    /// Seed of the openings and the players
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

impl Conditions {
    /// These options as arguments of another process.
    #[cfg(feature = "net")]
    pub(super) fn arguments(&self) -> Vec<String> {
        let Self { simulations, opening, decided, balanced, seed } = *self;
        let numbers = [
            ("--simulations", u64::from(simulations)),
            ("--opening", opening.into()),
            ("--seed", seed),
        ];
        let numbers = numbers.iter().flat_map(|(option, n)| [(*option).to_owned(), n.to_string()]);
        let flags = [("--decided", decided), ("--balanced", balanced)];
        let flags = flags.iter().filter(|(_, given)| *given).map(|(flag, _)| (*flag).to_owned());
        numbers.chain(flags).collect()
    }

    /// Returns the opening book for these options.
    pub(super) fn book(&self, variant: &Variant) -> OpeningBook {
        let book = OpeningBook::new(variant, self.opening, self.seed);
        match (self.decided, self.balanced) {
            (true, _) => book,
            (_, true) => book.balanced(),
            _ => book.undecided(),
        }
    }
}
