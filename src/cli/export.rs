//! `tavoliere export`: writes a trained player to a self-contained folder.

use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;

use super::{Failure, usage};
use crate::base::printable::stdout;
use crate::base::progress;
use crate::play::analysis::DEFAULT_SIMULATIONS;
use crate::play::players::PlayerSpec;
use crate::runs::exported::{Export, GameFacts, Precision};
use crate::runs::trained::ExportSource;

/// Write a trained player to a self-contained folder, with an ONNX model
///
///   tavoliere export checkpoints/neutron5@best --output players/neutron5
///   tavoliere play players/neutron5
///
/// The folder holds
///
///   model.onnx          the network for any ONNX runtime
///   model.safetensors   the same weights
///   player.json         the meaning of inputs and outputs, and the recommended search
///   config.toml         the config of the training
///   curve.svg           the ratings over the training
///
/// A player that is there already is replaced at once, when the new one is complete. Other files
/// there stay.
///
/// The folder is a player for `play`, `match`, `analyze`, `engine` and `serve`, also in a program
/// that was built without the `net` feature. docs/export.md describes the files.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Trained player: a run, RUN@ITERATION, RUN@best, or an exported player
    ///
    /// Player options after a `?` become the recommended search.
    player: String,
    /// Folder to write; an exported player that is there already is replaced
    #[arg(long, value_name = "DIR")]
    output: PathBuf,
    /// Store weights in half precision, in files of half the size
    #[arg(long)]
    half: bool,
    /// Store most weights as bytes, in files of a quarter of the size
    ///
    /// The engine `int8`, the default on most CPUs, rounds them so in any case.
    #[arg(long, conflicts_with = "half")]
    bytes: bool,
    /// Leave out model.onnx, which this program does not need
    #[arg(long)]
    no_onnx: bool,
    /// Licence of the player, as text in player.json
    #[arg(long, value_name = "TEXT")]
    licence: Option<String>,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let name = match usage(self.player.parse::<PlayerSpec>())? {
            PlayerSpec::Search(name) => name,
            _ => {
                let player = &self.player;
                let error = anyhow::anyhow!(
                    "`{player}` has no network to export; name a run, RUN@ITERATION, RUN@best or \
                     an exported player"
                );
                return usage(Err(error));
            }
        };
        usage(self.check_folder())?;
        let material = ExportSource::load(&name)?;
        if let Some(reason) = &material.unrated {
            progress::say(&format!("warning: the player has no rating: {reason}"));
        }
        Ok(self.write(&material)?)
    }

    fn precision(&self) -> Precision {
        match (self.half, self.bytes) {
            (true, _) => Precision::Half,
            (_, true) => Precision::Bytes,
            _ => Precision::Full,
        }
    }

    /// Refuses a folder with other contents, which would be lost.
    fn check_folder(&self) -> anyhow::Result<()> {
        let Ok(mut entries) = self.output.read_dir() else { return Ok(()) };
        if entries.next().is_some() && !crate::runs::exported::Exported::is_at(&self.output) {
            bail!(
                "{} is not empty and holds no exported player; choose another --output",
                self.output.display()
            );
        }
        Ok(())
    }

    fn write(&self, material: &ExportSource) -> anyhow::Result<()> {
        let licence = self.licence.clone().or_else(|| material.licence.clone());
        let export = Export {
            game: GameFacts::of(&material.variant),
            weights: &material.weights,
            network: material.network,
            precision: self.precision(),
            with_onnx: !self.no_onnx,
            search: material.search,
            simulations: material.simulations.unwrap_or(DEFAULT_SIMULATIONS),
            training: material.training.clone(),
            provenance: material.provenance.clone(),
            licence: licence.unwrap_or_else(|| "not stated".to_owned()),
        };
        export.write(&self.output)?;
        let folder = self.output.display();
        writeln!(stdout(), "{folder}: {} for {}", material.training.run, material.variant.name)?;
        Ok(())
    }
}
