//! Files of format 3, all of whose games begin in the start position.

use anyhow::{Context, Result};
use serde::Deserialize;

use super::{Choice, GameRecord, Header, RecordFile, UNREADABLE};
use crate::base::durable::Seal;
use crate::games::Outcome;

pub(super) const SEAL: Seal = Seal { format: 3, ..super::SEAL };

#[derive(Deserialize)]
struct File {
    header: Header,
    games: Vec<Game>,
}

#[derive(Deserialize)]
struct Game {
    index: u64,
    choices: Vec<Choice>,
    outcome: Outcome,
    plies: u32,
    resigned: bool,
    played_out: bool,
}

impl From<Game> for GameRecord {
    fn from(game: Game) -> Self {
        let Game { index, choices, outcome, plies, resigned, played_out } = game;
        Self { index, position: None, choices, outcome, plies, resigned, played_out }
    }
}

/// Decodes the bytes of a file.
pub(super) fn decode(bytes: &[u8]) -> Result<RecordFile> {
    let File { header, games } = postcard::from_bytes(SEAL.open(bytes)?).context(UNREADABLE)?;
    Ok(RecordFile { header, games: games.into_iter().map(GameRecord::from).collect() })
}
