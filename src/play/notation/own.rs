//! Converts files of self-play games to transcripts.

use anyhow::{Context, Result};

use super::transcript::{RESIGNED, TERMINATION};
use super::{ReadError, Transcript};
use crate::registry::{self, Variant};
use crate::selfplay::record::{GameRecord, Header, RecordFile};

/// Parses the games of a file.
pub(super) fn read(bytes: &[u8]) -> Result<Vec<Transcript>, ReadError> {
    let file = RecordFile::decode(bytes).map_err(|error| whole(&error))?;
    let variant = variant_of(&file.header).map_err(|error| whole(&error))?;
    transcripts(&file, &variant).map_err(|error| whole(&error))
}

/// An error in the file, which has no lines.
fn whole(error: &anyhow::Error) -> ReadError {
    let reason = format!("the file of self-play games: {error:#}");
    ReadError { line: None, game: None, reason }
}

fn variant_of(header: &Header) -> Result<Variant> {
    let rules = serde_json::from_str(&header.rules).context("its options are not a JSON object")?;
    Ok(registry::find(&header.game, &rules)?)
}

fn transcripts(file: &RecordFile, variant: &Variant) -> Result<Vec<Transcript>> {
    file.check(variant)?;
    let read = |game: &GameRecord| {
        let (moves, values): (Vec<_>, Vec<_>) = game.turns(variant).into_iter().unzip();
        let transcript =
            Transcript::starting(*variant, game.position.as_deref(), &moves, Some(game.outcome))?;
        Ok(transcript.with_values(&values)?.with_tags(tags(game, &file.header))?)
    };
    file.games.iter().map(read).collect()
}

/// The other data of a game as tags.
fn tags(game: &GameRecord, header: &Header) -> Vec<(&'static str, String)> {
    let mut tags = vec![
        ("Iteration", header.iteration.to_string()),
        ("Seed", header.seed.to_string()),
        ("Index", game.index.to_string()),
    ];
    if header.weights != 0 {
        let player = format!("network {:08x}", header.weights);
        tags.extend([("P1", player.clone()), ("P2", player)]);
    }
    if game.resigned {
        tags.push((TERMINATION, RESIGNED.to_owned()));
    }
    tags
}
