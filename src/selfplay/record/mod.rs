//! Records of self-play games: actions, results of the searches, and outcomes.
//!
//! A record contains actions, not tensors. Positions are replayed and encoded when they are sampled
//! for training, and the same file can be converted to text (`tavoliere records`).

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::base::durable::{Seal, SealError, write_whole};
use crate::base::foreign;
use crate::games::{Action, Outcome, PositionError, Text, Turn};
use crate::registry::{Position, Variant};
use crate::search::Wdl;

const SEAL: Seal = Seal { kind: "game record", magic: *b"TAVGAME\n", format: 5 };

/// An action of a game and the search that chose it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Choice {
    /// The action played.
    pub action: Action,
    /// The result of the search; `None` in openings and in the beginnings of restarts.
    pub search: Option<Searched>,
}

/// The result of the search of a position, on which the network is trained.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Searched {
    /// The policy target: actions, ascending, and their probabilities in units of 1/65535. Actions
    /// of 0 units are left out.
    pub policy: Vec<(Action, u16)>,
    /// Win, draw and loss by the search, for the side to move.
    pub value: Wdl,
    /// The relative entropy of its policy from that of the network, in nats.
    pub surprise: f32,
}

impl Searched {
    /// The target of a search. The probabilities of `policy` must sum to 1.
    pub(crate) fn new(policy: &[(Action, f32)], value: Wdl, surprise: f32) -> Self {
        let units = |share: f32| (share * f32::from(u16::MAX)).round() as u16;
        let policy = policy.iter().map(|&(action, share)| (action, units(share)));
        let policy = policy.filter(|&(_, units)| units > 0).collect();
        Self { policy, value, surprise }
    }

    /// The actions of the policy and their probabilities, which sum to 1.
    pub(crate) fn shares(&self) -> impl Iterator<Item = (Action, f32)> + '_ {
        let total: f32 = self.policy.iter().map(|&(_, units)| f32::from(units)).sum();
        self.policy.iter().map(move |&(action, units)| (action, f32::from(units) / total))
    }
}

/// A finished game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct GameRecord {
    /// Its number among the games of its iteration.
    pub index: u64,
    /// The text of the position that it began in; `None` for the start position.
    pub position: Option<String>,
    /// All actions, in order.
    pub choices: Vec<Choice>,
    /// The result.
    pub outcome: Outcome,
    /// The number of complete turns of the game.
    pub plies: u32,
    /// Whether the loser resigned.
    pub resigned: bool,
    /// Whether resignation was off in this game.
    pub played_out: bool,
}

impl GameRecord {
    /// The position that the game began in.
    ///
    /// # Panics
    ///
    /// If it is not one of the variant, in a record that was not [checked](RecordFile::check).
    pub(crate) fn start(&self, variant: &Variant) -> Position {
        self.checked_start(variant).expect("records are checked when they are read")
    }

    fn checked_start(&self, variant: &Variant) -> Result<Position, PositionError> {
        variant.position(self.position.as_deref())
    }

    /// The turns of the game as text, each with win, draw and loss for the side to move by the
    /// first search of the turn; `None` for turns without a search.
    pub(crate) fn turns(&self, variant: &Variant) -> Vec<(Text, Option<Wdl>)> {
        let mut game = self.start(variant);
        let (mut turns, mut turn, mut value) = (Vec::new(), Turn::default(), None);
        for choice in &self.choices {
            let (next, extended) = turn.extended(&game, choice.action);
            let complete = next.ply() > game.ply();
            (game, turn) = (next, extended);
            value = value.or(choice.search.as_ref().map(|search| search.value));
            if complete {
                turns.push((std::mem::take(&mut turn).text, value.take()));
            }
        }
        turns
    }
}

/// What the games of a file have in common.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    /// Name of the game.
    pub game: String,
    /// Its rule options, as JSON.
    pub rules: String,
    /// The version of its rules.
    pub rules_version: u32,
    /// The iteration of the run.
    pub iteration: u64,
    /// The seed of the run.
    pub seed: u64,
    /// The checksum of the weights that played the games; 0 for none.
    pub weights: u32,
}

impl Header {
    /// The header of games of `variant`.
    pub(crate) fn new(variant: &Variant, iteration: u64, seed: u64, weights: u32) -> Self {
        Self {
            game: variant.name.to_owned(),
            rules: variant.options_text(),
            rules_version: variant.rules_version(),
            iteration,
            seed,
            weights,
        }
    }

    /// Checks that the games are of `variant`, under the same rules.
    ///
    /// # Errors
    ///
    /// If the game, the version of its rules or its options differ.
    pub(crate) fn expect(&self, variant: &Variant) -> Result<()> {
        ensure!(self.game == variant.name, "holds games of {}, not of {}", self.game, variant.name);
        ensure!(
            self.rules_version == variant.rules_version(),
            "was made under version {} of the rules of {}, this program has version {}",
            self.rules_version,
            self.game,
            variant.rules_version()
        );
        let options = serde_json::from_str::<Map<String, Value>>(&self.rules).ok();
        let made = options.and_then(|options| variant.by_default().overridden(&options).ok());
        ensure!(
            made.is_some_and(|made| made.has_rules_of(variant)),
            "was made under other rules: {}, not {}",
            self.rules,
            variant.options_text()
        );
        Ok(())
    }
}

