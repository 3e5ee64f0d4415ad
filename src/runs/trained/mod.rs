//! Trained players, loaded by their player spec.
//!
//! A spec is the folder of a run, for its newest checkpoint; `RUN@ITERATION` for another one, or
//! `RUN@best` for the one with the highest rating; the folder of an exported player; or the name of
//! a player, which is looked for in the folders of `TAVOLIERE_PLAYERS`, in `checkpoints/players`
//! below the current folder, and within the program. Player options follow a `?`, as in
//! `RUN@120?simulations=200&root=puct`.

mod evaluator;
mod export_source;
mod location;
mod named;
mod network_player;
#[cfg(feature = "net")]
mod run;

use std::sync::Arc;

use anyhow::{Context, Result, ensure};

pub use self::evaluator::PlayEvaluator;
pub use self::export_source::ExportSource;
pub(crate) use self::location::Location;
pub use self::location::NamedCheckpoint;
pub use self::named::all_named;
pub use self::network_player::NetworkPlayer;
use crate::base::device::DeviceName;
use crate::exact::book::{self, Book};
#[cfg(feature = "cluster")]
use crate::nn::conv::FoldedWeights;
use crate::nn::infer::{self, EngineName};
#[cfg(feature = "cluster")]
use crate::nn::settings::NetworkSettings;
use crate::play::players::{BookChoice, Level, SearchOptions, find_level};
use crate::registry::Variant;
use crate::runs::exported::{Exported, PlayerFiles, levels};
use crate::search::Weakening;

/// A trained player: its game, its evaluator and its search.
#[derive(Clone, Debug)]
pub struct Trained {
    /// The player spec, with the iteration.
    pub name: String,
    /// Folder of the run, which all its checkpoints share, or of the exported player; the name of a
    /// player within the program.
    pub folder: String,
    /// Iteration of the checkpoint.
    pub iteration: u64,
    /// Seconds of training up to the checkpoint.
    pub seconds: f64,
    /// Checksum of the weights.
    pub weights: u32,
    /// The game.
    pub variant: Variant,
    /// Its network and its search, changed by the player options.
    pub network: NetworkPlayer,
    /// The levels that it offers, the weakest first.
    pub levels: Vec<Level>,
    /// Arithmetic of the forward pass on the CPU.
    pub engine: EngineName,
    /// Device of the network.
    pub device: DeviceName,
    /// The model card of an exported player.
    pub(crate) card: Option<Box<crate::runs::exported::Card>>,
}

/// The book of a player; that of its game is usual for exported players.
fn book_of(choice: &BookChoice, variant: &Variant, is_exported: bool) -> Result<Option<Arc<Book>>> {
    let book = match choice {
        BookChoice::File(path) => Some(Book::open(path, variant)?),
        BookChoice::Usual if is_exported => book::shipped(variant),
        BookChoice::Usual | BookChoice::Off => None,
    };
    Ok(book.map(Arc::new))
}

impl Trained {
    /// Loads the player that the spec `name` names.
    ///
    /// # Errors
    ///
    /// If the player, run or checkpoint is missing or damaged, was trained with other rules than
    /// this program has, or its options are invalid.
    pub fn load(name: &str) -> Result<Self> {
        let (place, options) = name.split_once('?').unwrap_or((name, ""));
        let question = if options.is_empty() { "" } else { "?" };
        let load = || -> Result<Self> {
            let found = SearchOptions::read(options)?;
            let level = found.level.clone();
            let trained = match Location::find(place)? {
                Location::Exported(files) => Self::exported(&files, found),
                Location::Checkpoint(checkpoint) => Self::checkpoint(checkpoint, found),
            }?;
            let trained = match level {
                None => trained,
                Some(level) => trained.at_level(&level)?,
            };
            Ok(Self { name: format!("{}{question}{options}", trained.name), ..trained })
        };
        load().with_context(|| format!("cannot load the player `{name}`"))
    }

    /// Reads its weights again, with the size of its network.
    ///
    /// # Errors
    ///
    /// As [`Trained::load`].
    #[cfg(feature = "cluster")]
    pub(crate) fn weights(&self) -> Result<(NetworkSettings, FoldedWeights)> {
        let place = self.name.split_once('?').map_or(self.name.as_str(), |(place, _)| place);
        match Location::find(place)? {
            Location::Exported(files) => {
                let exported = Exported::of(&files)?;
                Ok((exported.card.network, exported.weights))
            }
            Location::Checkpoint(checkpoint) => {
                let info = checkpoint.run.info()?;
                let (network, _) = checkpoint.network(&info, &crate::nn::burn_net::cpu())?;
                Ok((info.network, crate::nn::burn_net::fold(&network)))
            }
        }
    }

