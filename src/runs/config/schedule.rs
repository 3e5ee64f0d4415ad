//! The settings of the training loop.

use serde::{Deserialize, Serialize};

use crate::base::checks::{Fault, within};

/// How self-play and learning take turns: the `[train]` table of a config.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TrainSettings {
    /// By how many iterations the weights that play lag behind: 0 or 1. With 1, the games of an
    /// iteration are played while the network learns from those of the iteration before.
    pub lag: u64,
    /// Whether checkpoints and games that are no longer needed are removed.
    pub prune: bool,
}

impl TrainSettings {
    /// Checks the range of every value.
    ///
    /// # Errors
    ///
    /// If a value is out of range.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        within("lag", self.lag, [0, 1])
    }

    /// The iteration whose weights play the games of `iteration`.
    #[cfg(feature = "net")]
    pub(crate) fn playing(&self, iteration: u64) -> u64 {
        (iteration - 1).saturating_sub(self.lag)
    }
}
