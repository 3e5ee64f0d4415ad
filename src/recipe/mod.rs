//! Plans the training of any game in any time: looks at the game, measures this machine, and decides
//! what a config would say.
//!
//! In come a game and a time; out comes a [`Plan`](plan::Plan), a config with the reason for every
//! key. [`look`] and [`plan`] need no tensors. Begin with `plan.rs`.

pub(crate) mod look;
pub(crate) mod plan;
#[cfg(feature = "net")]
pub(crate) mod speeds;
