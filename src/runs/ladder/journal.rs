//! The log of a ladder, one JSON event a line, and the state that the events build.

use std::collections::BTreeMap;
use std::io::{BufReader, ErrorKind};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::schedule::PAIRS;
use crate::base::foreign;
use crate::base::lines::each_whole_line;
use crate::play::arena::Winner;
use crate::registry::{self, Variant};
use crate::stats::Encounter;

/// Version of the log.
const FORMAT: u32 = 3;

/// The most bytes of a line of a log or of games: a player with all its settings, or a game.
pub(super) const MOST_OF_LINE: usize = 1 << 20;

/// The most players of a ladder. Their ratings need memory for the square of this number.
const MOST_PLAYERS: usize = 2000;

/// What is fixed for the whole ladder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    /// Version of the log.
    pub format: u32,
    /// Name of the game.
    pub game: String,
    /// All options of the game.
    pub rules: Map<String, Value>,
    /// Version of the rules.
    pub rules_version: u32,
    /// Random turns at the beginning of each pair of games.
    pub opening: u32,
    /// Seed of the openings and of the players' random numbers.
    pub seed: u64,
    /// Whether openings that a prover finds decided are used too.
    pub decided: bool,
    /// Whether openings that only a longer proof search finds decided are excluded too.
    #[serde(default)]
    pub balanced: bool,
}

/// A player of the ladder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LadderPlayer {
    /// Name of the player, its spec.
    pub name: String,
    /// Checksum of everything that determines its play, in hexadecimal.
    pub checksum: String,
    /// Its checkpoint, if it was trained.
    pub training: Option<Training>,
}

/// The checkpoint of a trained player.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Training {
    /// Name of the player without the iteration; players of one run share it.
    pub run: String,
    /// Iteration of the checkpoint.
    pub iteration: u64,
    /// Seconds of training up to the checkpoint.
    pub seconds: f64,
}

/// A scheduled match: a number of pairs of games between two players.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Fixture {
    /// The player with the lower number.
    pub first: usize,
    /// The other one.
    pub second: usize,
    /// Number of the first pair's opening; the other pairs use the openings after it.
    pub opening: u64,
    /// Number of pairs of games.
    pub pairs: u64,
}

/// The two games of a pair: the first player moves first in the first of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pair {
    /// The player with the lower number.
    pub first: usize,
    /// The other one.
    pub second: usize,
    /// The number of the opening.
    pub opening: u64,
    /// Winners of the two games; `P1` moved first.
    pub winners: [Winner; 2],
}

/// A line of the log.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Event {
    /// The first line.
    Ladder(Header),
    /// A player enters.
    Player(LadderPlayer),
    /// The matches to play next; they replace the rest of earlier rounds.
    Round(Vec<Fixture>),
    /// A pair of games, in the order of the round.
    Pair(Pair),
}

/// The state of a ladder.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Journal {
    /// What is fixed for the ladder.
    pub header: Header,
    /// The players, by their numbers.
    pub players: Vec<LadderPlayer>,
    /// The pairs of games, in the order played.
    pub pairs: Vec<Pair>,
    /// The rest of the last round; the first match may have begun.
    pub plan: Vec<Fixture>,
    /// The number of pairs of games between each two players that have met.
    met: BTreeMap<[usize; 2], u64>,
}

impl Header {
    /// The header of a new ladder of `variant`.
    pub(crate) fn new(
        variant: &Variant,
        opening: u32,
        seed: u64,
        [decided, balanced]: [bool; 2],
    ) -> Self {
        let rules = variant.options();
        let (game, rules_version) = (variant.name.to_owned(), variant.rules_version());
        Self { format: FORMAT, game, rules, rules_version, opening, seed, decided, balanced }
    }

    /// The game of the ladder.
    ///
    /// # Errors
    ///
    /// If this program does not have the game, or has another version of its rules.
    pub(crate) fn variant(&self) -> Result<Variant> {
        let variant = registry::find(&self.game, &self.rules)?;
        let version = variant.rules_version();
        ensure!(
            self.rules_version == version,
            "it was played with version {} of the rules of {}, but this program has version \
             {version}; start a new ladder in another folder",
            self.rules_version,
            self.game
        );
        Ok(variant)
    }

    /// The options of the game, also those that it has got since the ladder began.
    fn all_rules(&self) -> Map<String, Value> {
        registry::with_later_options(&self.game, &self.rules)
    }

