//! Games of self-play in which alpha-beta chooses for one side: it brings about positions that a
//! network playing itself does not, and shows how they end.

use arrayvec::ArrayVec;
use rand::RngExt;

use super::Settings;
use crate::base::rng::Rng;
use crate::classic::alphabeta::{Classical, Limits};
use crate::games::{Action, Game, MAX_ACTIONS, Outcome, Side};

/// The weakest partner visits so many times fewer positions than the strongest.
const SPREAD: f64 = 10.0;

/// Entries of a partner's table at the most, 16 MiB of them.
const MOST_ENTRIES: u64 = 1 << 20;

/// A partner for all games of a worker; it takes next to no memory where there are none for it.
pub(super) fn partner(settings: &Settings) -> Classical {
    let nodes = if settings.sparring_share > 0.0 { settings.sparring_nodes } else { 0 };
    Classical::new(nodes.min(MOST_ENTRIES) as usize)
}

/// What alpha-beta has to do in a game.
#[derive(Clone, Debug)]
pub(super) struct Sparring {
    side: Side,
    nodes: u64,
    /// What is left of the turn it has chosen, the last action first.
    rest: ArrayVec<Action, MAX_ACTIONS>,
}

impl Sparring {
    /// In a share of the games, a side and a strength: its nodes are drawn between a tenth of those
    /// of the settings and all, evenly on a logarithmic scale.
    pub fn drawn(settings: &Settings, rng: &mut Rng) -> Option<Self> {
        let [chance, side, strength] = std::array::from_fn(|_| rng.random::<f64>());
        let nodes = settings.sparring_nodes as f64 * SPREAD.powf(strength - 1.0);
        (chance < f64::from(settings.sparring_share)).then(|| Self {
            side: if side < 0.5 { Side::P1 } else { Side::P2 },
            nodes: nodes.ceil() as u64,
            rest: ArrayVec::new(),
        })
    }

    /// The action of alpha-beta; none where the other side is to move.
    pub fn choose<G: Game>(&mut self, game: &G, partner: &mut Classical) -> Option<Action> {
        if game.to_move() != self.side {
            return None;
        }
        if self.rest.is_empty() {
            let verdict = partner.think(game, &Limits::nodes(self.nodes))?;
            self.rest = verdict.best.actions.into_iter().rev().collect();
        }
        self.rest.pop()
    }

    /// What the other side has scored, in half points.
    pub fn half_points(&self, outcome: Outcome) -> u64 {
        match outcome {
            Outcome::Win(winner) if winner == self.side => 0,
            Outcome::Draw => 1,
            Outcome::Win(_) => 2,
        }
    }
}
