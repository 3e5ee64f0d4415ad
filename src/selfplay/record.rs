//! Records of self-play games: what was played, what the search thought, how it ended.
//!
//! A record holds moves, not tensors: positions are replayed and encoded anew when they are drawn
//! for training, and the same file can be replayed by a person.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::base::durable::{Seal, write_whole};
use crate::games::{Action, Game, Outcome, Text, Turn};
use crate::games::{Variant, overridden};
use crate::search::Wdl;

const SEAL: Seal = Seal { kind: "game record", magic: *b"TAVGAME\n", format: 3 };

/// An action of a game and the search that chose it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Choice {
    /// The action played.
    pub action: Action,
    /// What the search found; none for actions that were drawn without one.
    pub search: Option<Searched>,
}

/// What a search found out about a position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Searched {
    /// The policy it arrived at: actions, ascending, and their shares in units of 1/65535, those
    /// of no units left out.
    pub policy: Vec<(Action, u16)>,
    /// Its evaluation of the position, seen by the side to move.
    pub value: Wdl,
    /// How far its policy is from that of the network, by which it began: the relative entropy of
    /// the former from the latter, in nats.
    pub surprise: f32,
    /// Whether it is to be learnt from: true but for the short searches that earlier versions made
    /// and recorded.
    pub learn: bool,
}

impl Searched {
    /// From shares that sum to 1; to be learnt from.
    pub fn new(policy: &[(Action, f32)], value: Wdl, surprise: f32) -> Self {
        let units = |share: f32| (share * f32::from(u16::MAX)).round() as u16;
        let policy = policy.iter().map(|&(action, share)| (action, units(share)));
        let policy = policy.filter(|&(_, units)| units > 0).collect();
        Self { policy, value, surprise, learn: true }
    }

    /// The shares of its policy, which sum to 1.
    pub fn shares(&self) -> impl Iterator<Item = (Action, f32)> + '_ {
        let total: f32 = self.policy.iter().map(|&(_, units)| f32::from(units)).sum();
        self.policy.iter().map(move |&(action, units)| (action, f32::from(units) / total))
    }
}

/// A finished game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number among the games of its iteration.
    pub index: u64,
    /// Everything that was played.
    pub choices: Vec<Choice>,
    /// How it ended.
    pub outcome: Outcome,
    /// Complete turns.
    pub plies: u32,
    /// Whether it ended because the loser gave up.
    pub resigned: bool,
    /// Whether nobody was allowed to.
    pub played_out: bool,
}

impl GameRecord {
    /// The turns of the game as text, and what the first search of each thought of the position,
    /// as the side to move sees it; none for turns that were drawn without one.
    pub fn turns<G: Game>(&self, variant: &Variant<G>) -> Vec<(Text, Option<Wdl>)> {
        let mut game = variant.initial();
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
pub struct Header {
    /// Name of the game.
    pub game: String,
    /// Its options, as JSON.
    pub rules: String,
    /// Version of its rules.
    pub rules_version: u32,
    /// The iteration of the run that played them.
    pub iteration: u64,
    /// Seed of the run.
    pub seed: u64,
    /// Checksum of the weights that played them; 0 for none.
    pub weights: u32,
}

impl Header {
    /// The header of games of `variant`.
    pub fn new<G: Game>(variant: &Variant<G>, iteration: u64, seed: u64, weights: u32) -> Self {
        Self {
            game: variant.name.to_owned(),
            rules: rules_text(variant),
            rules_version: G::RULES_VERSION,
            iteration,
            seed,
            weights,
        }
    }

    /// Checks that the games are of `variant`, under the same rules.
    ///
    /// # Errors
    ///
    /// What differs.
    pub fn expect<G: Game>(&self, variant: &Variant<G>) -> Result<()> {
        ensure!(self.game == variant.name, "holds games of {}, not of {}", self.game, variant.name);
        ensure!(
            self.rules_version == G::RULES_VERSION,
            "was made under version {} of the rules of {}, this program has version {}",
            self.rules_version,
            self.game,
            G::RULES_VERSION
        );
        let options = serde_json::from_str::<Map<String, Value>>(&self.rules).ok();
        let rules = options.and_then(|options| overridden(&G::Rules::default(), &options).ok());
        ensure!(
            rules == Some(variant.rules),
            "was made under other rules: {}, not {}",
            self.rules,
            rules_text(variant)
        );
        Ok(())
    }
}

fn rules_text<G: Game>(variant: &Variant<G>) -> String {
    serde_json::to_string(&variant.rules).expect("options are plain values")
}

/// Whether this begins as a file of games does.
pub fn is_record(bytes: &[u8]) -> bool {
    bytes.starts_with(&SEAL.magic)
}

/// The games of one iteration.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct RecordFile {
    /// What they have in common.
    pub header: Header,
    /// The games, by their number.
    pub games: Vec<GameRecord>,
}

impl RecordFile {
    /// Writes the file, whole or not at all.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let payload = postcard::to_stdvec(self).context("cannot encode game records")?;
        write_whole(path, &SEAL.seal(&payload))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// Reads a file of any game.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is not such a file, or is damaged.
    pub fn read(path: &Path) -> Result<Self> {
        let name = || format!("{}", path.display());
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        Self::decode(&bytes).with_context(name)
    }

