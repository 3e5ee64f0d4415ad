//! Converts transcripts to records of AbstractPlay.

use std::collections::BTreeMap;

use serde_json::Value;
use time::OffsetDateTime;

use super::record::{ENDINGS, Header, Move, Name, Player, Record, Site, is_notation};
use super::{dates, games};
use crate::games::{Outcome, Side};
use crate::play::notation::Transcript;
use crate::play::notation::transcript::{TERMINATION, option_texts};

/// Tags that have fields of their own in a record, in addition to event and round.
const PLACED: [&str; 9] =
    ["Site", "GameId", dates::DAY, dates::STARTED, dates::ENDED, "P1", "P1Id", "P2", "P2Id"];

impl Record {
    /// The record of a finished game; `None` if the game is not finished.
    pub(super) fn new(game: &Transcript, now: OffsetDateTime) -> Option<Self> {
        let outcome = game.outcome()?;
        let text = |name| game.tag(name).map(str::to_owned);
        let [date_start, date_end] =
            dates::times_of(game).unwrap_or_else(|| [dates::text_of(now), dates::text_of(now)]);
        let (event, round) = event_of(game).unzip();
        let header = Header {
            game: name_of(game),
            event,
            round,
            site: Site {
                name: text("Site").unwrap_or_else(|| "Tavoliere".to_owned()),
                gameid: text("GameId").map(Value::from),
            },
            date_start,
            date_end,
            date_generated: dates::text_of(now),
            pied: game.moves().iter().any(|turn| turn == "swap"),
            players: [Side::P1, Side::P2].map(|side| player(game, side, outcome)).into(),
            tags: other_tags(game),
        };
        Some(Self { header, moves: rounds(game) })
    }
}

fn name_of(game: &Transcript) -> Name {
    let mut options = option_texts(game);
    let Some((name, variants)) = games::names_of(game.variant()) else {
        return Name { name: game.game().to_owned(), variants: options };
    };
    if variants.is_empty() {
        // Susan has options that the server does not have.
        options.retain(|option| !is_notation(option));
        return Name { name: name.to_owned(), variants: options };
    }
    Name { name: name.to_owned(), variants: variants.into_iter().map(str::to_owned).collect() }
}

/// Event and round. A record has both or neither.
fn event_of(game: &Transcript) -> Option<(String, String)> {
    let text = |name| game.tag(name).map(str::to_owned);
    text("Event").zip(text("Round"))
}

fn other_tags(game: &Transcript) -> BTreeMap<String, String> {
    let is_formal = event_of(game).is_some();
    let has_place = |name: &str| match name {
        "Event" | "Round" => is_formal,
        name => PLACED.contains(&name),
    };
    let mut tags = game.tags().clone();
    tags.retain(|name, _| !has_place(name));
    tags
}

fn player(game: &Transcript, side: Side, outcome: Outcome) -> Player {
    let side_name = format!("{side:?}");
    let tag = |name: &str| game.tag(name).map(str::to_owned);
    Player {
        name: tag(&side_name).unwrap_or_else(|| "?".to_owned()),
        userid: tag(&format!("{side_name}Id")),
        result: i64::from(outcome != Outcome::Win(side.other())),
        side: Some(side_name),
    }
}

/// The turns in rounds, with an ending if the rules did not end the game.
fn rounds(game: &Transcript) -> Vec<Vec<Option<Move>>> {
    let ending = game.tag(TERMINATION).and_then(|reason| {
        ENDINGS.iter().find(|(_, ours)| *ours == reason).map(|(theirs, _)| (*theirs).to_owned())
    });
    let moves: Vec<_> = game
        .moves()
        .iter()
        .map(|turn| games::their_turn(turn, game.variant()))
        .chain(ending)
        .collect();
    let entry = |index: usize| moves.get(index).cloned().map(Move::Text);
    (0..moves.len()).step_by(2).map(|first| vec![entry(first), entry(first + 1)]).collect()
}
