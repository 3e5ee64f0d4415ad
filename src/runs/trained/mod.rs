//! Trained players, named by a short text: a run's folder, or `RUN@ITERATION` for one checkpoint,
//! `RUN@best` for the one that was strongest when evaluated; the folder of an exported player; or
//! a game's name for the player of it that comes with this program. Behind a `?` stands how they
//! search, as in `RUN@120?simulations=200&root=puct`.

mod evaluator;
mod material;
mod place;
#[cfg(feature = "net")]
mod run;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

pub use self::evaluator::PlayEvaluator;
pub use self::material::Material;
pub use self::place::{Checkpoint, Place, all_shipped};
use crate::base::device::DeviceName;
use crate::games::AnyVariant;
use crate::nn::infer::EngineName;
use crate::play::opponents::SearchOptions;
use crate::runs::config::Config;
use crate::runs::exported::Exported;
use crate::search;

/// A trained network and what it plays.
#[derive(Clone, Debug)]
pub struct Trained {
    /// The text that names it, with the iteration.
    pub name: String,
    /// What its run's other checkpoints share of the name; the folder of an exported player.
    pub folder: String,
    /// The iteration of its checkpoint.
    pub iteration: u64,
    /// Seconds of training until then.
    pub seconds: f64,
    /// Checksum of its weights.
    pub weights: u32,
    /// The game.
    pub variant: AnyVariant,
    /// The search by which it plays best, and what its name says otherwise.
    pub search: search::Settings,
    /// Simulations for each action, if its name says so.
    pub simulations: Option<u32>,
    /// Time for each turn, if its name says so.
    pub time: Option<Duration>,
    /// What computes its network.
    pub engine: EngineName,
    /// Where its network is computed.
    pub device: DeviceName,
    /// Judges positions by its network.
    pub evaluator: PlayEvaluator,
}

impl Trained {
    /// Loads the player that `name` stands for.
    ///
    /// # Errors
    ///
    /// If there is no such player, run or checkpoint, or it is damaged or of rules this program no
    /// longer plays.
    pub fn load(name: &str) -> Result<Self> {
        let (place, options) = name.split_once('?').unwrap_or((name, ""));
        let question = if options.is_empty() { "" } else { "?" };
        let load = || -> Result<Self> {
            let found = SearchOptions::read(options)?;
            let trained = match Place::find(place)? {
                Place::Exported(folder) => Self::exported(&folder, found),
                Place::Checkpoint(checkpoint) => Self::checkpoint(checkpoint, found),
            }?;
            Ok(Self { name: format!("{}{question}{options}", trained.name), ..trained })
        };
        load().with_context(|| format!("cannot load the player `{name}`"))
    }

    fn exported(folder: &Path, options: SearchOptions) -> Result<Self> {
        let SearchOptions { simulations, time, device, settings } = options;
        ensure!(
            device == DeviceName::Cpu,
            "an exported player is judged on the CPU; name a checkpoint of its run instead"
        );
        let exported = Exported::read(folder)?;
        let config = with_settings(&exported.config(), &settings)?;
        let Exported { card, variant, weights, checksum } = exported;
        let spec = with_variant!(variant, variant => variant.spec());
        let name = folder.display().to_string();
        Ok(Self {
            folder: name.clone(),
            name,
            iteration: card.training.iteration,
            seconds: card.training.seconds,
            weights: checksum,
            variant,
            search: config.search,
            simulations,
            time,
            engine: config.inference.engine,
            device,
            evaluator: PlayEvaluator::of_weights(&weights, &spec, &config.inference)?,
        })
    }

    #[cfg(not(feature = "net"))]
    fn checkpoint(checkpoint: Checkpoint, _: SearchOptions) -> Result<Self> {
        Err(checkpoint.is_unreadable())
    }

    #[cfg(feature = "net")]
    fn checkpoint(checkpoint: Checkpoint, options: SearchOptions) -> Result<Self> {
        let SearchOptions { simulations, time, device, settings } = options;
        let info = checkpoint.run.info()?;
        let variant = info.variant()?;
        let spec = with_variant!(&variant, variant => variant.spec());
        let (network, weights) = checkpoint.network(&info, &crate::nn::net::open(device)?)?;
        let config = with_settings(&checkpoint.config()?, &settings)?;
        let Checkpoint { folder, run, iteration } = checkpoint;
        Ok(Self {
            name: format!("{folder}@{iteration}"),
            folder,
            iteration,
            seconds: run.state(iteration)?.seconds,
            weights,
            variant,
            search: config.search,
            simulations,
            time,
            engine: config.inference.engine,
            device,
            evaluator: PlayEvaluator::new(network, &spec, &config.inference)?,
        })
    }
}

/// A config with what a player's name says otherwise.
fn with_settings(config: &Config, settings: &[String]) -> Result<Config> {
    Config::parse(&config.to_toml(), "the player's config", settings)
}
