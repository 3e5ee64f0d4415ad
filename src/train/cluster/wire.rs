//! What the learner and the workers send each other. Everything is bounded before it is decoded.

use std::str::FromStr;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::base::device::DeviceName;
use crate::games::{Game, Variant};
use crate::nn::infer::EngineName;
use crate::runs::config::Config;
use crate::selfplay::record::{GameRecord, Header, RecordFile};
use crate::selfplay::{self, Counters};
use crate::train::actors::SelfplayJob;

/// The version of what is sent. Raise it whenever a game could come out differently: a change of
/// the search, of self-play or of the formats here.
const PROTOCOL: u32 = 1;

/// The largest number of games of a task.
pub(super) const TASK_GAMES: u64 = 8;

/// The largest task, in bytes.
pub(super) const MAX_TASK: usize = 1024;

/// The largest job, in bytes: its config is a few kilobytes.
pub(super) const MAX_JOB: u64 = 1 << 20;

/// The largest weights or earlier games, in bytes.
pub(super) const MAX_BLOB: u64 = 1 << 30;

/// The largest game, in bytes: what a server accepts without further settings.
pub(super) const MAX_GAME: usize = 1 << 20;

/// The header of a game's message that tells the work it took.
pub(super) const WORK: &str = "Tavoliere-Work";

/// The version of the program and of what it sends, as learner and workers must share it.
pub(super) fn version() -> String {
    format!("{}/{PROTOCOL}", env!("CARGO_PKG_VERSION"))
}

/// Whether a text can be a [`sha256`](crate::runs::digest::sha256).
pub(super) fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Some games of a job.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Task {
    /// The digest of the job.
    pub job: String,
    /// The number of the first game.
    pub first: u64,
    /// How many games follow each other.
    pub count: u64,
    /// Differs whenever the learner publishes the games again. It is part of the name of a message:
    /// the server still knows the names of games that were removed, and would drop them.
    pub attempt: u64,
}

impl Task {
    /// Reads a task.
    ///
    /// # Errors
    ///
    /// If it is none.
    pub(super) fn read(bytes: &[u8]) -> Result<Self> {
        ensure!(bytes.len() <= MAX_TASK, "a task of {} bytes is too large", bytes.len());
        let task: Self = serde_json::from_slice(bytes).context("not a task")?;
        ensure!(is_digest(&task.job), "a task without the digest of its job");
        ensure!((1..=TASK_GAMES).contains(&task.count), "a task of {} games", task.count);
        ensure!(task.first <= u64::from(u32::MAX), "a task for game {}", task.first);
        Ok(task)
    }
}

/// The games of an iteration: all that they depend on. Two jobs with the same digest have the same
/// games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Job {
    /// The [`version`] of the learner.
    pub version: String,
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

impl Job {
    /// Describes a job of the run with this config, whose blobs have these digests.
    pub(super) fn new<G: Game>(
        config: &Config,
        job: &SelfplayJob,
        weights: String,
        past: Option<String>,
    ) -> Self {
        Self {
            version: version(),
            rules_version: G::RULES_VERSION,
            config: config.to_toml(),
            iteration: job.iteration,
            weights,
            past,
            resign_below: job.resign_below.map(f32::to_bits),
        }
    }

    /// The bytes of the job, which its digest is of.
    pub(super) fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a job is plain values")
    }

    /// Reads a job and checks that this program can play its games. Returns it with its config.
    ///
    /// # Errors
    ///
    /// If it is none, is of another version, or needs an engine that this CPU lacks.
    pub(super) fn read(bytes: &[u8]) -> Result<(Self, Config)> {
        #[derive(Deserialize)]
        struct Versioned {
            version: String,
        }
        let Versioned { version: theirs } =
            serde_json::from_slice(bytes).context("not a job of self-play")?;
        ensure!(
            theirs == version(),
            "the learner has version {theirs}, this worker has {}; install the same version",
            version()
        );
        let job: Self = serde_json::from_slice(bytes).context("not a job of self-play")?;
        ensure!(
            is_digest(&job.weights) && job.past.as_deref().is_none_or(is_digest),
            "a job without the digests of its weights and games"
        );
        ensure!((1..=1 << 32).contains(&job.iteration), "a job of iteration {}", job.iteration);
        let config = Config::parse_on(DeviceName::Cpu, &job.config, "the run's config", &[])
            .context("this worker cannot play by the config of the run")?;
        Ok((job, config))
    }

    /// The limit for resignation.
    pub(super) fn resign_below(&self) -> Option<f32> {
        self.resign_below.map(f32::from_bits)
    }
}

