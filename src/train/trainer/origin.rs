//! The initial weights of a new run that starts from those of another one (`init_from`).

use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::games::Spec;
use crate::nn::Board;
use crate::nn::burn_net::{Learner, Network, cpu, weight_bytes};
use crate::nn::settings::NetworkSettings;
use crate::registry::Variant;
use crate::runs::checkpoint::Run;
use crate::runs::config::Config;
use crate::runs::exported::Exported;
use crate::runs::trained::{Location, NamedCheckpoint};
use crate::selfplay::random_play;

/// Positions of random games in which the norms of an exported player are measured.
const MEASURED: usize = 512;

/// Weights in burn's format, and where they are from.
pub(super) struct Origin {
    name: String,
    weights: Vec<u8>,
}

/// A trained player that exists, and its network.
struct Source {
    game: String,
    spec: Spec,
    network: NetworkSettings,
    place: Place,
}

/// Where its weights are.
enum Place {
    Checkpoint(NamedCheckpoint),
    Exported(Box<Exported>),
}

impl Origin {
    /// Reads the weights that `init_from` names. `None` if `init_from` is empty or the run in
    /// `folder` has a checkpoint.
    pub(super) fn of_new_run(folder: &Path, config: &Config) -> Result<Option<Self>> {
        let name = &config.init_from;
        // If `latest` is invalid, resuming fails later with a better message.
        let has_begun = Run::open(folder).is_ok_and(|run| !matches!(run.latest(), Ok(None)));
        if name.is_empty() || has_begun {
            return Ok(None);
        }
        Self::find(config).with_context(|| cannot_start(name)).map(Some)
    }

    fn find(config: &Config) -> Result<Self> {
        let source = Source::of(config)?;
        ensure!(
            source.network == config.network,
            "its network has other settings: {}, not {}; set those of [network] alike",
            shown(&source.network)?,
            shown(&config.network)?
        );
        Ok(Self { name: config.init_from.clone(), weights: source.weights(&config.variant()?)? })
    }

    /// Returns the learner with these weights.
    pub(super) fn load_into(self, learner: Learner) -> Result<Learner> {
        let learner = learner.restore(&self.weights, &[]);
        learner.with_context(|| format!("cannot start from the weights of {}", self.name))
    }
}

/// The network that a run must have to start from the weights that its config names; `None` if it
/// names none.
///
/// # Errors
///
/// If there are no such weights, or they do not fit the game.
pub(crate) fn initial_network(config: &Config) -> Result<Option<NetworkSettings>> {
    let name = &config.init_from;
    if name.is_empty() {
        return Ok(None);
    }
    let source = Source::of(config).with_context(|| cannot_start(name))?;
    Ok(Some(source.network))
}

fn cannot_start(name: &str) -> String {
    format!("`init_from`: cannot start from the weights of `{name}`")
}

impl Source {
    /// What `init_from` names, if its network fits the game of the config.
    fn of(config: &Config) -> Result<Self> {
        let source = Self::find(&config.init_from)?;
        source.expect_game(&config.game, config.variant()?.spec())?;
        Ok(source)
    }

    fn find(name: &str) -> Result<Self> {
        match Location::find(name)? {
            Location::Exported(files) => {
                let exported = Box::new(Exported::of(&files)?);
                Ok(Self {
                    game: exported.card.game.clone(),
                    spec: *exported.variant.spec(),
                    network: exported.card.network,
                    place: Place::Exported(exported),
                })
            }
            Location::Checkpoint(checkpoint) => {
                let NamedCheckpoint { folder, run, iteration } = &checkpoint;
                // The newest and the best checkpoint change while that run continues.
                ensure!(
                    name == format!("{folder}@{iteration}"),
                    "name the checkpoint with its iteration: {folder}@{iteration}"
                );
                let info = run.info()?;
                let spec = *info.variant()?.spec();
                let place = Place::Checkpoint(checkpoint);
                Ok(Self { game: info.game, spec, network: info.network, place })
            }
        }
    }

    /// Checks that its network fits a game: planes and kinds of actions must be the same. The size
    /// of the board may differ.
    fn expect_game(&self, game: &str, spec: &Spec) -> Result<()> {
        ensure!(
            self.spec.planes == spec.planes,
            "its network reads {} planes of {}, but positions of {game} have {}",
            self.spec.planes,
            self.game,
            spec.planes
        );
        ensure!(
            (self.spec.displacements, self.spec.pass) == (spec.displacements, spec.pass),
            "the actions of {} differ in kind from those of {game}",
            self.game
        );
        Ok(())
    }

    /// Its weights in burn's format, to train on a game.
    fn weights(self, variant: &Variant) -> Result<Vec<u8>> {
        match self.place {
            Place::Checkpoint(checkpoint) => checkpoint.run.weights(checkpoint.iteration),
            Place::Exported(exported) => {
                let network = Network::new(&Board::of(variant), &self.network, &cpu());
                weight_bytes(network.unfolded(&exported.weights, &observations(variant)))
            }
        }
    }
}

/// Observations of random games, `[positions, planes, height, width]`.
fn observations(variant: &Variant) -> Vec<f32> {
    let each = variant.spec().observation();
    let mut observations = vec![0.0; MEASURED * each];
    let positions = random_play::positions(variant, MEASURED);
    for (position, planes) in positions.iter().zip(observations.chunks_exact_mut(each)) {
        position.observe(planes);
    }
    observations
}

fn shown(network: &NetworkSettings) -> Result<String> {
    Ok(serde_json::to_string(network)?)
}
