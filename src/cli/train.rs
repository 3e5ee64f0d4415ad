//! `tavoliere train`: the training loop.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};

use super::{Failure, interrupt, usage};
use crate::base::device::DeviceName;
use crate::base::duration;
use crate::nn::net;
use crate::runs::config::Config;
use crate::train::{Stop, train};

/// Train a player by self-play; a run that exists is gone on with
///
/// Every iteration plays games, learns from them and writes a checkpoint. Started again on a run
/// that exists, it goes on. Ctrl-C stops it; whatever happens, at most the iteration in hand is
/// lost.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The config, as in configs/neutron5.toml
    config: PathBuf,
    /// Folder of the run [default: checkpoints/<name of the config>]
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Stop after this iteration, counted from the start of the run
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    iterations: Option<u64>,
    /// Stop after this time, as in 90s, 30m or 2h
    #[arg(long, value_parser = duration::parse)]
    time: Option<Duration>,
    /// Where the network is: cpu, cuda or wgpu
    #[arg(long, default_value_t)]
    device: DeviceName,
    /// Threads [default: all]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Change a setting of the config, as in --set selfplay.games=100
    #[arg(long = "set", value_name = "SECTION.KEY=VALUE")]
    settings: Vec<String>,
}

impl Args {
    pub fn run(self) -> Result<(), Failure> {
        let config = usage(Config::load_on(self.device, &self.config, &self.settings))?;
        let variant = usage(config.variant())?;
        let folder = usage(self.folder())?;
        let device = net::open(self.device)?;
        if let Some(threads) = self.threads {
            rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build_global()?;
        }
        let interrupted = Some(interrupt::listen()?);
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
            None => bail!("the config has no name to call the run by; use --run DIR"),
        }
    }
}
