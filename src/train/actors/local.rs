//! Plays the games in this process, on all threads, while the caller does something else.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result};
use burn::tensor::Device;

use super::{
    Actors, EvaluationJob, EvaluationWatch, Games, PairOutcomes, SelfplayEvaluator, SelfplayJob,
};
use crate::registry::Variant;
use crate::runs::config::Config;
use crate::search::Cache;
use crate::selfplay::record::GameRecord;
use crate::selfplay::{self, Counters};

/// How often the end of the games and an interruption are looked for.
const TICK: Duration = Duration::from_millis(5);

/// This process as the place where games are played.
pub(crate) struct LocalActors {
    variant: Variant,
    config: Arc<Config>,
    device: Device,
    /// Evaluations by the weights of the present job.
    cache: Arc<Cache>,
    running: Option<Running>,
}

/// A job in progress.
struct Running {
    thread: JoinHandle<Option<Vec<GameRecord>>>,
    counters: Arc<Counters>,
    stop: Arc<AtomicBool>,
}

impl LocalActors {
    /// Creates the actors of a run whose networks are on `device`.
    pub(crate) fn new(variant: Variant, config: &Config, device: &Device) -> Self {
        let cache = Arc::new(Cache::new(config.search.cache_mib, variant.spec().actions()));
        let (config, device) = (Arc::new(config.clone()), device.clone());
        Self { variant, config, device, cache, running: None }
    }
}

impl Actors for LocalActors {
    fn begin(&mut self, job: SelfplayJob) -> Result<()> {
        let evaluator = SelfplayEvaluator::new(&job, &self.variant, &self.config, &self.device)?;
        Arc::get_mut(&mut self.cache).expect("the job before is finished").renew();
        let (counters, stop) = (Arc::<Counters>::default(), Arc::<AtomicBool>::default());
        let (variant, config, cache) =
            (self.variant, Arc::clone(&self.config), Arc::clone(&self.cache));
        let threads = rayon::current_num_threads();
        let (counted, stopped) = (Arc::clone(&counters), Arc::clone(&stop));
        let play = move || {
            let job = job.borrowed(&variant, &config, &cache);
            selfplay::play_by(evaluator, &job, threads, &counted, &stopped)
        };
        let thread = thread::Builder::new().name("self-play".to_owned()).spawn(play);
        let thread = thread.context("cannot start a thread for self-play")?;
        self.running = Some(Running { thread, counters, stop });
        Ok(())
    }

    fn finish(&mut self, title: &str, interrupted: &AtomicBool) -> Result<Option<Games>> {
        let Running { thread, counters, stop } =
            self.running.take().expect("a job was begun before");
        let wait = || {
            while !thread.is_finished() {
                stop.fetch_or(interrupted.load(Ordering::Relaxed), Ordering::Relaxed);
                thread::sleep(TICK);
            }
            thread.join().unwrap_or_else(|panic| resume_unwind(panic))
        };
        let records = selfplay::watch(self.config.selfplay.games, title, &counters, wait);
        Ok(records.map(|records| Games { records, counters }))
    }

    fn abandon(&mut self) {
        if let Some(Running { thread, stop, .. }) = self.running.take() {
            stop.store(true, Ordering::Relaxed);
            // Its games are not wanted, and neither is a panic on top of what ended the training.
            let _ = thread.join();
        }
    }

    fn evaluate(
        &mut self,
        job: &EvaluationJob,
        watch: EvaluationWatch<'_>,
        interrupted: &AtomicBool,
    ) -> Result<Option<Vec<Vec<PairOutcomes>>>> {
        job.play(&self.variant, &self.config, watch, interrupted)
    }
}

impl Drop for LocalActors {
    fn drop(&mut self) {
        self.abandon();
    }
}
