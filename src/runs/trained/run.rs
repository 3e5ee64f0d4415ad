//! Data of a checkpoint that its run holds: config, network, training and ratings.

use std::fmt::Write;

use anyhow::{Context, Result};
use burn::tensor::Device;

use super::NamedCheckpoint;
use crate::base::durable::checksum;
use crate::nn::Board;
use crate::nn::burn_net::{Network, load_weights};
use crate::play::players::SearchOptions;
use crate::runs::checkpoint::RunInfo;
use crate::runs::config::{Config, history};
use crate::runs::evaluation::{History, Standing};
use crate::runs::exported::{Changed, Rating, Training};
use crate::runs::pruning::Pruned;
use crate::stats::chart::{Curves, Level, Point, Scene, Series, TimeUnit};

impl NamedCheckpoint {
    /// The run's config, with the recommended search for play, changed by the player options.
    pub(super) fn config(&self, options: &SearchOptions) -> Result<Config> {
        // An engine is applied while it is read: this CPU may lack that of the config.
        let inference = options.inference.settings();
        let config = Config::load_with_options(&self.run.config_path(), &inference)?;
        let search = options.search(config.search.for_play().of_files())?;
        Ok(Config { search, ..config })
    }

    /// The text of the config with which the checkpoint was trained. If the settings were changed
    /// on the way, comments say so.
    pub(super) fn config_text(&self, changed: &[Changed]) -> Result<String> {
        let mut text = String::new();
        for Changed { after, keys } in changed {
            writeln!(text, "# The settings were changed after iteration {after}:")?;
            for (key, [old, new]) in keys {
                writeln!(text, "#   {key}: {old} -> {new}")?;
            }
        }
        Ok(text + &history::text_at(&self.run, self.iteration)?)
    }

    /// Loads the network onto a device; returns it with the checksum of its weights.
    pub(super) fn network(&self, info: &RunInfo, device: &Device) -> Result<(Network, u32)> {
        let board = Board::of(&info.variant()?);
        let weights = self.run.weights(self.iteration)?;
        info.network
            .expect_bytes(weights.len())
            .map_err(anyhow::Error::msg)
            .context("the weights belong to a network of another shape")?;
        let network = load_weights(Network::new(&board, &info.network, device), &weights)?;
        Ok((network, checksum(&weights)))
    }

    /// How the checkpoint was trained, with its rating if it was evaluated.
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
            settings_changed: history::changes(&self.run, self.iteration)?,
        })
    }

    /// A chart of the ratings up to this checkpoint against the time of training; `None` if fewer
    /// than two were evaluated.
    pub(super) fn curve(&self, standing: &Standing) -> Option<Scene> {
        let rated = standing.ratings.iter().filter(|(iteration, _)| *iteration <= self.iteration);
        let pruned = Pruned::of(&self.run).unwrap_or_default();
        let timed = rated.filter_map(|&(iteration, elo)| {
            let removed = pruned.checkpoint(iteration).map(|removed| removed.seconds);
            // Skip checkpoints that were deleted by somebody else.
            let seconds = removed.or_else(|| Some(self.run.state(iteration).ok()?.seconds));
            Some((seconds?, elo))
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

    /// The ratings of the run's evaluated networks. If they cannot be computed, the second value
    /// says why, unless there was no evaluation.
    pub(super) fn standing(&self) -> Result<(Option<Standing>, Option<String>)> {
        let history = History::of(&self.run)?;
        let is_evaluated = history.before(u64::MAX, |_| true).is_some();
        Ok(match history.standing() {
            Ok(standing) => (Some(standing), None),
            Err(error) => (None, is_evaluated.then(|| error.to_string())),
        })
    }

    fn run_name(&self) -> String {
        let name = self.run.folder().file_name().map(|name| name.to_string_lossy().into_owned());
        name.unwrap_or_default()
    }
}