    /// Reads what a file of any game holds.
    ///
    /// # Errors
    ///
    /// If it is not such a file, or is damaged.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        postcard::from_bytes(SEAL.open(bytes)?).context("its contents make no sense")
    }

    /// Reads a file and replays every game, so that whatever is drawn from it later is legal.
    ///
    /// # Errors
    ///
    /// Also if the games are of another variant, or one of them breaks its rules.
    pub fn read_checked<G: Game>(path: &Path, variant: &Variant<G>) -> Result<Self> {
        let file = Self::read(path)?;
        file.check(variant).with_context(|| format!("{}", path.display()))?;
        Ok(file)
    }

    /// Replays every game.
    ///
    /// # Errors
    ///
    /// If the games are of another variant, or one of them breaks its rules.
    pub fn check<G: Game>(&self, variant: &Variant<G>) -> Result<()> {
        self.header.expect(variant)?;
        for game in &self.games {
            check_game(game, variant).with_context(|| format!("game {}", game.index))?;
        }
        Ok(())
    }
}

fn check_game<G: Game>(record: &GameRecord, variant: &Variant<G>) -> Result<()> {
    let mut game = variant.initial();
    let mut legal = Vec::new();
    for choice in &record.choices {
        game.legal_actions(&mut legal);
        check_choice(choice, &legal)?;
        game.play(choice.action);
    }
    match (record.resigned, game.outcome()) {
        (false, outcome) if outcome != Some(record.outcome) => {
            bail!("it is said to end with {:?}, but ends with {outcome:?}", record.outcome)
        }
        (true, Some(outcome)) => bail!("it is said to be resigned, but ends with {outcome:?}"),
        (true, None) if record.outcome != Outcome::Win(game.to_move().other()) => {
            bail!("the side to move is said to have resigned, but not to have lost")
        }
        _ => {}
    }
    ensure!(
        !(record.resigned && record.played_out),
        "it is said to be resigned, and that it was to be played out"
    );
    ensure!(game.ply() == record.plies, "it has {} turns, not {}", game.ply(), record.plies);
    Ok(())
}

fn check_choice(choice: &Choice, legal: &[Action]) -> Result<()> {
    let known = |action: &Action| legal.binary_search(action).is_ok();
    ensure!(known(&choice.action), "action {} is not legal", choice.action);
    let Some(Searched { policy, value, surprise, .. }) = &choice.search else { return Ok(()) };
    let stray = policy.iter().map(|(action, _)| action).find(|&action| !known(action));
    ensure!(stray.is_none(), "action {} is not legal", stray.unwrap_or(&choice.action));
    ensure!(policy.is_sorted_by(|a, b| a.0 < b.0), "its policy is out of order");
    ensure!(policy.iter().any(|&(_, units)| units > 0), "its policy is empty");
    let total: f32 = value.iter().sum();
    let shares = value.iter().all(|part| (0.0..=1.0).contains(part));
    ensure!(shares && (total - 1.0).abs() < 1e-3, "its values {value:?} are no chances");
    ensure!(surprise.is_finite() && *surprise >= 0.0, "its surprise {surprise} is no divergence");
    Ok(())
}
