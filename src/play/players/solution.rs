//! The perfect player of games whose solution lies in a folder.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;

use super::{Chosen, Forfeit, Player};
use crate::exact::solution::Solution;
use crate::games::Text;
use crate::registry::{Position, Variant};

/// The folder that has the solutions of games by their names.
pub(crate) const SOLUTIONS: &str = "checkpoints/solutions";

/// Plays by a solution: it wins in as few turns as possible and loses in as many, and holds what is
/// neither. Of several such turns it plays the first by notation.
pub(crate) struct Solved(Arc<Solution>);

impl Solved {
    /// The player of a game by the solution in a folder.
    ///
    /// # Errors
    ///
    /// If there is none, or it is damaged or of another game.
    pub(crate) fn open(folder: &Path, variant: &Variant) -> Result<Self> {
        Ok(Self(Arc::new(Solution::open(folder, variant)?)))
    }
}

impl Player for Solved {
    fn unit(&self) -> Option<&'static str> {
        None
    }

    fn begin_game(&mut self, _: u64) {}

    fn choose_while(
        &mut self,
        position: &Position,
        _: &[Text],
        _: &dyn Fn() -> bool,
    ) -> Result<Chosen, Forfeit> {
        let failed = |error: anyhow::Error| Forfeit::Failed(format!("{error:#}"));
        let turns = self.0.turns(position).map_err(failed)?;
        let (turn, _) = turns.into_iter().next().expect("an unfinished game has a turn");
        Ok(Chosen { turn, work: 0 })
    }
}
