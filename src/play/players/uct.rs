//! The UCT player: tree search with random rollouts, no network.

use std::time::Duration;

use super::spec::UctLimits;
use super::{Chosen, Forfeit, Player, PlayerSeed, turn_by};
use crate::base::clock::Instant;
use crate::base::rng::Rng;
use crate::classic::uct::{Limits, Uct};
use crate::games::{Action, Text};
use crate::registry::Position;

/// Searches every action anew.
pub(super) struct UctPlayer {
    limits: UctLimits,
    /// The time set for each turn.
    time: Option<Duration>,
    seed: PlayerSeed,
    rng: Rng,
    search: Uct,
    legal: Vec<Action>,
}

impl UctPlayer {
    pub(super) fn new(limits: UctLimits, seed: PlayerSeed) -> Self {
        let (rng, search) = (seed.stream(0), Uct::default());
        Self { limits, time: None, seed, rng, search, legal: Vec::new() }
    }

    /// The deadline for the next action of a turn, of which `left` is left.
    fn deadline(&mut self, position: &Position, left: Duration) -> Instant {
        position.legal_actions(&mut self.legal);
        let continues_turn = |&action: &Action| {
            let mut next = *position;
            next.play(action);
            next.ply() == position.ply()
        };
        // If the turn may have another action, that one gets the other half.
        let share = if self.legal.iter().any(continues_turn) { 2 } else { 1 };
        Instant::now() + left / share
    }
}

impl Player for UctPlayer {
    fn unit(&self) -> Option<&'static str> {
        Some("rollouts")
    }

    fn begin_game(&mut self, game: u64) {
        self.rng = self.seed.stream(game);
    }

    fn set_time(&mut self, time: Option<Duration>) {
        self.time = time;
    }

    fn choose_while(
        &mut self,
        position: &Position,
        _: &[Text],
        keep_going: &dyn Fn() -> bool,
    ) -> Result<Chosen, Forfeit> {
        let time = [self.limits.time, self.time].into_iter().flatten().min();
        let end = time.map(|time| Instant::now() + time);
        let mut work = 0;
        let turn = turn_by(position, |position| {
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            let deadline = left.map(|left| self.deadline(position, left));
            let simulations = self.limits.rollouts.unwrap_or(Limits::MOST);
            let limits = Limits { simulations, deadline, keep_going };
            let action = position.uct(&mut self.search, &limits, &mut self.rng);
            work += u64::from(self.search.simulations());
            action.expect("an open position has legal actions")
        });
        Ok(Chosen { turn, work })
    }
}
