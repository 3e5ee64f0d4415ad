//! A job of self-play, its games, and the work that they took.

use std::str::FromStr;
use std::sync::atomic::Ordering;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{MAX_RESULT, is_digest};
use crate::base::device::DeviceName;
use crate::nn::infer::EngineName;
use crate::registry::Variant;
use crate::runs::config::Config;
use crate::selfplay::record::{GameRecord, Header, RecordFile};
use crate::selfplay::{self, Counters};
use crate::train::actors::SelfplayJob;

/// The header of a game's message that tells the work it took.
pub(in crate::train::cluster) const WORK: &str = "Tavoliere-Work";

/// The games of an iteration: all that they depend on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(in crate::train::cluster) struct SentSelfplay {
    /// The version of the game's rules.
    pub rules_version: u32,
    /// The config, as far as self-play depends on it. Its engine is `auto` only if workers may use
    /// any.
    pub config: String,
    /// The number of the iteration.
    pub iteration: u64,
    /// The digest of the weights.
    pub weights: String,
    /// The digest of the file of earlier games, if games restart from them.
    pub past: Option<String>,
    /// The bits of the score below which a side resigns.
    pub resign_below: Option<u32>,
}

impl SentSelfplay {
    /// Describes a job of the run with this config, whose blobs have these digests.
    pub(in crate::train::cluster) fn new(
        variant: &Variant,
        config: &Config,
        job: &SelfplayJob,
        weights: String,
        past: Option<String>,
    ) -> Self {
        Self {
            rules_version: variant.rules_version(),
            config: config.to_toml(),
            iteration: job.iteration,
            weights,
            past,
            resign_below: job.resign_below.map(f32::to_bits),
        }
    }

    /// Checks the parts, and returns the config.
    ///
    /// # Errors
    ///
    /// If a part is damaged, or this program cannot play by the config.
    pub(in crate::train::cluster) fn checked_config(&self) -> Result<Config> {
        ensure!(
            is_digest(&self.weights) && self.past.as_deref().is_none_or(is_digest),
            "a job without the digests of its weights and games"
        );
        ensure!((1..=1 << 32).contains(&self.iteration), "a job of iteration {}", self.iteration);
        Config::parse_on(DeviceName::Cpu, &self.config, "the run's config", &[])
            .context("this worker cannot play by the config of the run")
    }

    /// The limit for resignation.
    pub(in crate::train::cluster) fn resign_below(&self) -> Option<f32> {
        self.resign_below.map(f32::from_bits)
    }
}

/// The part of a config that the games of self-play depend on, for workers with this engine.
pub(in crate::train::cluster) fn config_of_games(config: &Config, engine: EngineName) -> Config {
    let Config { game, seed, rules, network, search, mut inference, mut selfplay, .. } =
        config.clone();
    inference.engine = engine;
    // How games are batched does not change them. Workers play on their CPU.
    let selfplay::Settings { batch, queue, .. } = selfplay::Settings::default();
    (selfplay.batch, selfplay.queue) = (batch, queue);
    Config { game, seed, rules, network, search, inference, selfplay, ..Config::default() }
}

/// Reads a finished game and replays it.
///
/// # Errors
///
/// If it is none, has another header, is number `games` or above, or breaks the rules.
pub(in crate::train::cluster) fn read_game(
    bytes: &[u8],
    variant: &Variant,
    header: &Header,
    games: u64,
) -> Result<GameRecord> {
    ensure!(bytes.len() <= MAX_RESULT, "a game of {} bytes is too large", bytes.len());
    let mut file = RecordFile::decode(bytes)?;
    ensure!(file.header == *header, "a game of another job");
    file.check(variant)?;
    ensure!(file.games.len() == 1, "{} games in place of one", file.games.len());
    let game = file.games.remove(0);
    ensure!(game.index < games, "game {} of {games}", game.index);
    Ok(game)
}

