//! Exported players: folders for other programs, and for this program without its trainer.
//!
//! ```text
//! player.json         model card: game, planes, actions, search, training
//! model.onnx          the network for any ONNX runtime, unless it is to be left out
//! model.safetensors   the same weights, norms folded in; this program loads them
//! config.toml         the config of the training, if it is known
//! curve.svg           the ratings over the time of training, if there are at least two
//! levels.json         the levels for people, if they were measured; an export removes those of before
//! ```
//!
//! A player that is part of the program was written without `model.onnx`. Its export makes it
//! again.
//!
//! `player.json` has the checksums of the other files. It is written last, so a folder with
//! `player.json` is complete. A new player is written aside and replaces an old one at once.

mod built_in;
mod card;
mod files;
mod json;
mod levels;
mod onnx;
mod provenance;
mod stored;
mod tensors;

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use half::f16;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use self::built_in::BuiltIn;
pub(crate) use self::card::{Card, Changed, FileFacts, GameFacts, Rating, Training};
pub(crate) use self::files::PlayerFiles;
pub(crate) use self::levels::levels;
pub(crate) use self::provenance::Provenance;
#[cfg(feature = "cluster")]
pub(crate) use self::tensors::{from_bytes as weights_from_bytes, to_bytes as weights_to_bytes};
use crate::base::durable::{checksum, write_whole};
use crate::base::foreign;
use crate::base::staged::Staged;
use crate::nn::Board;
use crate::nn::conv::{FoldedWeights, Layer};
use crate::nn::settings::NetworkSettings;
use crate::registry::{self, Variant};
use crate::search;

/// The model card.
pub(crate) const CARD: &str = "player.json";
const ONNX: &str = "model.onnx";
const TENSORS: &str = "model.safetensors";

/// Precision of the stored weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Precision {
    /// 32 bits, as they were trained.
    #[default]
    Full,
    /// 16 bits, 11 of them precision (IEEE 754 half).
    Half,
    /// 8 bits where the engine `int8` multiplies bytes: it rounds full weights to the same
    /// integers. 16 bits elsewhere.
    Bytes,
}

/// A player to be exported.
#[derive(Clone, Debug)]
pub(crate) struct Export<'a> {
    /// The game.
    pub game: GameFacts,
    /// Weights of the network.
    pub weights: &'a FoldedWeights,
    /// Size of the network.
    pub network: NetworkSettings,
    /// Precision of the stored weights.
    pub precision: Precision,
    /// Whether to write the model for ONNX runtimes.
    pub with_onnx: bool,
    /// The recommended search.
    pub search: search::Settings,
    /// The recommended simulations for each turn.
    pub simulations: u32,
    /// How it was trained.
    pub training: Training,
    /// Config and rating curve of the training.
    pub provenance: Provenance,
    /// Licence of the player.
    pub licence: String,
}

/// An exported player.
#[derive(Clone, Debug)]
pub(crate) struct Exported {
    /// The contents of `player.json`.
    pub card: Card,
    /// The game.
    pub variant: Variant,
    /// Weights of the network.
    pub weights: FoldedWeights,
    /// Checksum of the file of the weights.
    pub checksum: u32,
    files: PlayerFiles,
}

impl Export<'_> {
    /// Writes the folder. A player that is there is replaced as a whole; other files there stay.
    ///
    /// # Errors
    ///
    /// If a weight is too large for the precision, or the folder cannot be written. A player that
    /// is there is unchanged then.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        let Self { weights, precision, .. } = *self;
        ensure!(
            precision == Precision::Full || largest(weights) <= f32::from(f16::MAX),
            "a weight is too large for 16 bits; export in full precision"
        );
        let mut files = vec![(TENSORS, tensors::write(weights, precision)?)];
        files.extend(self.with_onnx.then(|| (ONNX, self.onnx())));
        for (name, text) in self.provenance.files() {
            files.extend(text.map(|text| (name, text.as_bytes().to_vec())));
        }
        files.push((CARD, json::text(&self.card(&files)?)?));
        if folder.is_dir() && !folder.join(CARD).exists() {
            // There is no player to lose. The folder may be a mount point, which cannot be renamed.
            return write_to(folder, &files);
        }
        self.replace(folder, &files)
    }

    fn onnx(&self) -> Vec<u8> {
        let game = &self.game;
        let facts = [
            ("game", game.name.to_owned()),
            ("rules", game.rules_json.clone()),
            ("rules_version", game.rules_version.to_string()),
            ("licence", self.licence.clone()),
        ];
        onnx::model(self.weights, self.precision, game.name, &facts)
    }

    /// Writes the files aside, then puts them in the place of the folder's, all at once.
    fn replace(&self, folder: &Path, files: &[(&str, Vec<u8>)]) -> Result<()> {
        let staged =
            Staged::begin(folder).with_context(|| format!("cannot write {}", folder.display()))?;
        write_to(staged.path(), files)?;
        let provenance = self.provenance.files().map(|(name, _)| name);
        // The levels that were measured are those of another network.
        let own = [&provenance[..], &[CARD, ONNX, TENSORS, levels::LEVELS]].concat();
        staged.keep_others(&own).and_then(|()| staged.commit()).with_context(|| {
            format!("cannot replace {}; what was there is unchanged", folder.display())
        })
    }

    fn card(&self, files: &[(&str, Vec<u8>)]) -> Result<Card> {
        let game = &self.game;
        let facts = |(name, bytes): &(&str, Vec<u8>)| (String::from(*name), FileFacts::of(bytes));
        Ok(Card {
            format: card::FORMAT,
            program: format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
            game: game.name.to_owned(),
            rules: game.rules.clone(),
            rules_version: game.rules_version,
            licence: self.licence.clone(),
            observation: game.observation.clone(),
            actions: game.actions.clone(),
            outputs: card::outputs(game.spec.actions()),
            network: self.network,
            computed_cells: Some(self.weights.board.cells().len()),
            precision: self.precision,
            search: self.search,
            simulations: self.simulations,
            training: self.training.clone(),
            files: files.iter().map(facts).collect(),
        })
    }
}