    /// Checks that a ladder with this header can be continued with the header `other`.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub(crate) fn expect(&self, other: &Self) -> Result<()> {
        let pairs = [
            ("game", Value::from(&*self.game), Value::from(&*other.game)),
            ("rules", self.all_rules().into(), other.all_rules().into()),
            ("rules version", self.rules_version.into(), other.rules_version.into()),
            ("opening", self.opening.into(), other.opening.into()),
            ("seed", self.seed.into(), other.seed.into()),
            ("decided openings", self.decided.into(), other.decided.into()),
            ("balanced openings", self.balanced.into(), other.balanced.into()),
        ];
        match pairs.into_iter().find(|(_, own, other)| own != other) {
            None => Ok(()),
            Some((what, own, other)) => {
                bail!("it was started with {what} {own}, not {other}; use another --folder")
            }
        }
    }
}

impl Event {
    /// The event as a line of the log, with its newline.
    pub(crate) fn line(&self) -> String {
        serde_json::to_string(self).expect("events are plain values") + "\n"
    }
}

impl Journal {
    /// An empty ladder.
    pub(crate) fn new(header: Header) -> Self {
        let (players, pairs, plan) = (Vec::new(), Vec::new(), Vec::new());
        Self { header, players, pairs, plan, met: BTreeMap::new() }
    }

    /// Reads a log. Returns the journal and the number of bytes of whole lines: a last line that a
    /// crash cut off is ignored. `None` if there is no log or no whole line in it.
    ///
    /// # Errors
    ///
    /// If the log cannot be read, or a whole line of it is invalid.
    pub(crate) fn read(path: &Path) -> Result<Option<(Self, u64)>> {
        let file = match foreign::open_up_to(path, foreign::GAMES) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            file => file.with_context(|| format!("cannot read {}", path.display()))?,
        };
        let (mut journal, mut whole, mut number): (Option<Self>, _, _) = (None, 0, 0);
        each_whole_line(BufReader::new(file), MOST_OF_LINE, |line, end| -> Result<()> {
            (whole, number) = (end, number + 1);
            let place = || format!("line {number} of {}", path.display());
            let event =
                serde_json::from_slice(line).with_context(|| format!("{} is damaged", place()))?;
            match (&mut journal, event) {
                (None, Event::Ladder(header)) => {
                    let format = header.format;
                    ensure!(
                        format == FORMAT,
                        "{} has format {format}, this program reads format {FORMAT}",
                        place()
                    );
                    let game = &header.game;
                    ensure!(
                        !game.contains(char::is_control),
                        "{}: the game {game:?} has control characters",
                        place()
                    );
                    journal = Some(Self::new(header));
                }
                (None, _) => bail!("{}: expected the header of a ladder", place()),
                (Some(journal), event) => journal.apply(event).with_context(place)?,
            }
            Ok(())
        })?;
        Ok(journal.map(|journal| (journal, whole)))
    }

    /// Applies an event.
    ///
    /// # Errors
    ///
    /// If the event is impossible in this state, which is then unchanged.
    pub(crate) fn apply(&mut self, event: Event) -> Result<()> {
        match event {
            Event::Ladder(_) => bail!("there is a second header"),
            Event::Player(entry) => {
                let name = &entry.name;
                ensure!(
                    !name.contains(char::is_control),
                    "the name of a player, {name:?}, has control characters"
                );
                ensure!(self.number(name).is_none(), "`{name}` has already entered");
                ensure!(
                    self.players.len() < MOST_PLAYERS,
                    "a ladder has at most {MOST_PLAYERS} players"
                );
                self.players.push(entry);
            }
            Event::Round(plan) => {
                let sane = |it: &Fixture| {
                    let known = it.first < it.second && it.second < self.players.len();
                    let next = self.pairs_between([it.first, it.second]);
                    known && it.opening == next && (1..=PAIRS).contains(&it.pairs)
                };
                ensure!(
                    plan.iter().all(sane),
                    "the round has an unknown player, a wrong opening or a wrong number of pairs"
                );
                self.plan = plan;
            }
            Event::Pair(pair) => {
                let Pair { first, second, opening, .. } = pair;
                let due = self.plan.first_mut();
                let due = due
                    .filter(|due| (due.first, due.second, due.opening) == (first, second, opening));
                let due = due.context("the pair of games is not the one that is scheduled next")?;
                (due.opening, due.pairs) = (due.opening + 1, due.pairs - 1);
                if due.pairs == 0 {
                    self.plan.remove(0);
                }
                *self.met.entry([first, second]).or_default() += 1;
                self.pairs.push(pair);
            }
        }
        Ok(())
    }

    /// The number of the player of this name, if it has entered.
    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.players.iter().position(|entry| entry.name == name)
    }

    /// Number of games played.
    pub(crate) fn games(&self) -> u64 {
        2 * self.pairs.len() as u64
    }

    /// Number of pairs of games between two players.
    pub(crate) fn pairs_between(&self, [one, two]: [usize; 2]) -> u64 {
        self.met.get(&[one.min(two), one.max(two)]).copied().unwrap_or_default()
    }

    /// The results of all games, summed by first and second player.
    pub(crate) fn encounters(&self) -> Vec<Encounter> {
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
