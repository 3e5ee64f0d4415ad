//! `tavoliere export`: a trained player as a folder that stands alone.

use std::io::{Write, stdout};
use std::path::PathBuf;

use anyhow::bail;

use super::{Failure, usage};
use crate::games::Game;
use crate::games::Variant;
use crate::play::analysis::DEFAULT_SIMULATIONS;
use crate::play::opponents::Name;
use crate::runs::exported::{Export, Precision};
use crate::runs::trained::Material;

/// Write a trained player as a folder that stands alone
///
/// It holds model.onnx for any ONNX runtime, model.safetensors with the same weights,
/// player.json, which says what both mean, config.toml, by which it was trained, and curve.svg,
/// how strong it was in the course of that. `play`, `match`, `analyze`, `engine` and `serve` take
/// the folder for a player, also where this program was built without its trainer:
///
///   tavoliere export checkpoints/neutron5@best --output players/neutron5
///   tavoliere play players/neutron5
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The player: a run, RUN@ITERATION, RUN@best, or an exported one
    ///
    /// What stands behind a `?` becomes the recommended search.
    player: String,
    /// The folder; a player that is there already is replaced
    #[arg(long, value_name = "DIR")]
    output: PathBuf,
    /// Store weights in half precision: files of half the size
    #[arg(long)]
    half: bool,
    /// The terms under which the player is given away
    #[arg(long, value_name = "TEXT")]
    licence: Option<String>,
}

impl Args {
    pub fn run(self) -> Result<(), Failure> {
        let name = match usage(self.player.parse::<Name>())? {
            Name::Search(name) => name,
            _ => {
                let player = &self.player;
                let error = anyhow::anyhow!("`{player}` has no network; export takes a run");
                return usage(Err(error));
            }
        };
        usage(self.check_folder())?;
        let material = Material::load(&name)?;
        with_variant!(material.variant, variant => self.write(&variant, &material))
    }

    /// A folder with something else in it is somebody's.
    fn check_folder(&self) -> anyhow::Result<()> {
        let Ok(mut entries) = self.output.read_dir() else { return Ok(()) };
        if entries.next().is_some() && !crate::runs::exported::Exported::is_at(&self.output) {
            bail!("{} holds something else than a player", self.output.display());
        }
        Ok(())
    }

    fn write<G: Game>(&self, variant: &Variant<G>, material: &Material) -> Result<(), Failure> {
        let licence = self.licence.clone().or_else(|| material.licence.clone());
        let export = Export {
            variant,
            weights: &material.weights,
            network: material.network,
            precision: if self.half { Precision::Half } else { Precision::Full },
            search: material.search,
            simulations: material.simulations.unwrap_or(DEFAULT_SIMULATIONS),
            training: material.training.clone(),
            provenance: material.provenance.clone(),
            licence: licence.unwrap_or_else(|| "not stated".to_owned()),
        };
        export.write(&self.output)?;
        let folder = self.output.display();
        writeln!(stdout(), "{folder}: {} for {}", material.training.run, variant.name)?;
        Ok(())
    }
}