impl Exported {
    /// Returns whether the folder has a file of an exported player, even an incomplete one.
    pub(crate) fn is_at(folder: &Path) -> bool {
        [CARD, ONNX, TENSORS].iter().any(|name| folder.join(name).is_file())
    }

    /// The names and contents of the files that a player needs to play.
    ///
    /// # Errors
    ///
    /// If one cannot be read.
    #[cfg(feature = "serve")]
    pub(crate) fn files_to_play(&self) -> Result<Vec<(&'static str, Vec<u8>)>> {
        let names = [CARD, TENSORS, levels::LEVELS].into_iter();
        let most = |name| match name {
            TENSORS => self.card.network.most_bytes(),
            _ => foreign::LIST,
        };
        let read = |name| Ok((name, self.files.read(name, most(name))?.into_owned()));
        names.filter(|name| self.files.has(name)).map(read).collect()
    }

    /// Reads a player folder.
    ///
    /// # Errors
    ///
    /// As [`of`](Self::of).
    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        Self::of(&PlayerFiles::Folder(folder.to_owned()))
    }

    /// Reads a player.
    ///
    /// # Errors
    ///
    /// If a file is missing or damaged, or if this program does not have the game or has another
    /// version of its rules.
    pub(crate) fn of(files: &PlayerFiles) -> Result<Self> {
        let card = read_card(files)?;
        let path = files.path_of(TENSORS);
        let bytes = files.read(TENSORS, card.network.most_bytes())?;
        let found = FileFacts::of(&bytes);
        let facts = card.files.get(TENSORS);
        let facts = facts.with_context(|| format!("{CARD} does not list {TENSORS}"))?;
        ensure!(
            *facts == found,
            "{path} is damaged, or belongs to another player: it has {} bytes and the checksum {}, \
             but {CARD} lists {} bytes and {}; export the player again",
            found.bytes,
            found.crc32,
            facts.bytes,
            facts.crc32
        );
        let variant = registry::find(&card.game, &card.rules)?;
        let (spec, version) = (variant.spec(), variant.rules_version());
        ensure!(
            card.rules_version == version,
            "it was trained with version {} of the rules of {}, but this program has version \
             {version}; use a player trained with these rules",
            card.rules_version,
            card.game
        );
        let shape = [spec.planes, spec.height, spec.width];
        ensure!(
            card.observation.shape == shape,
            "{CARD} has observations of the shape {:?}, but those of {} have {shape:?}",
            card.observation.shape,
            card.game
        );
        let checked = card.network.check().and_then(|()| card.search.check());
        checked.map_err(|(key, reason)| anyhow::anyhow!("{CARD}: {key}: {reason}"))?;
        let board = Board::of(&variant);
        board.check_computed(card.computed_cells).map_err(anyhow::Error::msg)?;
        let weights = tensors::read(&bytes, &card.network, &board)
            .with_context(|| format!("cannot use {path}"))?;
        Ok(Self { card, variant, weights, checksum: checksum(&bytes), files: files.clone() })
    }
}

impl Exported {
    /// Reads the config and the rating curve of the player, if its card lists them.
    ///
    /// # Errors
    ///
    /// If a listed file cannot be read.
    pub(crate) fn provenance(&self) -> Result<Provenance> {
        Provenance::read(&self.files, &self.card.files)
    }

    /// The recommended search, as far as foreign files can ask for it.
    pub(crate) fn search(&self) -> search::Settings {
        self.card.search.of_files()
    }
}

impl FileFacts {
    fn of(bytes: &[u8]) -> Self {
        Self { bytes: bytes.len(), crc32: format!("{:08x}", checksum(bytes)) }
    }
}

/// The largest absolute value of all weights and biases.
fn largest(weights: &FoldedWeights) -> f32 {
    let numbers = |layer: &Layer| {
        let all = layer.weights.iter().chain(&layer.bias);
        all.fold(0.0_f32, |largest, number| largest.max(number.abs()))
    };
    tensors::named(weights).iter().map(|named| numbers(named.layer)).fold(0.0, f32::max)
}

/// Reads `player.json`.
fn read_card(files: &PlayerFiles) -> Result<Card> {
    let (text, path) = (files.read_text(CARD)?, files.path_of(CARD));
    let value: Value = serde_json::from_str(&text).with_context(|| format!("{path} is damaged"))?;
    let format = value.get("format").and_then(Value::as_u64);
    if let Some(format) = format.filter(|&format| format != u64::from(card::FORMAT)) {
        bail!("{path} has format {format}, this program reads format {}", card::FORMAT);
    }
    serde_json::from_value(value).with_context(|| format!("{path} is damaged"))
}

/// Writes files to a folder, in this order.
fn write_to(folder: &Path, files: &[(&str, Vec<u8>)]) -> Result<()> {
    files.iter().try_for_each(|(name, bytes)| {
        let path = folder.join(name);
        write_whole(&path, bytes).with_context(|| format!("cannot write {}", path.display()))
    })
}
