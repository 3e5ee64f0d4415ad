//! `tavoliere train`: starts or resumes a training run.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};

use super::{Failure, interrupt, usage};
use crate::base::device::DeviceName;
use crate::base::duration;
use crate::nn::burn_net;
use crate::runs::config::Config;
use crate::train::{Stop, train};

/// Train a player by self-play, or resume a run
///
///   tavoliere train configs/neutron5.toml
///   tavoliere train configs/susan.toml --time 30m --set selfplay.games=64
///   tavoliere train configs/susan.toml --run checkpoints/my-susan --iterations 20
///
/// Every iteration plays games, trains the network on them and writes a checkpoint. Ctrl-C stops,
/// and the same command resumes. A run that is stopped or killed loses at most the current
/// iteration. docs/training.md is the guide, docs/configuration.md describes the keys of a config.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Config file, as in configs/neutron5.toml
    config: PathBuf,
    /// Folder of the run [default: checkpoints/<name of the config>]
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Stop after iteration N [default: `iterations` of the config]
    ///
    /// Counted from the start of the run, so a finished run has nothing left to do.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    iterations: Option<u64>,
    /// Stop after this time, as in 90s, 30m or 2h
    #[arg(long, value_parser = duration::parse)]
    time: Option<Duration>,
    /// Device of the network: cpu, cuda or wgpu
    #[arg(long, default_value_t)]
    device: DeviceName,
    /// Number of threads, from 1 to 1024 [default: one for each core]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Override a key of the config, as in --set selfplay.games=100
    #[arg(long = "set", value_name = "SECTION.KEY=VALUE")]
    settings: Vec<String>,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let config = usage(Config::load_on(self.device, &self.config, &self.settings))?;
        let fits = config.search.check_memory();
        usage(fits.map_err(|(key, reason)| anyhow::anyhow!("`search.{key}`: {reason}")))?;
        let variant = usage(config.variant())?;
        let folder = usage(self.folder())?;
        let device = burn_net::open(self.device)?;
        if let Some(threads) = self.threads {
            rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build_global()?;
        }
        let interrupted = Some(interrupt::listen());
        let stop = Stop { iterations: self.iterations, time: self.time, interrupted };
        with_variant!(variant, variant => train(variant, &config, &folder, &device, stop))?;
        Ok(())
    }

    fn folder(&self) -> Result<PathBuf> {
        if let Some(folder) = &self.run {
            return Ok(folder.clone());
        }
        match self.config.file_stem() {
            Some(name) => Ok(Path::new("checkpoints").join(name)),
            None => bail!("the config has no file name to name the run after; use --run DIR"),
        }
    }
}
