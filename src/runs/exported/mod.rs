//! Player folders: trained players for other programs, and for this one without its trainer.
//!
//! ```text
//! player.json         what a program has to know: game, planes, actions, search, training
//! model.onnx          the network for any ONNX runtime
//! model.safetensors   the same weights, norms folded in; what this program plays by
//! config.toml         what it was trained by, where that is known
//! curve.svg           its ratings over the time of training, where it was rated
//! ```
//!
//! `player.json` is written last, so that a folder that has one is whole; it has the checksums of
//! the others.

mod card;
mod json;
mod onnx;
mod provenance;
mod tensors;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use half::f16;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::card::{Actions, Card, FileFacts, Observation, Output, Rating, Training};
pub use self::provenance::Provenance;
use crate::base::durable::{checksum, write_whole};
use crate::games::Game;
use crate::games::{self, AnyVariant, Variant};
use crate::nn::conv::{Layer, Weights};
use crate::nn::learning::NetworkSettings;
use crate::runs::config::{Config, removed};
use crate::search;

/// The file that makes a folder a player.
pub const CARD: &str = "player.json";
const ONNX: &str = "model.onnx";
const TENSORS: &str = "model.safetensors";

/// How the weights are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// 32 bits, as they were trained.
    #[default]
    Full,
    /// 16 bits, 11 of them precision (IEEE 754 half).
    Half,
}

impl Precision {
    /// Numbers as they are stored, little-endian.
    fn bytes(self, numbers: &[f32]) -> Vec<u8> {
        match self {
            Self::Full => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
            Self::Half => {
                numbers.iter().flat_map(|&number| f16::from_f32(number).to_le_bytes()).collect()
            }
        }
    }
}

/// A player to be exported.
#[derive(Clone, Debug)]
pub struct Export<'a, G: Game> {
    /// The game.
    pub variant: &'a Variant<G>,
    /// Its network.
    pub weights: &'a Weights,
    /// Size of the network.
    pub network: NetworkSettings,
    /// How the weights are to be stored.
    pub precision: Precision,
    /// The recommended search.
    pub search: search::Settings,
    /// The recommended simulations for each action.
    pub simulations: u32,
    /// How it was trained.
    pub training: Training,
    /// The same, for people.
    pub provenance: Provenance,
    /// The terms under which it is given away.
    pub licence: String,
}

/// A player that was exported.
#[derive(Clone, Debug)]
pub struct Exported {
    /// What is said of it.
    pub card: Card,
    /// The game.
    pub variant: AnyVariant,
    /// Its network.
    pub weights: Weights,
    /// Checksum of the file of its weights.
    pub checksum: u32,
}

impl<G: Game> Export<'_, G> {
    /// Writes the folder, in place of an older player there.
    ///
    /// # Errors
    ///
    /// If the weights cannot be stored in that precision, or the folder cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let Self { variant, weights, precision, .. } = *self;
        ensure!(
            precision == Precision::Full || largest(weights) <= f32::from(f16::MAX),
            "a weight is too large for half precision; export in full"
        );
        let facts = [
            ("game", variant.name.to_owned()),
            ("rules", serde_json::to_string(&variant.rules)?),
            ("rules_version", G::RULES_VERSION.to_string()),
            ("licence", self.licence.clone()),
        ];
        let model = onnx::model(weights, &G::SPEC, precision, variant.name, &facts);
        let mut files = vec![(ONNX, model), (TENSORS, tensors::write(weights, precision)?)];
        for (name, text) in self.provenance.files() {
            files.extend(text.map(|text| (name, text.as_bytes().to_vec())));
        }
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        let card = folder.join(CARD);
        remove(&card)?;
        for (name, _) in self.provenance.files() {
            remove(&folder.join(name))?;
        }
        for (name, bytes) in &files {
            write(&folder.join(name), bytes)?;
        }
        write(&card, &json::text(&self.card(&files)?)?)
    }

    fn card(&self, files: &[(&str, Vec<u8>)]) -> Result<Card> {
        let Value::Object(rules) = serde_json::to_value(self.variant.rules)? else {
            bail!("the options of {} are no table", self.variant.name)
        };
        let facts = |(name, bytes): &(&str, Vec<u8>)| (String::from(*name), FileFacts::of(bytes));
        Ok(Card {
            format: card::FORMAT,
            program: format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
            game: self.variant.name.to_owned(),
            rules,
            rules_version: G::RULES_VERSION,
            licence: self.licence.clone(),
            observation: Observation::of::<G>(),
            actions: Actions::of(self.variant),
            outputs: card::outputs(G::SPEC.actions()),
            network: self.network,
            precision: self.precision,
            search: self.search,
            simulations: self.simulations,
            training: self.training.clone(),
            files: files.iter().map(facts).collect(),
        })
    }
}

