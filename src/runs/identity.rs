//! What tells the players of a ladder apart: everything that determines the play of one.

use std::time::Duration;

use serde::Serialize;

use super::trained::{NetworkPlayer, Trained};
use crate::base::durable::checksum;
use crate::nn::infer::EngineName;
use crate::search::{Settings, Weakening};

/// Everything that determines the play of a player, besides the game, the random numbers and this
/// program.
#[derive(Serialize)]
pub(super) enum Identity<'a> {
    /// A player without a network, or another program. Its name has all its options.
    Named(&'a str),
    /// The solution of a game, by the checksum of what it says of itself.
    Solution(u32),
    /// A network alone.
    Policy(NetworkIdentity),
    /// A network and its search.
    Search(NetworkIdentity, SearchIdentity),
}

/// A network and its arithmetic.
#[derive(Serialize)]
pub(super) struct NetworkIdentity {
    /// Checksum of the weights.
    weights: u32,
    engine: EngineName,
}

/// A search with its limits.
#[derive(Serialize)]
pub(super) struct SearchIdentity {
    settings: Settings,
    /// Simulations for each turn.
    simulations: u32,
    time: Option<Duration>,
    weakening: Weakening,
    /// Checksum of the book.
    book: Option<u32>,
}

impl NetworkIdentity {
    pub(super) fn of(trained: &Trained) -> Self {
        Self { weights: trained.weights, engine: trained.engine }
    }
}

impl SearchIdentity {
    /// With `simulations` unless the player has a limit.
    pub(super) fn of(player: &NetworkPlayer, simulations: u32) -> Self {
        // The evaluator is the network. A new field must be judged, so all are named.
        let NetworkPlayer { evaluator: _, search, simulations: own, time, weakening, book } =
            player;
        Self {
            // The size of the cache changes the speed only.
            settings: Settings { cache_mib: 0, ..*search },
            simulations: own.unwrap_or(simulations),
            time: *time,
            weakening: *weakening,
            book: book.as_ref().map(|book| checksum(book.text().as_bytes())),
        }
    }
}

impl Identity<'_> {
    /// A checksum in hexadecimal.
    pub(super) fn checksum(&self) -> String {
        let bytes = serde_json::to_vec(self).expect("plain values");
        format!("{:08x}", checksum(&bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::ProofSettings;

    fn search(change: impl FnOnce(&mut SearchIdentity)) -> String {
        let mut identity = SearchIdentity {
            settings: Settings { cache_mib: 0, ..Settings::default() },
            simulations: 100,
            time: None,
            weakening: Weakening::default(),
            book: None,
        };
        change(&mut identity);
        let network = NetworkIdentity { weights: 7, engine: EngineName::Int8 };
        Identity::Search(network, identity).checksum()
    }

    #[test]
    fn whatever_changes_the_play_changes_the_identity() {
        let all = [
            search(|_| {}),
            search(|it| it.settings.puct.lower_bound = 0.0),
            search(|it| it.settings.gumbel.c_visit = 20.0),
            search(|it| it.settings.proofs = ProofSettings { nodes: 1, ..it.settings.proofs }),
            search(|it| it.simulations = 101),
            search(|it| it.time = Some(Duration::from_millis(100))),
            search(|it| it.weakening.temperature = 1.0),
            search(|it| it.book = Some(0)),
            Identity::Policy(NetworkIdentity { weights: 7, engine: EngineName::Int8 }).checksum(),
            Identity::Policy(NetworkIdentity { weights: 8, engine: EngineName::Int8 }).checksum(),
            Identity::Policy(NetworkIdentity { weights: 7, engine: EngineName::Auto }).checksum(),
            Identity::Named("random").checksum(),
            Identity::Solution(7).checksum(),
        ];
        let different: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(different.len(), all.len());
    }
}
