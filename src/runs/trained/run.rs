//! What a checkpoint's run tells of it.

use std::fs;

use anyhow::{Context, Result};
use burn::tensor::Device;

use super::Checkpoint;
use crate::base::durable::checksum;
use crate::nn::net::{Network, load_weights};
use crate::runs::checkpoint::RunInfo;
use crate::runs::config::Config;
use crate::runs::evaluation::{History, Standing};
use crate::runs::exported::{Rating, Training};
use crate::runs::metrics;
use crate::stats::chart::{Curves, Level, Point, Scene, Series, TimeUnit};

impl Checkpoint {
    /// The run's config, with the search by which its players play best.
    pub(super) fn config(&self) -> Result<Config> {
        let config = Config::load(&self.run.config_path(), &[])?;
        Ok(Config { search: config.search.for_play(), ..config })
    }

    /// The run's config as it stands in its file.
    pub(super) fn config_text(&self) -> Result<String> {
        let path = self.run.config_path();
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))
    }

    /// The network, on a device, and the checksum of its weights.
    pub(super) fn network(&self, info: &RunInfo, device: &Device) -> Result<(Network, u32)> {
        let spec = with_variant!(info.variant()?, variant => variant.spec());
        let weights = self.run.weights(self.iteration)?;
        let network = load_weights(Network::new(&spec, &info.network, device), &weights)?;
        Ok((network, checksum(&weights)))
    }

    /// How it was trained, and how it was rated.
    pub(super) fn training(
        &self,
        seed: u64,
        config: &Config,
        standing: Option<&Standing>,
    ) -> Result<Training> {
        let state = self.run.state(self.iteration)?;
        let rating = standing.and_then(|standing| standing.of(self.iteration));
        let zero = config.evaluation.panel.first();
        Ok(Training {
            run: self.run_name(),
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

    /// A picture of how strong the run's networks were up to this one, over the time of training;
    /// none if fewer than two were evaluated.
    pub(super) fn curve(&self, standing: &Standing) -> Option<Scene> {
        let rated = standing.ratings.iter().filter(|(iteration, _)| *iteration <= self.iteration);
        let timed = rated.filter_map(|&(iteration, elo)| {
            // A checkpoint that was deleted is left out.
            Some((self.run.state(iteration).ok()?.seconds, elo))
        });
        let timed: Vec<_> = timed.collect();
        let [_, .., (longest, _)] = timed[..] else { return None };
        let unit = TimeUnit::for_longest(longest);
        let point = |(seconds, y)| Point { x: unit.of_seconds(seconds), y };
        let name = self.run_name();
        let curves = Curves {
            title: format!("{name}: ratings by the run's own evaluations, 95 % intervals"),
            x_label: format!("{} of training", unit.name()),
            y_label: "Elo".to_owned(),
            series: vec![Series { name, points: timed.into_iter().map(point).collect() }],
            levels: standing.panel.iter().cloned().map(|(name, y)| Level { name, y }).collect(),
        };
        Some(curves.scene())
    }

    /// How strong its networks were, as far as they were evaluated.
    pub(super) fn standing(&self) -> Result<Option<Standing>> {
        let metrics = metrics::read(&self.run.metrics_path()).context("cannot read the metrics")?;
        Ok(History::read(&metrics).standing().ok())
    }

    fn run_name(&self) -> String {
        let name = self.run.folder().file_name().map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_default()
    }
}