/// The part of a config that the games of self-play depend on, for workers with this engine.
pub(super) fn config_of_games(config: &Config, engine: EngineName) -> Config {
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
pub(super) fn read_game<G: Game>(
    bytes: &[u8],
    variant: &Variant<G>,
    header: &Header,
    games: u64,
) -> Result<GameRecord> {
    ensure!(bytes.len() <= MAX_GAME, "a game of {} bytes is too large", bytes.len());
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
pub(super) struct Work([u64; 7]);

impl Work {
    /// What is counted now.
    pub(super) fn of(counters: &Counters) -> Self {
        Self(counters.work().map(|counter| counter.load(std::sync::atomic::Ordering::Relaxed)))
    }

    /// What was done after `before`.
    pub(super) fn since(self, before: Self) -> Self {
        let mut work = self;
        work.0.iter_mut().zip(before.0).for_each(|(now, then)| *now = now.saturating_sub(then));
        work
    }

    /// Adds it to the counters of the learner.
    pub(super) fn add_to(self, counters: &Counters) {
        for (counter, amount) in counters.work().into_iter().zip(self.0) {
            counter.fetch_add(amount, std::sync::atomic::Ordering::Relaxed);
        }
    }

    /// The text of a header.
    pub(super) fn text(self) -> String {
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
    use crate::runs::digest::sha256;

    fn task(text: &str) -> String {
        Task::read(text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn tasks_are_read_and_others_are_refused() {
        let job = "0".repeat(64);
        let sent = Task { job: job.clone(), first: 8, count: 8, attempt: 1 };
        assert_eq!(Task::read(&serde_json::to_vec(&sent).unwrap()).unwrap(), sent);
        let with = |first: &str, count: &str| {
            format!(r#"{{"job":"{job}","first":{first},"count":{count},"attempt":1}}"#)
        };
        for (text, reason) in [
            ("", "not a task"),
            ("\u{0}\u{ff}", "not a task"),
            ("[1]", "not a task"),
            (&with("0", "0"), "a task of 0 games"),
            (&with("0", "9"), "a task of 9 games"),
            (&with("99999999999", "8"), "a task for game 99999999999"),
            (&with("-1", "8"), "not a task"),
            (&with("0", "8").replace(&job, "../x"), "digest"),
            (&" ".repeat(2000), "too large"),
        ] {
            assert!(task(text).contains(reason), "{text:?}: {}", task(text));
        }
    }

    #[test]
    fn a_job_of_another_version_says_so_and_garbage_is_refused() {
        let error = |bytes: &[u8]| Job::read(bytes).unwrap_err().to_string();
        assert!(error(b"garbage").contains("not a job"));
        assert!(error(br#"{"version":"9.9.9/1"}"#).contains("install the same version"));
        let config = Config::parse("game = 'tic_tac_toe'", "x", &[]).unwrap();
        let job = Job {
            version: version(),
            rules_version: 1,
            config: config_of_games(&config, EngineName::Portable).to_toml(),
            iteration: 3,
            weights: sha256(b"weights"),
            past: None,
            resign_below: Some(0.25_f32.to_bits()),
        };
        let (read, read_config) = Job::read(&job.bytes()).unwrap();
        assert_eq!((&read, read.resign_below()), (&job, Some(0.25)));
        assert_eq!(read_config.inference.engine, EngineName::Portable);
        let worse = |change: fn(&mut Job)| {
            let mut job = job.clone();
            change(&mut job);
            error(&job.bytes())
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
        let [a, b] = [config, plain].map(|it| config_of_games(&it, EngineName::Portable).to_toml());
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
