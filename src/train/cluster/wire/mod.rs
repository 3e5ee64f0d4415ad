//! What the learner and the workers send each other. Everything is bounded before it is decoded.

mod matches;
mod selfplay;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

pub(super) use matches::{PairResult, SentMatch, SentNetwork, SentPlayer};
pub(super) use selfplay::{SentSelfplay, WORK, Work, config_of_games, read_game};

/// The version of what is sent. Raise it whenever a game could come out differently: a change of
/// the search, of self-play, of matches or of the formats here.
const PROTOCOL: u32 = 8;

/// The largest number of games of self-play of a task, or of pairs of games of a match.
pub(super) const TASK_GAMES: u64 = 8;

/// The largest task, in bytes.
pub(super) const MAX_TASK: usize = 1024;

/// The largest job, in bytes: a config is a few kilobytes, the openings of a match are some more.
pub(super) const MAX_JOB: u64 = 1 << 20;

/// The largest weights or earlier games, in bytes.
pub(super) const MAX_BLOB: u64 = 1 << 30;

/// The largest game or pair of games, in bytes: what a server accepts without further settings.
pub(super) const MAX_RESULT: usize = 1 << 20;

/// The version of the program and of what it sends, as learner and workers must share it.
pub(super) fn version() -> String {
    format!("{}/{PROTOCOL}", env!("CARGO_PKG_VERSION"))
}

/// Whether a text can be a [`sha256`](crate::runs::digest::sha256).
pub(super) fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Some games of a job: games of self-play, or pairs of games of a match.
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

/// What the games of a task depend on. Two jobs with the same digest have the same games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Job {
    /// The [`version`] of the learner.
    version: String,
    /// The games.
    pub kind: JobKind,
}

/// The kinds of jobs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum JobKind {
    /// Games of self-play.
    Selfplay(SentSelfplay),
    /// Pairs of games of a match.
    Match(SentMatch),
}

impl Job {
    /// A job of this version.
    pub(super) fn new(kind: JobKind) -> Self {
        Self { version: version(), kind }
    }

    /// The bytes of the job, which its digest is of.
    pub(super) fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a job is plain values")
    }

    /// Reads a job.
    ///
    /// # Errors
    ///
    /// If it is none, or is of another version.
    pub(super) fn read(bytes: &[u8]) -> Result<Self> {
        #[derive(Deserialize)]
        struct Versioned {
            version: String,
        }
        let Versioned { version: theirs } = serde_json::from_slice(bytes).context("not a job")?;
        ensure!(
            theirs == version(),
            "the learner has version {theirs}, this worker has {}; install the same version",
            version()
        );
        serde_json::from_slice(bytes).context("not a job")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let unknown = format!(r#"{{"version":"{}","kind":{{"chess":1}}}}"#, version());
        assert!(error(unknown.as_bytes()).contains("not a job"));
    }
}