/// The work since the last message, for progress and metrics: the numbers of [`Counters`] but for
/// the games.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(in crate::train::cluster) struct Work([u64; 7]);

impl Work {
    /// What is counted now.
    pub(in crate::train::cluster) fn of(counters: &Counters) -> Self {
        Self(counters.work().map(|counter| counter.load(Ordering::Relaxed)))
    }

    /// What was done after `before`.
    pub(in crate::train::cluster) fn since(self, before: Self) -> Self {
        let mut work = self;
        work.0.iter_mut().zip(before.0).for_each(|(now, then)| *now = now.saturating_sub(then));
        work
    }

    /// Adds it to the counters of the learner.
    pub(in crate::train::cluster) fn add_to(self, counters: &Counters) {
        for (counter, amount) in counters.work().into_iter().zip(self.0) {
            counter.fetch_add(amount, Ordering::Relaxed);
        }
    }

    /// The text of a header.
    pub(in crate::train::cluster) fn text(self) -> String {
        Value::from(self.0.to_vec()).to_string()
    }
}

impl FromStr for Work {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        Ok(Self(serde_json::from_str(text).context("not the work of a game")?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nn::infer::InstructionSet;
    use crate::runs::digest::sha256;
    use crate::train::cluster::wire::{Job, JobKind};

    fn sent() -> SentSelfplay {
        let config = Config::parse("game = 'tic_tac_toe'", "x", &[]).unwrap();
        SentSelfplay {
            rules_version: 1,
            config: config_of_games(&config, EngineName::Cpu(InstructionSet::Portable)).to_toml(),
            iteration: 3,
            weights: sha256(b"weights"),
            past: None,
            resign_below: Some(0.25_f32.to_bits()),
        }
    }

    #[test]
    fn a_job_is_read_as_it_was_sent() {
        let job = Job::new(JobKind::Selfplay(sent()));
        assert_eq!(Job::read(&job.bytes()).unwrap(), job);
        assert_eq!(sent().resign_below(), Some(0.25));
        let config = sent().checked_config().unwrap();
        assert_eq!(config.inference.engine, EngineName::Cpu(InstructionSet::Portable));
    }

    #[test]
    fn a_damaged_job_is_refused() {
        let worse = |change: fn(&mut SentSelfplay)| {
            let mut job = sent();
            change(&mut job);
            job.checked_config().unwrap_err().to_string()
        };
        assert!(worse(|job| job.weights = "../../x".into()).contains("digests"));
        assert!(worse(|job| job.past = Some("x".into())).contains("digests"));
        assert!(worse(|job| job.iteration = 0).contains("iteration 0"));
        assert!(worse(|job| job.config = "game = 'chess'".into()).contains("cannot play"));
    }

    #[test]
    fn the_config_of_games_has_nothing_that_does_not_change_them() {
        let text = "game = 'tic_tac_toe'\niterations = 7\n[learner]\nbatch = 8\n\
                    [selfplay]\nbatch = 3\nqueue = true\ngames = 5\n";
        let config = Config::parse(text, "x", &[]).unwrap();
        let plain = Config::parse("game = 'tic_tac_toe'\n[selfplay]\ngames = 5", "x", &[]).unwrap();
        let [a, b] = [config, plain]
            .map(|it| config_of_games(&it, EngineName::Cpu(InstructionSet::Portable)).to_toml());
        assert_eq!(a, b);
    }

    #[test]
    fn work_is_told_and_added() {
        let counters = Counters::default();
        "[1,2,3,4,5,6,7]".parse::<Work>().unwrap().add_to(&counters);
        let before = Work::of(&counters);
        "[1,0,0,0,0,0,2]".parse::<Work>().unwrap().add_to(&counters);
        assert_eq!(Work::of(&counters).since(before).text(), "[1,0,0,0,0,0,2]");
        assert!("[1]".parse::<Work>().is_err() && "x".parse::<Work>().is_err());
    }
}
