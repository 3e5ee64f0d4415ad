//! The evaluator of self-play and of players: the engine that was asked for.

use super::{Network, NetworkEvaluator, cpu, fold};
use crate::evaluator::{Evaluator, Wdl};
use crate::game::Game;
use crate::infer::{Engine, EngineName, Unsupported};
use crate::spec::Spec;

/// Judges positions by a network, with or without burn.
#[derive(Clone, Debug)]
pub enum PlayEvaluator {
    /// By this program's own forward pass.
    Fast(Box<Engine>),
    /// By burn's, which is the reference.
    Burn(Box<NetworkEvaluator>),
}

impl PlayEvaluator {
    /// An evaluator by `network`, which is one for games of this shape and lives on the CPU.
    ///
    /// # Errors
    ///
    /// If this CPU lacks the instructions of `engine`.
    pub fn new(network: Network, spec: &Spec, engine: EngineName) -> Result<Self, Unsupported> {
        Ok(match engine.path()? {
            Some(path) => Self::Fast(Box::new(Engine::new(&fold(&network), spec, path)?)),
            None => Self::Burn(Box::new(NetworkEvaluator::new(network, cpu()))),
        })
    }
}

impl<G: Game> Evaluator<G> for PlayEvaluator {
    fn evaluate(&mut self, positions: &[G], policy: &mut [f32], wdl: &mut [Wdl]) {
        match self {
            Self::Fast(engine) => engine.evaluate(positions, policy, wdl),
            Self::Burn(network) => network.evaluate(positions, policy, wdl),
        }
    }
}