    /// Whether its spec has player options, which set its strength.
    pub(crate) fn has_options(&self) -> bool {
        self.name.contains('?')
    }

    /// Whether noise makes it play worse than it could.
    pub(crate) fn is_weakened(&self) -> bool {
        self.network.weakening != Weakening::default()
    }

    /// This player at one of its levels, given by its number or its name.
    ///
    /// # Errors
    ///
    /// If there is no such level.
    pub(crate) fn at_level(self, level: &str) -> Result<Self> {
        let Level { simulations, proof_nodes, weakening, .. } = *find_level(&self.levels, level)?;
        // The strength of levels was measured without a policy temperature, and with the most
        // visited action.
        let mut search = self.network.search;
        search.proofs.nodes = proof_nodes;
        search.policy_temperature = 1.0;
        search.puct.lower_bound = 0.0;
        let simulations = Some(simulations);
        // Who just learnt the rules knows no book.
        let network = NetworkPlayer { simulations, search, weakening, book: None, ..self.network };
        Ok(Self { network, ..self })
    }

    /// Loads a checkpoint, with the search that its run recommends.
    ///
    /// # Errors
    ///
    /// If it is missing or damaged, or was trained with other rules than this program has.
    #[cfg(any(feature = "net", feature = "serve"))]
    pub(crate) fn of_checkpoint(checkpoint: NamedCheckpoint) -> Result<Self> {
        let name = format!("{}@{}", checkpoint.folder, checkpoint.iteration);
        let trained = SearchOptions::read("").and_then(|none| Self::checkpoint(checkpoint, none));
        trained.with_context(|| format!("cannot load the player `{name}`"))
    }

    /// The exported player of these files.
    ///
    /// # Errors
    ///
    /// As [`Trained::load`].
    pub(crate) fn of_files(files: &PlayerFiles) -> Result<Self> {
        Self::exported(files, SearchOptions::read("")?)
    }

    fn exported(files: &PlayerFiles, options: SearchOptions) -> Result<Self> {
        ensure!(
            options.device == DeviceName::Cpu,
            "an exported player runs on the CPU only; for another device, name a checkpoint of its \
             run"
        );
        let exported = Exported::of(files)?;
        let search = options.search(exported.search())?;
        let inference = options.inference.changed(infer::Settings::default())?;
        let Exported { card, variant, weights, checksum, .. } = exported;
        let name = files.to_string();
        let evaluator = PlayEvaluator::of_weights(&weights, &inference)?;
        let network = NetworkPlayer::new(evaluator, search);
        let SearchOptions { simulations, time, device, weakening, book, .. } = options;
        let book = book_of(&book, &variant, true)?;
        Ok(Self {
            folder: name.clone(),
            name,
            iteration: card.training.iteration,
            seconds: card.training.seconds,
            weights: checksum,
            variant,
            network: NetworkPlayer { simulations, time, weakening, book, ..network },
            levels: levels(files)?,
            engine: inference.engine,
            device,
            card: Some(Box::new(card)),
        })
    }

    #[cfg(not(feature = "net"))]
    fn checkpoint(checkpoint: NamedCheckpoint, _: SearchOptions) -> Result<Self> {
        Err(checkpoint.is_unreadable())
    }

    #[cfg(feature = "net")]
    fn checkpoint(checkpoint: NamedCheckpoint, options: SearchOptions) -> Result<Self> {
        let info = checkpoint.run.info()?;
        let variant = info.variant()?;
        let (network, weights) =
            checkpoint.network(&info, &crate::nn::burn_net::open(options.device)?)?;
        let config = checkpoint.config(&options)?;
        let NamedCheckpoint { folder, run, iteration } = checkpoint;
        let evaluator = PlayEvaluator::new(network, &config.inference)?;
        let network = NetworkPlayer::new(evaluator, config.search);
        let SearchOptions { simulations, time, device, weakening, book, .. } = options;
        let book = book_of(&book, &variant, false)?;
        Ok(Self {
            name: format!("{folder}@{iteration}"),
            folder,
            iteration,
            seconds: run.state(iteration)?.seconds,
            weights,
            variant,
            network: NetworkPlayer { simulations, time, weakening, book, ..network },
            levels: crate::play::players::default_levels(),
            engine: config.inference.engine,
            device,
            card: None,
        })
    }
}
