//! The weights that a new run begins with, where they are another run's.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::games::Game;
use crate::games::Spec;
use crate::nn::learning::NetworkSettings;
use crate::nn::net::Learner;
use crate::runs::checkpoint::Run;
use crate::runs::config::Config;
use crate::runs::trained::{Checkpoint, Place};

/// The weights of a checkpoint, in burn's format.
pub struct Origin {
    name: String,
    weights: Vec<u8>,
}

impl Origin {
    /// What `init_from` names, for a run that has no checkpoint in `folder` yet; none if it names
    /// nothing, or the run has begun.
    pub fn of_new_run<G: Game>(folder: &Path, config: &Config) -> Result<Option<Self>> {
        let name = &config.init_from;
        // A run whose newest checkpoint cannot be told is refused later, whatever it began with.
        let has_begun = Run::open(folder).is_ok_and(|run| !matches!(run.latest(), Ok(None)));
        if name.is_empty() || has_begun {
            return Ok(None);
        }
        let origin = Self::find::<G>(config);
        origin
            .with_context(|| format!("`init_from`: cannot begin with the weights of `{name}`"))
            .map(Some)
    }

    fn find<G: Game>(config: &Config) -> Result<Self> {
        let name = config.init_from.clone();
        let Place::Checkpoint(checkpoint) = Place::find(&name)? else {
            bail!(
                "an exported player has no statistics of its norms, which learning needs; name a \
                 checkpoint of the run it is from, as in RUN@120"
            )
        };
        let Checkpoint { folder, run, iteration } = checkpoint;
        // The newest and the best are others as soon as that run goes on.
        ensure!(
            name == format!("{folder}@{iteration}"),
            "name a checkpoint by its number: {folder}@{iteration}"
        );
        let info = run.info()?;
        let spec = with_variant!(info.variant()?, variant => variant.spec());
        expect_shape(&info.game, &spec, &config.game, &G::SPEC)?;
        ensure!(
            info.network == config.network,
            "its network is another: {}, not {}",
            shown(&info.network)?,
            shown(&config.network)?
        );
        Ok(Self { name, weights: run.weights(iteration)? })
    }

    /// The learner with these weights.
    pub fn load_into(self, learner: Learner) -> Result<Learner> {
        let learner = learner.restore(&self.weights, &[]);
        learner.with_context(|| format!("cannot begin with the weights of {}", self.name))
    }
}

/// Checks that a network for one game can be used for the other; the size of the board does not
/// matter to it.
fn expect_shape(from: &str, there: &Spec, to: &str, here: &Spec) -> Result<()> {
    ensure!(
        there.planes == here.planes,
        "it reads {} planes of {from}, but positions of {to} have {}",
        there.planes,
        here.planes
    );
    ensure!(
        (there.displacements, there.pass) == (here.displacements, here.pass),
        "the actions of {from} are not of the same kinds as those of {to}"
    );
    Ok(())
}

fn shown(network: &NetworkSettings) -> Result<String> {
    Ok(serde_json::to_string(network)?)
}
