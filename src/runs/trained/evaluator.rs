//! The evaluator of self-play and of players: the engine that was asked for.

use anyhow::{Context, Result};

use crate::games::Game;
use crate::games::Spec;
use crate::nn::conv::Weights;
use crate::nn::infer::{Engine, Settings};
#[cfg(feature = "net")]
use crate::nn::net::{Network, NetworkEvaluator, cpu, float, fold};
use crate::search::{Evaluator, Wdl};

/// Judges positions by a network, with or without burn.
#[derive(Clone, Debug)]
pub enum PlayEvaluator {
    /// By this program's own forward pass.
    Fast(Box<Engine>),
    /// By burn's, which is the reference.
    #[cfg(feature = "net")]
    Burn(Box<NetworkEvaluator>),
}

impl PlayEvaluator {
    /// An evaluator by `network`, which is one for games of this shape, on the device where it
    /// lives. On another than the CPU, burn judges, whatever the engine.
    ///
    /// # Errors
    ///
    /// If this CPU lacks the instructions of the engine, or the device the precision.
    #[cfg(feature = "net")]
    pub fn new(network: Network, spec: &Spec, settings: &Settings) -> Result<Self> {
        let device = network.device();
        let path = if device == cpu() { settings.engine.path()? } else { None };
        if let Some(path) = path {
            return Ok(Self::Fast(Box::new(Engine::new(&fold(&network), spec, path)?)));
        }
        let float = float(settings.precision, &device)?;
        Ok(Self::Burn(Box::new(NetworkEvaluator::new(network, device).in_precision(float))))
    }

    /// An evaluator by plain weights, which this program's own forward pass alone can use.
    ///
    /// # Errors
    ///
    /// If this CPU lacks the instructions of the engine, or another forward pass is asked for.
    pub fn of_weights(weights: &Weights, spec: &Spec, settings: &Settings) -> Result<Self> {
        let path = settings.engine.path()?.context("an exported player is judged without burn")?;
        Ok(Self::Fast(Box::new(Engine::new(weights, spec, path)?)))
    }
}

impl<G: Game> Evaluator<G> for PlayEvaluator {
    fn evaluate(&mut self, positions: &[G], policy: &mut [f32], wdl: &mut [Wdl]) {
        match self {
            Self::Fast(engine) => engine.evaluate(positions, policy, wdl),
            #[cfg(feature = "net")]
            Self::Burn(network) => network.evaluate(positions, policy, wdl),
        }
    }
}
