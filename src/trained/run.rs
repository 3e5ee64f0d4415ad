//! What a checkpoint's run tells of it.

use anyhow::{Context, Result};
use burn::tensor::Device;

use super::Checkpoint;
use crate::checkpoint::RunInfo;
use crate::config::Config;
use crate::durable::checksum;
use crate::evaluation::History;
use crate::exported::{Rating, Training};
use crate::metrics;
use crate::net::{Network, load_weights};

impl Checkpoint {
    /// The run's config, with the search by which its players play best.
    pub(super) fn config(&self) -> Result<Config> {
        let config = Config::load(&self.run.folder().join("config.toml"), &[])?;
        Ok(Config { search: config.search.for_play(), ..config })
    }

    /// The network, on a device, and the checksum of its weights.
    pub(super) fn network(&self, info: &RunInfo, device: &Device) -> Result<(Network, u32)> {
        let spec = with_variant!(info.variant()?, variant => variant.spec());
        let weights = self.run.weights(self.iteration)?;
        let network = load_weights(Network::new(&spec, &info.network, device), &weights)?;
        Ok((network, checksum(&weights)))
    }

    /// How it was trained, and how it was rated.
    pub(super) fn training(&self, seed: u64, config: &Config) -> Result<Training> {
        let state = self.run.state(self.iteration)?;
        let metrics = metrics::read(&self.run.metrics_path()).context("cannot read the metrics")?;
        let standing = History::read(&metrics).standing().ok();
        let rating = standing.and_then(|standing| standing.of(self.iteration));
        let zero = config.evaluation.panel.first();
        let name = self.run.folder().file_name().map(|name| name.to_string_lossy().into_owned());
        Ok(Training {
            run: name.unwrap_or_default(),
            seed,
            iteration: self.iteration,
            steps: state.steps,
            games: state.games,
            positions: state.positions,
            seconds: state.seconds,
            rating: rating.zip(zero).map(|(rating, zero)| Rating {
                elo: rating.value,
                interval: [rating.low, rating.high],
                zero: zero.clone(),
            }),
        })
    }
}
