//! The data from which a trained player is exported.

use anyhow::{Context, Result, bail};

use super::{Location, NamedCheckpoint};
use crate::nn::conv::FoldedWeights;
use crate::nn::settings::NetworkSettings;
use crate::play::players::SearchOptions;
use crate::registry::Variant;
use crate::runs::exported::{Exported, PlayerFiles, Provenance, Training};
use crate::search;

/// Everything that the export of a trained player needs.
#[derive(Clone, Debug)]
pub struct ExportSource {
    /// The game.
    pub variant: Variant,
    /// Size of the network.
    pub network: NetworkSettings,
    /// Weights of the network.
    pub weights: FoldedWeights,
    /// The recommended search, changed by the player options.
    pub search: search::Settings,
    /// Simulations of each search, if the player options or an exported player set them.
    pub simulations: Option<u32>,
    /// How it was trained.
    pub training: Training,
    /// Config and rating curve of the training.
    pub provenance: Provenance,
    /// Licence of the player, if it is known.
    pub licence: Option<String>,
    /// Why there are no ratings although the run was evaluated.
    pub unrated: Option<String>,
}

impl ExportSource {
    /// Loads the player that the spec `name` names.
    ///
    /// # Errors
    ///
    /// As [`Trained::load`](super::Trained::load), or if an option is none of the search.
    pub fn load(name: &str) -> Result<Self> {
        let (place, options) = name.split_once('?').unwrap_or((name, ""));
        let load = || -> Result<Self> {
            let options = SearchOptions::read(options)?;
            if let Some(key) = options.beside_search() {
                bail!(
                    "`{key}` cannot be exported: a player keeps its simulations and its search; give \
                     `{key}` to the exported player"
                );
            }
            match Location::find(place)? {
                Location::Exported(files) => Self::exported(&files, &options),
                Location::Checkpoint(checkpoint) => Self::checkpoint(&checkpoint, &options),
            }
        };
        load().with_context(|| format!("cannot load the player `{name}`"))
    }

    fn exported(files: &PlayerFiles, options: &SearchOptions) -> Result<Self> {
        let exported = Exported::of(files)?;
        let provenance = exported.provenance()?;
        let search = options.search(exported.search())?;
        let Exported { card, variant, weights, .. } = exported;
        Ok(Self {
            variant,
            network: card.network,
            weights,
            search,
            simulations: options.simulations.or(Some(card.simulations)),
            training: card.training,
            provenance,
            licence: Some(card.licence),
            unrated: None,
        })
    }

    #[cfg(not(feature = "net"))]
    fn checkpoint(checkpoint: &NamedCheckpoint, _: &SearchOptions) -> Result<Self> {
        Err(checkpoint.is_unreadable())
    }

    #[cfg(feature = "net")]
    fn checkpoint(checkpoint: &NamedCheckpoint, options: &SearchOptions) -> Result<Self> {
        let info = checkpoint.run.info()?;
        let config = checkpoint.config(options)?;
        let (standing, unrated) = checkpoint.standing()?;
        let training = checkpoint.training(info.seed, &config, standing.as_ref())?;
        let curve = standing.and_then(|it| checkpoint.curve(&it)).map(|scene| scene.svg());
        let config_text = checkpoint.config_text(&training.settings_changed)?;
        let provenance = Provenance { config: Some(config_text), curve };
        let (network, _) = checkpoint.network(&info, &crate::nn::burn_net::cpu())?;
        Ok(Self {
            variant: info.variant()?,
            network: info.network,
            weights: crate::nn::burn_net::fold(&network),
            search: config.search,
            simulations: options.simulations,
            training,
            provenance,
            licence: None,
            unrated,
        })
    }
}