/// Whether these are the bytes of a file of game records, by its first bytes.
pub(crate) fn is_record(bytes: &[u8]) -> bool {
    bytes.starts_with(&SEAL.magic)
}

/// The bytes of a file with this payload, which need not be games.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn sealed(payload: &[u8]) -> Vec<u8> {
    SEAL.seal(payload)
}

/// The games of one iteration.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct RecordFile {
    /// What they have in common.
    pub header: Header,
    /// The games, by their number.
    pub games: Vec<GameRecord>,
}

impl RecordFile {
    /// Writes the file atomically.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        write_whole(path, &self.encode()?)
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// Encodes the games as the bytes of a file.
    ///
    /// # Errors
    ///
    /// If they cannot be encoded.
    pub(crate) fn encode(&self) -> Result<Vec<u8>> {
        let payload = postcard::to_stdvec(self).context("cannot encode game records")?;
        Ok(SEAL.seal(&payload))
    }

    /// Reads a file of any game.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is not such a file, or is damaged.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        Ok(Self::read_with_bytes(path)?.0)
    }

    /// The same, and the bytes of the file.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub(crate) fn read_with_bytes(path: &Path) -> Result<(Self, Vec<u8>)> {
        let name = || format!("{}", path.display());
        let bytes = match SEAL.read(path, foreign::GAMES) {
            Err(SealError::Io(error)) => {
                return Err(error).with_context(|| format!("cannot read {}", path.display()));
            }
            read => read.with_context(name)?,
        };
        Ok((Self::decode(&bytes).with_context(name)?, bytes))
    }

    /// Decodes the bytes of a file of any game.
    ///
    /// # Errors
    ///
    /// If it is not such a file, or is damaged.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self> {
        postcard::from_bytes(SEAL.open(bytes)?).context("its contents cannot be decoded")
    }

    /// Reads a file and replays every game, so that all positions sampled later are legal.
    ///
    /// # Errors
    ///
    /// Also if the games are of another variant, or one of them breaks its rules.
    pub(crate) fn read_checked(path: &Path, variant: &Variant) -> Result<Self> {
        let file = Self::read(path)?;
        file.check(variant).with_context(|| format!("{}", path.display()))?;
        Ok(file)
    }

    /// Replays every game.
    ///
    /// # Errors
    ///
    /// If the games are of another variant, or one of them breaks its rules.
    pub(crate) fn check(&self, variant: &Variant) -> Result<()> {
        self.header.expect(variant)?;
        for game in &self.games {
            check_game(game, variant).with_context(|| format!("game {}", game.index))?;
        }
        Ok(())
    }
}

fn check_game(record: &GameRecord, variant: &Variant) -> Result<()> {
    let start = record.checked_start(variant)?;
    let mut game = start;
    let mut legal = Vec::new();
    for choice in &record.choices {
        game.legal_actions(&mut legal);
        check_choice(choice, &legal)?;
        game.play(choice.action);
    }
    match (record.resigned, game.outcome()) {
        (false, outcome) if outcome != Some(record.outcome) => {
            bail!("its outcome is {:?}, but its actions lead to {outcome:?}", record.outcome)
        }
        (true, Some(outcome)) => bail!("it is marked as resigned, but ends with {outcome:?}"),
        (true, None) if record.outcome != Outcome::Win(game.to_move().other()) => {
            bail!("it is marked as resigned, but the side to move has not lost")
        }
        _ => {}
    }
    ensure!(
        !(record.resigned && record.played_out),
        "it is marked both as resigned and as played out"
    );
    let plies = game.ply() - start.ply();
    ensure!(plies == record.plies, "it has {plies} turns, not {}", record.plies);
    Ok(())
}

fn check_choice(choice: &Choice, legal: &[Action]) -> Result<()> {
    let known = |action: &Action| legal.binary_search(action).is_ok();
    ensure!(known(&choice.action), "action {} is not legal", choice.action);
    let Some(Searched { policy, value, surprise }) = &choice.search else { return Ok(()) };
    let stray = policy.iter().map(|(action, _)| action).find(|&action| !known(action));
    ensure!(stray.is_none(), "action {} is not legal", stray.unwrap_or(&choice.action));
    ensure!(policy.is_sorted_by(|a, b| a.0 < b.0), "its policy is not sorted by action");
    ensure!(policy.iter().any(|&(_, units)| units > 0), "its policy is empty");
    let total: f32 = value.iter().sum();
    let shares = value.iter().all(|part| (0.0..=1.0).contains(part));
    ensure!(shares && (total - 1.0).abs() < 1e-3, "its values {value:?} are not probabilities");
    ensure!(
        surprise.is_finite() && *surprise >= 0.0,
        "its surprise {surprise} is not a relative entropy"
    );
    Ok(())
}
