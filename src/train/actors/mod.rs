//! Where the games of a training are played: those of self-play and those of evaluations.
//!
//! In comes a [`SelfplayJob`], out come [`Games`]; in comes an [`EvaluationJob`], out come
//! [`PairOutcomes`]. The games depend on the job and on the config of the run only, so that every
//! implementation of [`Actors`] plays the same ones.

mod evaluation;
mod evaluator;
mod local;

pub(crate) use evaluation::{EvaluationJob, EvaluationWatch, Opponent, PairOutcomes};
#[cfg(feature = "cluster")]
pub(crate) use evaluation::{openings_of_evaluation, search_of_evaluation};
pub(crate) use evaluator::SelfplayEvaluator;
pub(crate) use local::LocalActors;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use anyhow::Result;
use burn::tensor::Device;

use crate::base::durable::checksum;
use crate::nn::Board;
use crate::nn::burn_net::{Network, load_weights};
use crate::registry::Variant;
use crate::runs::activity::ClusterActivity;
use crate::runs::config::Config;
use crate::runs::trained::PlayEvaluator;
use crate::search::Cache;
use crate::selfplay::record::GameRecord;
use crate::selfplay::{Counters, IterationJob};

/// The weights of a network, as in a checkpoint.
#[derive(Clone)]
pub(crate) struct Weights {
    /// The contents of their file.
    pub bytes: Arc<[u8]>,
    /// The checksum of the file.
    pub checksum: u32,
}

impl Weights {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        Self { bytes: bytes.into(), checksum: checksum(bytes) }
    }

    /// An evaluator with these weights for the network of `config`.
    ///
    /// # Errors
    ///
    /// If the weights do not fit the network, or the device lacks the precision or the engine.
    pub(crate) fn evaluator(&self, config: &Config, device: &Device) -> Result<PlayEvaluator> {
        let variant = config.variant()?;
        let network = Network::new(&Board::of(&variant), &config.network, device);
        PlayEvaluator::new(load_weights(network, &self.bytes)?, &config.inference)
    }
}

/// What the games of an iteration depend on, besides the config.
#[derive(Clone)]
pub(crate) struct SelfplayJob {
    /// The number of the iteration.
    pub iteration: u64,
    /// The weights of the network that plays.
    pub weights: Weights,
    /// Earlier games, from whose positions some games restart.
    pub past: Arc<[GameRecord]>,
    /// The expected score, from 0 to 1, below which a side resigns; `None` for no resignation.
    pub resign_below: Option<f32>,
}

impl SelfplayJob {
    /// This job for the functions of [`selfplay`].
    pub(crate) fn borrowed<'a>(
        &'a self,
        variant: &'a Variant,
        config: &'a Config,
        cache: &'a Cache,
    ) -> IterationJob<'a> {
        IterationJob {
            variant,
            search: &config.search,
            settings: &config.selfplay,
            seed: config.seed,
            iteration: self.iteration,
            past: &self.past,
            resign_below: self.resign_below,
            cache,
        }
    }
}

/// The games of an iteration.
pub(crate) struct Games {
    /// All games, by their numbers.
    pub records: Vec<GameRecord>,
    /// The work that they took.
    pub counters: Arc<Counters>,
}

/// What is known at present of the workers of a cluster.
pub(crate) type ClusterWatch = Arc<Mutex<Option<ClusterActivity>>>;

/// Where games are played. One iteration of self-play is in progress at a time; an evaluation may
/// be asked for meanwhile.
pub(crate) trait Actors {
    /// Begins to play the games of a job.
    ///
    /// # Errors
    ///
    /// If nothing can play them.
    fn begin(&mut self, job: SelfplayJob) -> Result<()>;

    /// Waits for the games of the job that was begun, with a bar named `title`. `None` if
    /// interrupted.
    ///
    /// # Errors
    ///
    /// If they cannot be played to the end.
    fn finish(&mut self, title: &str, interrupted: &AtomicBool) -> Result<Option<Games>>;

    /// Stops the games of a job that was begun. The workers of a cluster finish theirs.
    fn abandon(&mut self) {}

    /// Plays the games of an evaluation, and returns the outcomes by opponent and opening. `None`
    /// if interrupted.
    ///
    /// # Errors
    ///
    /// If they cannot be played.
    fn evaluate(
        &mut self,
        job: &EvaluationJob,
        watch: EvaluationWatch<'_>,
        interrupted: &AtomicBool,
    ) -> Result<Option<Vec<Vec<PairOutcomes>>>>;

    /// What is known of the workers, if games are played on a cluster.
    fn cluster(&self) -> Option<ClusterWatch> {
        None
    }

    /// Called when the checkpoint of an iteration is written: nobody will ask for its games again.
    ///
    /// # Errors
    ///
    /// If what they left cannot be removed.
    fn committed(&mut self, iteration: u64) -> Result<()> {
        let _ = iteration;
        Ok(())
    }

    /// Called at the end: `is_done` if the run is, and not only this training of it.
    ///
    /// # Errors
    ///
    /// If what was left elsewhere cannot be removed.
    fn close(&mut self, is_done: bool) -> Result<()> {
        let _ = is_done;
        Ok(())
    }
}
