//! What happened in a ladder: a line of JSON for each event, and what they add up to.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::schedule::PAIRS;
use crate::games::Game;
use crate::games::{self, AnyVariant, Variant};
use crate::play::arena::Winner;
use crate::stats::Encounter;

/// Version of the log.
const FORMAT: u32 = 2;

/// What a ladder is of; nothing of it changes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Version of the log.
    pub format: u32,
    /// Name of the game.
    pub game: String,
    /// All its options.
    pub rules: Map<String, Value>,
    /// Version of its rules.
    pub rules_version: u32,
    /// Random turns at the beginning of each pair of games.
    pub opening: u32,
    /// Names the openings and what players draw.
    pub seed: u64,
    /// Whether openings that one side wins by force are among them.
    pub decided: bool,
    /// Whether those that one side is found to win late are left out too.
    #[serde(default)]
    pub balanced: bool,
}

/// A player that has entered.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// A checksum of all that makes it play as it does, in hexadecimal.
    pub checksum: String,
    /// Where it comes from, if it was trained.
    pub training: Option<Training>,
}

/// Where a trained player comes from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Training {
    /// Its name without the iteration: what its run's other checkpoints share.
    pub run: String,
    /// The iteration of its checkpoint.
    pub iteration: u64,
    /// Seconds of training until then.
    pub seconds: f64,
}

/// A match to be played: so many pairs of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fixture {
    /// The player with the lower number.
    pub first: usize,
    /// The other one.
    pub second: usize,
    /// The number of the first pair's opening; the other pairs have those that follow.
    pub opening: u64,
    /// Pairs of games.
    pub pairs: u64,
}

/// The two games of a pair: the first player moves first in the first of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pair {
    /// The player with the lower number.
    pub first: usize,
    /// The other one.
    pub second: usize,
    /// The number of the opening.
    pub opening: u64,
    /// Who won the two games: `P1` moved first.
    pub winners: [Winner; 2],
}

/// A line of the log.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// The first line.
    Ladder(Header),
    /// A player enters.
    Player(Entry),
    /// Matches to be played next; those that are left of earlier rounds are not played any more.
    Round(Vec<Fixture>),
    /// A pair of games, in the order of the round.
    Pair(Pair),
}

/// All that is known of a ladder.
#[derive(Clone, PartialEq, Debug)]
pub struct Journal {
    /// What it is of.
    pub header: Header,
    /// Its players, by their numbers.
    pub players: Vec<Entry>,
    /// The pairs of games, in the order played.
    pub pairs: Vec<Pair>,
    /// What is left of the last round; the first match may have begun.
    pub plan: Vec<Fixture>,
}

impl Header {
    /// What a new ladder of `variant` is of.
    pub fn new<G: Game>(
        variant: &Variant<G>,
        opening: u32,
        seed: u64,
        [decided, balanced]: [bool; 2],
    ) -> Self {
        let Ok(Value::Object(rules)) = serde_json::to_value(variant.rules) else {
            unreachable!("options are written as a table")
        };
        let (game, rules_version) = (variant.name.to_owned(), G::RULES_VERSION);
        Self { format: FORMAT, game, rules, rules_version, opening, seed, decided, balanced }
    }

    /// The game that is played.
    ///
    /// # Errors
    ///
    /// If this program does not know it, or knows it under other rules.
    pub fn variant(&self) -> Result<AnyVariant> {
        let variant = games::find(&self.game, &self.rules)?;
        let version = with_variant!(&variant, variant => variant.rules_version());
        ensure!(
            self.rules_version == version,
            "it was played under version {} of the rules of {}, this program has version {version}; \
             begin a new ladder in another folder",
            self.rules_version,
            self.game
        );
        Ok(variant)
    }

    /// Checks that a ladder which is this one can go on as that one.
    ///
    /// # Errors
    ///
    /// What differs.
    pub fn expect(&self, other: &Self) -> Result<()> {
        let pairs = [
            ("game", Value::from(&*self.game), Value::from(&*other.game)),
            ("rules", self.rules.clone().into(), other.rules.clone().into()),
            ("rules version", self.rules_version.into(), other.rules_version.into()),
            ("opening", self.opening.into(), other.opening.into()),
            ("seed", self.seed.into(), other.seed.into()),
            ("decided openings", self.decided.into(), other.decided.into()),
            ("balanced openings", self.balanced.into(), other.balanced.into()),
        ];
        match pairs.into_iter().find(|(_, own, other)| own != other) {
            None => Ok(()),
            Some((what, own, other)) => bail!("was begun with {what} {own}, not {other}"),
        }
    }
}

