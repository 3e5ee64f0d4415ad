//! A record of AbstractPlay: what it has to hold, and what it says of a game.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;

use super::{dates, susan};
use crate::game::{Outcome, Side, options};
use crate::games::{self, AnyVariant};
use crate::notation::transcript::{RESIGNED, TERMINATION, option_texts};
use crate::notation::{Fault, Transcript};

/// The name of Susan there.
const SUSAN: &str = "Susan";

/// Last entries of a game that ended otherwise than by its rules, and our words for that.
const ENDINGS: [(&str, &str); 4] = [
    ("resign", RESIGNED),
    ("timeout", "time forfeit"),
    ("draw", "draw agreed"),
    ("abandoned", "abandoned"),
];

/// A record.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(in crate::notation) struct Record {
    header: Header,
    /// Rounds of a turn for each player.
    moves: Vec<Vec<Option<Move>>>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Header {
    game: Name,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    event: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    round: Option<String>,
    site: Site,
    date_start: String,
    date_end: String,
    date_generated: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pied: bool,
    players: Vec<Player>,
    /// Tags that have no place of their own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    tags: BTreeMap<String, String>,
}

/// Tags that have one, besides event and round.
const PLACED: [&str; 9] =
    ["Site", "GameId", dates::DAY, dates::STARTED, dates::ENDED, "P1", "P1Id", "P2", "P2Id"];

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Name {
    name: String,
    #[serde(default)]
    variants: Vec<String>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Site {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gameid: Option<Value>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Player {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    userid: Option<String>,
    /// Who has more has won.
    result: i64,
    /// Which of the two it is: players must differ, even if one plays against itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    side: Option<String>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(untagged, expecting = "a move is null, a text or an object with a `move`")]
enum Move {
    Text(String),
    Full {
        #[serde(rename = "move")]
        text: String,
        /// Its place in the round, where that is not its place in the list.
        #[serde(default)]
        sequence: Option<i64>,
    },
}

impl Move {
    fn text(&self) -> &str {
        let (Self::Text(text) | Self::Full { text, .. }) = self;
        text
    }

    fn sequence(&self) -> Option<i64> {
        match self {
            Self::Text(_) => None,
            Self::Full { sequence, .. } => *sequence,
        }
    }
}

// ---- writing ----

impl Record {
    /// The record of a finished game; none if it is not.
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
    let mut variants = option_texts(game);
    let name = match game.variant() {
        AnyVariant::Susan(_) => {
            variants.retain(|option| !is_notation(option));
            SUSAN
        }
        _ => game.game(),
    };
    Name { name: name.to_owned(), variants }
}

/// Whether an option is about the names of cells. Those of Susan are AbstractPlay's own in records.
fn is_notation(option: &str) -> bool {
    option.trim_start().starts_with("notation=")
}

/// Event and round; a record has both or none.
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

/// The turns in rounds, and how the game ended if the rules did not end it.
fn rounds(game: &Transcript) -> Vec<Vec<Option<Move>>> {
    let turn = |turn: &str| match game.variant() {
        AnyVariant::Susan(variant) => susan::exported(turn, variant.rules.notation),
        _ => turn.to_owned(),
    };
    let ending = game.tag(TERMINATION).and_then(|reason| {
        ENDINGS.iter().find(|(_, ours)| *ours == reason).map(|(theirs, _)| (*theirs).to_owned())
    });
    let moves: Vec<_> = game.moves().iter().map(|text| turn(text)).chain(ending).collect();
    let entry = |index: usize| moves.get(index).cloned().map(Move::Text);
    (0..moves.len()).step_by(2).map(|first| vec![entry(first), entry(first + 1)]).collect()
}

// ---- reading ----

/// The game of a record.
pub(in crate::notation) fn transcript(record: &Record) -> Result<Transcript, String> {
    let header = &record.header;
    let variant = variant_of(&header.game)?;
    let mut given: Vec<&str> = turns(&record.moves);
    let ending = given.last().and_then(|last| ENDINGS.iter().find(|(theirs, _)| theirs == last));
    if ending.is_some() {
        given.pop();
    }
    let read: Vec<String> = given.iter().map(|turn| own_turn(turn, &variant)).collect();
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

fn variant_of(game: &Name) -> Result<AnyVariant, String> {
    let name = match game.name.as_str() {
        SUSAN => "susan",
        "Entropy" => {
            let other = "`Entropy` of AbstractPlay is Eric Solomon's game, which is not known here";
            return Err(other.to_owned());
        }
        name => name,
    };
    let variants = game.variants.iter().map(String::as_str);
    let rules = options(variants.filter(|option| name != "susan" || !is_notation(option)))
        .map_err(|error| format!("variants: {error}"))?;
    games::find(name, &rules).map_err(|error| error.to_string())
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

/// A turn as we write it; unchanged where that is not known, for the rules to judge.
fn own_turn(turn: &str, variant: &AnyVariant) -> String {
    match variant {
        AnyVariant::Susan(_) => susan::imported(turn).unwrap_or_default(),
        _ => turn.to_owned(),
    }
}

fn outcome_of(players: &[Player]) -> Result<Outcome, String> {
    let [first, second] = players else {
        return Err(format!("there are {} players, not two", players.len()));
    };
    Ok(match first.result.cmp(&second.result) {
        std::cmp::Ordering::Greater => Outcome::Win(Side::P1),
        std::cmp::Ordering::Less => Outcome::Win(Side::P2),
        std::cmp::Ordering::Equal => Outcome::Draw,
    })
}

/// What else the header says. A player without a name is `?`.
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
