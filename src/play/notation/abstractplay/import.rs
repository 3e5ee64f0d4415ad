//! Converts records of AbstractPlay to transcripts.

use std::cmp::Ordering;

use serde_json::Value;

use super::record::{ENDINGS, Header, Move, Name, Player, Record};
use super::{dates, games};
use crate::games::{Outcome, Side, options};
use crate::play::notation::transcript::TERMINATION;
use crate::play::notation::{Fault, Transcript};
use crate::registry::{self, Variant};

/// The game of a record.
pub(in crate::play::notation) fn transcript(record: &Record) -> Result<Transcript, String> {
    let header = &record.header;
    let variant = variant_of(&header.game)?;
    let mut given: Vec<&str> = turns(&record.moves);
    let ending = given.last().and_then(|last| ENDINGS.iter().find(|(theirs, _)| theirs == last));
    if ending.is_some() {
        given.pop();
    }
    let read: Vec<String> = given.iter().map(|turn| games::own_turn(turn, &variant)).collect();
    let outcome = outcome_of(&header.players)?;
    let text = |fault: Fault| match fault.turn() {
        Some(index) if read[index] != given[index] => {
            format!("{fault} (`{}` in the record)", given[index])
        }
        _ => fault.to_string(),
    };
    let tags = tags_of(header).into_iter();
    let tags = tags.chain(ending.map(|(_, ours)| (TERMINATION, (*ours).to_owned())));
    Transcript::new(variant, &read, Some(outcome))
        .and_then(|game| game.with_tags(&header.tags))
        .and_then(|game| game.with_tags(tags))
        .map_err(text)
}

fn variant_of(game: &Name) -> Result<Variant, String> {
    let variants: Vec<&str> = game.variants.iter().map(String::as_str).collect();
    if let Some(variant) = games::variant_of(&game.name, &variants) {
        return variant;
    }
    if game.name == "Entropy" {
        let other = "`Entropy` of AbstractPlay is Eric Solomon's game, which is not supported";
        return Err(other.to_owned());
    }
    let rules = options(variants.into_iter()).map_err(|error| format!("variants: {error}"))?;
    registry::find(&game.name, &rules).map_err(|error| error.to_string())
}

/// The turns in the order in which they were played.
fn turns(rounds: &[Vec<Option<Move>>]) -> Vec<&str> {
    let mut turns = Vec::new();
    for round in rounds {
        let mut round: Vec<&Move> = round.iter().flatten().collect();
        round.sort_by_key(|entry| entry.sequence());
        turns.extend(round.into_iter().map(Move::text));
    }
    turns
}

fn outcome_of(players: &[Player]) -> Result<Outcome, String> {
    let [first, second] = players else {
        return Err(format!("there are {} players, not two", players.len()));
    };
    Ok(match first.result.cmp(&second.result) {
        Ordering::Greater => Outcome::Win(Side::P1),
        Ordering::Less => Outcome::Win(Side::P2),
        Ordering::Equal => Outcome::Draw,
    })
}

/// The other fields of the header as tags. A player without a name is `?`.
fn tags_of(header: &Header) -> Vec<(&'static str, String)> {
    let id = header.site.gameid.as_ref().map(|id| match id {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    let started = Some(header.date_start.clone()).filter(|time| dates::is_time(time));
    let ended = Some(header.date_end.clone()).filter(|time| dates::is_time(time));
    let mut tags = vec![
        ("Event", header.event.clone()),
        ("Round", header.round.clone()),
        ("Site", Some(header.site.name.clone())),
        ("GameId", id),
        (dates::DAY, dates::day_text(&header.date_start)),
        (dates::STARTED, started),
        (dates::ENDED, ended),
    ];
    for (player, [name, id]) in header.players.iter().zip([["P1", "P1Id"], ["P2", "P2Id"]]) {
        tags.push((name, Some(player.name.clone()).filter(|name| name != "?")));
        tags.push((id, player.userid.clone()));
    }
    tags.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}
