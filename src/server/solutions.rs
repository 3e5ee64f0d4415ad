//! The solutions of games by which the server tells exact values.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;

use crate::exact::solution::{About, Solution};
use crate::registry::Variant;

/// Solutions, each of one game.
#[derive(Default)]
pub(crate) struct Solutions(Vec<Arc<Solution>>);

impl Solutions {
    /// Adds the solution in a folder.
    ///
    /// # Errors
    ///
    /// If there is none, or it is damaged.
    pub(crate) fn add(&mut self, folder: &Path) -> Result<()> {
        let variant = About::read(folder)?.variant()?;
        let solution = Solution::open(folder, &variant)?;
        self.0.push(Arc::new(solution));
        Ok(())
    }

    /// The solution of a game, whatever the limit on its length.
    pub(super) fn of(&self, variant: &Variant) -> Option<Arc<Solution>> {
        let is_of = |solution: &&Arc<Solution>| solution.check_game(variant).is_ok();
        self.0.iter().find(is_of).cloned()
    }
}