impl Exported {
    /// Whether the folder is, or was to be, that of an exported player.
    pub fn is_at(folder: &Path) -> bool {
        [CARD, ONNX, TENSORS].iter().any(|name| folder.join(name).is_file())
    }

    /// What is said of the player in a folder.
    ///
    /// # Errors
    ///
    /// If that is missing, damaged or of another format.
    pub fn card(folder: &Path) -> Result<Card> {
        read_card(&folder.join(CARD))
    }

    /// Reads a player folder.
    ///
    /// # Errors
    ///
    /// If a file is missing, damaged, or of rules that this program does not play.
    pub fn read(folder: &Path) -> Result<Self> {
        let card = Self::card(folder)?;
        let path = folder.join(TENSORS);
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let found = FileFacts::of(&bytes);
        let facts = card.files.get(TENSORS);
        let facts = facts.with_context(|| format!("{CARD} does not speak of {TENSORS}"))?;
        ensure!(
            *facts == found,
            "{} is damaged, or belongs to another player: it has {} bytes and the checksum {}, \
             {CARD} says {} and {}; export the player again",
            path.display(),
            found.bytes,
            found.crc32,
            facts.bytes,
            facts.crc32
        );
        let variant = games::find(&card.game, &card.rules)?;
        let (spec, version) =
            with_variant!(variant, variant => (variant.spec(), variant.rules_version()));
        ensure!(
            card.rules_version == version,
            "it plays version {} of the rules of {}, this program version {version}",
            card.rules_version,
            card.game
        );
        let shape = [spec.planes, spec.height, spec.width];
        ensure!(
            card.observation.shape == shape,
            "{CARD} says that the network reads {:?}, but positions of {} are {shape:?}",
            card.observation.shape,
            card.game
        );
        let checked = card.network.check().and_then(|()| card.search.check());
        checked.map_err(|(key, reason)| anyhow::anyhow!("{CARD}: {key}: {reason}"))?;
        let weights = tensors::read(&bytes, &card.network, &spec)
            .with_context(|| format!("cannot use {}", path.display()))?;
        Ok(Self { card, variant, weights, checksum: checksum(&bytes) })
    }
}

impl Exported {
    /// Where the player in `folder` comes from.
    ///
    /// # Errors
    ///
    /// If a file that its card speaks of cannot be read.
    pub fn provenance(&self, folder: &Path) -> Result<Provenance> {
        Provenance::read(folder, &self.card.files)
    }

    /// The game and the recommended search, as a config says them.
    pub fn config(&self) -> Config {
        let Card { game, rules, search, .. } = &self.card;
        Config { game: game.clone(), rules: rules.clone(), search: *search, ..Config::default() }
    }
}

impl FileFacts {
    fn of(bytes: &[u8]) -> Self {
        Self { bytes: bytes.len(), crc32: format!("{:08x}", checksum(bytes)) }
    }
}

/// The largest of all weights and biases, whatever its sign.
fn largest(weights: &Weights) -> f32 {
    let numbers = |layer: &Layer| {
        let all = layer.weights.iter().chain(&layer.bias);
        all.fold(0.0_f32, |largest, number| largest.max(number.abs()))
    };
    tensors::named(weights).iter().map(|(_, layer)| numbers(layer)).fold(0.0, f32::max)
}

fn read_card(path: &Path) -> Result<Card> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut value: Value =
        serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?;
    let format = value.get("format").and_then(Value::as_u64);
    if let Some(format) = format.filter(|&format| format != u64::from(card::FORMAT)) {
        bail!("{} has format {format}, this program reads {}", path.display(), card::FORMAT);
    }
    for section in ["network", "search"] {
        removed::drop_from(&mut value, section)
            .map_err(|reason| anyhow::anyhow!("{}: {reason}", path.display()))?;
    }
    serde_json::from_value(value).with_context(|| format!("{} is damaged", path.display()))
}

/// Removes a file if it is there.
fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot replace {}", path.display()))
        }
        _ => Ok(()),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    write_whole(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
