//! Trained players, named by a short text: a run's folder, or `RUN@ITERATION` for one checkpoint,
//! `RUN@best` for the one that was strongest when evaluated, and behind a `?` how they search, as in `RUN@120?simulations=200&root=puct`.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::checkpoint::Run;
use crate::config::Config;
use crate::device::DeviceName;
use crate::durable::checksum;
use crate::games::AnyVariant;
use crate::infer::EngineName;
use crate::net::{self, Network, PlayEvaluator, load_weights};
use crate::opponents::SearchWishes;
use crate::search;

/// A trained network and what it plays.
#[derive(Clone, Debug)]
pub struct Trained {
    /// The text that names it, with the iteration.
    pub name: String,
    /// Its run.
    pub run: Run,
    /// The iteration of its checkpoint.
    pub iteration: u64,
    /// Checksum of its weights.
    pub weights: u32,
    /// The game.
    pub variant: AnyVariant,
    /// The search it was trained with, and what its name says otherwise.
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
    /// If there is no such run or checkpoint, or it is damaged or of rules this program no longer
    /// plays.
    pub fn load(name: &str) -> Result<Self> {
        Self::read(name).with_context(|| format!("cannot load the player `{name}`"))
    }

    fn read(name: &str) -> Result<Self> {
        let (place, wishes) = name.split_once('?').unwrap_or((name, ""));
        let SearchWishes { simulations, time, device, settings } = SearchWishes::read(wishes)?;
        let settings = [&PLAY.map(str::to_owned), settings.as_slice()].concat();
        let (folder, which) = match place.rsplit_once('@') {
            Some((folder, which)) if !Path::new(place).is_dir() => (folder, Some(which)),
            _ => (place, None),
        };
        // As a shell completes it.
        let folder = folder.trim_end_matches('/');
        let run = Run::open(Path::new(folder))?;
        let info = run.info()?;
        let variant = info.variant()?;
        let iteration = match which {
            None => run.latest()?.context("the run has no checkpoint yet")?,
            Some("best") => run.best()?.context("none of the run's networks was evaluated yet")?,
            Some(number) => number.parse().with_context(|| {
                format!("`{number}` is neither the number of a checkpoint, as in RUN@120, nor best")
            })?,
        };
        let weights = run.weights(iteration)?;
        let spec = with_variant!(&variant, variant => variant.spec());
        let network = Network::new(&spec, &info.network, &net::open(device)?);
        let network = load_weights(network, &weights)?;
        let weights = checksum(&weights);
        let config = Config::load(&run.folder().join("config.toml"), &settings)?;
        let question = if wishes.is_empty() { "" } else { "?" };
        Ok(Self {
            name: format!("{folder}@{iteration}{question}{wishes}"),
            iteration,
            weights,
            variant,
            search: config.search,
            simulations,
            time,
            engine: config.inference.engine,
            device,
            evaluator: PlayEvaluator::new(network, &spec, &config.inference)?,
            run,
        })
    }
}

/// Trained players search by upper bounds, unless their name says otherwise, however they were
/// trained: at equal simulations that plays better (docs/search.md).
const PLAY: [&str; 2] = ["search.root=puct", "search.interior=puct"];
