//! The readers of a bot, for fuzzing: requests, answers, keys and journals.

use std::path::Path;

use super::client;
use super::games::Games;
use super::journal::events;
use super::key::PublicKey;
use super::players::{BotPlayers, replayed};
use super::request::Request;

/// Reads bytes as all that a bot reads.
///
/// # Panics
///
/// If the state that a journal leads to is not that of the journal which it is written to.
pub(crate) fn read(bytes: &[u8]) {
    let _ = std::str::from_utf8(bytes).map(str::parse::<PublicKey>);
    for status in [200, 500] {
        let _ = client::read(status, bytes);
    }
    if let Ok(Request::Move(request)) = Request::read(bytes)
        && let Ok(moves) = request.turns()
        && let Ok(variant) = BotPlayers::variant(&request.of)
    {
        let _ = replayed(&variant, &moves);
    }
    if let Ok((Some(_), games, _)) = events(bytes, Path::new("journal")) {
        let (entries, mut again) = (games.entries(), Games::default());
        entries.iter().for_each(|entry| again.apply(entry.time, &entry.event));
        assert_eq!(again.entries(), entries);
    }
}
