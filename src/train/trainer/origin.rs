//! The initial weights of a new run that starts from a checkpoint of another run (`init_from`).

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

use crate::games::Spec;
use crate::nn::burn_net::Learner;
use crate::nn::settings::NetworkSettings;
use crate::runs::checkpoint::Run;
use crate::runs::config::Config;
use crate::runs::trained::{Location, NamedCheckpoint};

/// The weights of a checkpoint, in burn's format.
pub(super) struct Origin {
    name: String,
    weights: Vec<u8>,
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
        let origin = Self::find(config);
        origin
            .with_context(|| format!("`init_from`: cannot start from the weights of `{name}`"))
            .map(Some)
    }

    fn find(config: &Config) -> Result<Self> {
        let name = config.init_from.clone();
        let Location::Checkpoint(checkpoint) = Location::find(&name)? else {
            bail!(
                "an exported player lacks the statistics of its norms, which training needs; name \
                 a checkpoint of its run, as in RUN@120"
            )
        };
        let NamedCheckpoint { folder, run, iteration } = checkpoint;
        // The newest and the best checkpoint change while that run continues.
        ensure!(
            name == format!("{folder}@{iteration}"),
            "name the checkpoint with its iteration: {folder}@{iteration}"
        );
        let info = run.info()?;
        let spec = info.variant()?.spec();
        expect_shape(&info.game, spec, &config.game, config.variant()?.spec())?;
        ensure!(
            info.network == config.network,
            "its network has other settings: {}, not {}",
            shown(&info.network)?,
            shown(&config.network)?
        );
        Ok(Self { name, weights: run.weights(iteration)? })
    }

    /// Returns the learner with these weights.
    pub(super) fn load_into(self, learner: Learner) -> Result<Learner> {
        let learner = learner.restore(&self.weights, &[]);
        learner.with_context(|| format!("cannot start from the weights of {}", self.name))
    }
}

/// Checks that a network for one game fits another: planes and kinds of actions must be the same.
/// The size of the board may differ.
fn expect_shape(from: &str, there: &Spec, to: &str, here: &Spec) -> Result<()> {
    ensure!(
        there.planes == here.planes,
        "its network reads {} planes of {from}, but positions of {to} have {}",
        there.planes,
        here.planes
    );
    ensure!(
        (there.displacements, there.pass) == (here.displacements, here.pass),
        "the actions of {from} differ in kind from those of {to}"
    );
    Ok(())
}

fn shown(network: &NetworkSettings) -> Result<String> {
    Ok(serde_json::to_string(network)?)
}
