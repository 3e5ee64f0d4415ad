//! What the journal says about a bot, for people and programs.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use serde::Serialize;

use super::games::{Game, Progress};
use super::{journal, now};

/// The state of a bot.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Status {
    /// When the server last asked something, in seconds since 1970.
    pub last_contact: Option<u64>,
    /// Games that have not ended, as far as the bot knows.
    pub games: Vec<GameStatus>,
    /// Accepted challenges whose games have not begun.
    pub accepted: usize,
    /// The last errors, the oldest first.
    pub errors: Vec<ErrorStatus>,
    /// Whether the last line of the journal is cut off, as after a crash.
    pub is_torn: bool,
}

/// A game in progress.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct GameStatus {
    /// The server's name of it.
    pub gameid: String,
    /// The game, with its variants.
    pub game: String,
    /// The number of turns before the bot's last one.
    pub turns: usize,
    /// What the bot is doing: `searching`, `sending` or `waiting` for the other player.
    pub state: &'static str,
    /// The turn, if it has been found.
    pub turn: Option<String>,
    /// When something happened in it, in seconds since 1970.
    pub changed: u64,
}

/// An error.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ErrorStatus {
    /// Seconds since 1970.
    pub time: u64,
    /// The server's name of the game.
    pub gameid: String,
    /// What failed.
    pub error: String,
}

impl Status {
    /// Reads the journal in a folder, also while a bot writes it. Games without a word for the time
    /// `idle` do not count.
    ///
    /// # Errors
    ///
    /// If there is no journal, or it is damaged.
    pub(crate) fn read(folder: &Path, idle: Duration) -> Result<Self> {
        let contents = journal::read(&journal::path_in(folder))?.with_context(|| {
            let folder = folder.display();
            format!("there is no journal in {folder}; name the folder of a bot by --journal")
        })?;
        let (games, now) = (contents.games, now());
        let errors = games.failures().map(|it| {
            let (gameid, error) = (it.gameid.clone(), it.error.clone());
            ErrorStatus { time: it.time, gameid, error }
        });
        Ok(Self {
            last_contact: games.contact(),
            games: games
                .in_progress(now, idle)
                .map(|(id, game)| GameStatus::of(id, game))
                .collect(),
            accepted: games.accepted(now, idle),
            errors: errors.collect(),
            is_torn: contents.is_torn,
        })
    }
}

impl GameStatus {
    fn of(gameid: &str, game: &Game) -> Self {
        let (state, turn) = match &game.progress {
            Progress::Waiting => ("searching", None),
            Progress::Chosen(turn) => ("sending", Some(turn.clone())),
            Progress::Settled(turn, _) => ("waiting", turn.clone()),
        };
        Self {
            gameid: gameid.to_owned(),
            game: game.of.title(),
            turns: game.moves.len(),
            state,
            turn,
            changed: game.changed,
        }
    }
}