impl Event {
    /// The event as a line.
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("events are plain values") + "\n"
    }
}

impl Journal {
    /// A ladder at its beginning.
    pub fn new(header: Header) -> Self {
        Self { header, players: Vec::new(), pairs: Vec::new(), plan: Vec::new() }
    }

    /// Reads a log, and how many bytes of it are whole lines: the last one may have been cut off
    /// by a crash, and is then left out. None if there is no log, or nothing whole in it.
    ///
    /// # Errors
    ///
    /// If it cannot be read, or a whole line of it makes no sense.
    pub fn read(path: &Path) -> Result<Option<(Self, u64)>> {
        let bytes = match fs::read(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            bytes => bytes.with_context(|| format!("cannot read {}", path.display()))?,
        };
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let mut journal: Option<Self> = None;
        for (index, line) in bytes[..whole].split_inclusive(|&byte| byte == b'\n').enumerate() {
            let place = || format!("line {} of {}", index + 1, path.display());
            let event =
                serde_json::from_slice(line).with_context(|| format!("{} is damaged", place()))?;
            match (&mut journal, event) {
                (None, Event::Ladder(header)) => {
                    let format = header.format;
                    ensure!(format == FORMAT, "{}: format {format}, not {FORMAT}", place());
                    journal = Some(Self::new(header));
                }
                (None, _) => bail!("{} should say which ladder this is", place()),
                (Some(journal), event) => journal.apply(event).with_context(place)?,
            }
        }
        Ok(journal.map(|journal| (journal, whole as u64)))
    }

    /// Takes note of an event.
    ///
    /// # Errors
    ///
    /// If it cannot have happened.
    pub fn apply(&mut self, event: Event) -> Result<()> {
        match event {
            Event::Ladder(_) => bail!("a ladder begins only once"),
            Event::Player(entry) => {
                let name = &entry.name;
                ensure!(self.number(name).is_none(), "`{name}` has entered before");
                self.players.push(entry);
            }
            Event::Round(plan) => {
                let sane = |it: &Fixture| {
                    let known = it.first < it.second && it.second < self.players.len();
                    let next = self.pairs_between([it.first, it.second]);
                    known && it.opening == next && (1..=PAIRS).contains(&it.pairs)
                };
                ensure!(plan.iter().all(sane), "it is no round between players that have entered");
                self.plan = plan;
            }
            Event::Pair(pair) => {
                let Pair { first, second, opening, .. } = pair;
                let due = self.plan.first_mut();
                let due = due
                    .filter(|due| (due.first, due.second, due.opening) == (first, second, opening));
                let due = due.context("it is not the pair of games that was due")?;
                (due.opening, due.pairs) = (due.opening + 1, due.pairs - 1);
                if due.pairs == 0 {
                    self.plan.remove(0);
                }
                self.pairs.push(pair);
            }
        }
        Ok(())
    }

    /// The number of the player of this name.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.players.iter().position(|entry| entry.name == name)
    }

    /// Games played.
    pub fn games(&self) -> u64 {
        2 * self.pairs.len() as u64
    }

    /// Pairs of games between two players.
    pub fn pairs_between(&self, [one, two]: [usize; 2]) -> u64 {
        let between = |pair: &&Pair| [pair.first, pair.second] == [one.min(two), one.max(two)];
        self.pairs.iter().filter(between).count() as u64
    }

    /// All games, added up by who played whom and who moved first.
    pub fn encounters(&self) -> Vec<Encounter> {
        let mut sums: BTreeMap<[usize; 2], [u64; 3]> = BTreeMap::new();
        for pair in &self.pairs {
            let seats = [[pair.first, pair.second], [pair.second, pair.first]];
            for (seats, winner) in seats.into_iter().zip(pair.winners) {
                let index = match winner {
                    Winner::P1 => 0,
                    Winner::Draw => 1,
                    Winner::P2 => 2,
                };
                sums.entry(seats).or_default()[index] += 1;
            }
        }
        sums.into_iter()
            .map(|([first, second], results)| Encounter { first, second, results })
            .collect()
    }
}
