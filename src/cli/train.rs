//! `tavoliere train`: starts or resumes a training run.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use burn::tensor::Device;

#[cfg(feature = "cluster")]
use super::cluster_server::ClusterOptions;
use super::planned::Planned;
use super::{Failure, at_least_one, interrupt, usage};
use crate::base::device::DeviceName;
use crate::base::duration;
#[cfg(feature = "cluster")]
use crate::base::progress;
use crate::nn::burn_net;
use crate::registry::{self, Variant};
use crate::runs::config::Config;
use crate::runs::config::presets::{self, Preset};
#[cfg(feature = "cluster")]
use crate::train::cluster::{ClusterActors, Link, RunName};
use crate::train::{Actors, Allowance, LocalActors, Stop, train};

/// Train a player by self-play, or resume a run
///
///   tavoliere train --game susan --time 30m        plans the training itself, for any game
///   tavoliere train                                lists the presets and how long they take
///   tavoliere train neutron5                       the preset of this name
///   tavoliere train susan --time 30m --set selfplay.games=64
///   tavoliere train my-susan.toml --run checkpoints/my-susan --iterations 20
///   tavoliere train checkpoints/my-susan           resumes this run, with its own config
///
/// Every iteration plays games, trains the network on them and writes a checkpoint. Ctrl-C stops; the
/// same command resumes, and so does the name of the run. A run that is stopped or killed loses at
/// most the current iteration. docs/training.md is the guide, docs/configuration.md describes the
/// keys of a config.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Config file, the name of a preset, or the folder of a run to resume
    ///
    /// The presets are the files in configs/ of the source. A file of that name is preferred.
    config: Option<PathBuf>,
    /// Game to train without a config; needs --time
    ///
    /// The program looks at the game and at this machine, and plans the rest.
    ///
    /// The plan is kept as plan.toml in the folder of the run, a config to change.
    ///
    /// A game without a preset is planned by its name alone: train my_game --time 30m.
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    game: Option<String>,
    /// Folder of the run [default: checkpoints/<name of config or game>]
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Stop after iteration N [default: `iterations` of the config]
    ///
    /// Counted from the start of the run, so a finished run has nothing left to do.
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    iterations: Option<u64>,
    /// Time of the run in all, as in 90s or 2h; +20m for 20 minutes more
    ///
    /// The learning rate schedule spans this time instead of `iterations`.
    ///
    /// The last network is evaluated within it. The same time resumes a run.
    #[arg(long)]
    time: Option<Allowance>,
    /// Stop after this time of the run, within schedules that span --time
    #[arg(long, hide = true, requires = "time", value_parser = duration::parse)]
    stage: Option<Duration>,
    /// Device of the network: cpu, cuda or wgpu
    #[arg(long, default_value_t)]
    device: DeviceName,
    /// Number of threads, from 1 to 1024 [default: one for each core]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Add a line of speeds to each iteration
    #[arg(long)]
    verbose: bool,
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    cluster: ClusterOptions,
    /// Override a key of the config, as in --set selfplay.games=100
    #[arg(long = "set", value_name = "SECTION.KEY=VALUE")]
    settings: Vec<String>,
    /// Seed of the run, as --set seed=N
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// Who plays the games.
enum PlayedBy {
    /// This process.
    ThisProcess,
    /// The workers of this run on a server.
    #[cfg(feature = "cluster")]
    Cluster(RunName, Box<Link>),
}

/// The line for a learner whose workers wait for it. The setting is no default of `--cluster`, because
/// games and weights must not depend on where the games are played.
#[cfg(feature = "cluster")]
const WORKERS_WAIT: &str =
    "workers wait while the network learns; with --set train.lag=1 they play on (docs/cluster.md)";

impl Args {
    /// Number of threads, if it is given.
    pub(super) fn threads(&self) -> Option<usize> {
        self.threads.map(|threads| threads as usize)
    }

    pub(super) fn run(self) -> Result<(), Failure> {
        let begun = Instant::now();
        usage(self.check_run())?;
        let folder = usage(self.folder())?;
        let device = burn_net::open(self.device)?;
        let config = self.in_time(usage(self.config(&folder, &device))?, &folder);
        let fits = config.search.check_memory();
        usage(fits.map_err(|(key, reason)| anyhow!("`search.{key}`: {reason}")))?;
        let variant = usage(config.variant())?;
        let played_by = self.played_by(&folder)?;
        let interrupted = Some(interrupt::listen());
        let (iterations, time, stage) = (self.iterations, self.time, self.stage);
        let stop = Stop { iterations, time, stage, begun, interrupted };
        let actors = || self.actors(played_by, variant, &config, &folder, &device);
        train(variant, &config, &folder, &device, actors, stop, self.verbose)?;
        Ok(())
    }

    /// The config with the iterations of its run, if there is one: where the time is given, they
    /// follow from it.
    fn in_time(&self, config: Config, folder: &Path) -> Config {
        let load = |_| Config::load(&folder.join("config.toml"), &[]).ok();
        match self.time.and_then(load) {
            Some(Config { iterations, .. }) => Config { iterations, ..config },
            None => config,
        }
    }

    /// Connects to the server of a cluster, if one is given, before anything is written.
    fn played_by(&self, folder: &Path) -> Result<PlayedBy, Failure> {
        #[cfg(feature = "cluster")]
        if self.cluster.is_given() {
            let run = usage(RunName::of(folder))?;
            let link = self.cluster.connect("learner")?;
            return Ok(PlayedBy::Cluster(run, Box::new(link)));
        }
        let _ = folder;
        Ok(PlayedBy::ThisProcess)
    }

    /// What plays the games.
    fn actors(
        &self,
        played_by: PlayedBy,
        variant: Variant,
        config: &Config,
        folder: &Path,
        device: &Device,
    ) -> Result<Box<dyn Actors>> {
        let _ = folder;
        match played_by {
            PlayedBy::ThisProcess => Ok(Box::new(LocalActors::new(variant, config, device))),
            #[cfg(feature = "cluster")]
            PlayedBy::Cluster(run, link) => {
                let goal = self.iterations.unwrap_or(config.iterations);
                let any = self.cluster.any_engine;
                if config.train.lag == 0 {
                    progress::say(WORKERS_WAIT);
                }
                let actors = ClusterActors::new(*link, run, variant, config, folder, goal, any)?;
                Ok(Box::new(actors))
            }
        }
    }

    /// The folder of the run that is resumed by its name, or by that of its config.
    fn named_run(&self) -> Option<&Path> {
        let path = self.config.as_deref()?;
        let is_run = |folder: &&Path| folder.join("run.json").is_file();
        match path.is_dir() {
            true => Some(path).filter(is_run).filter(|path| preset(path).is_none()),
            // With --run it is the config of another run.
            false if path.file_name()? == "config.toml" && self.run.is_none() => {
                path.parent().filter(is_run)
            }
            false => None,
        }
    }

    /// Checks that it is said what is trained, and that the run is named once.
    fn check_run(&self) -> Result<()> {
        if self.config.is_none() && self.game.is_none() {
            bail!(
                "name a config file or one of these presets, or a game and a time, as in \
                 --game susan --time 30m:\n\n{}",
                presets::list()
            );
        }
        match (self.named_run(), &self.run) {
            (Some(named), Some(run)) if named != run => bail!(
                "{} is a run, which is resumed where it is; for a new run with its config, name \
                 {}",
                named.display(),
                named.join("config.toml").display()
            ),
            _ => Ok(()),
        }
    }

    /// The name of the game, if the program is to plan its training.
    fn planned(&self) -> Option<&str> {
        if let Some(game) = &self.game {
            return Some(game);
        }
        let path = self.config.as_deref()?;
        let name = path.to_str()?;
        let is_game = registry::all().iter().any(|game| game.name == name);
        (is_game && !path.exists() && preset(path).is_none()).then_some(name)
    }

    /// The config of a training that the program plans: that of the run, or a new one.
    fn planned_config(&self, game: &str, folder: &Path, device: &Device) -> Result<Config> {
        let settings = self.all_settings();
        let planned = Planned { game, device: self.device, settings: &settings };
        if let Some(config) = planned.begun(folder)? {
            return Ok(config);
        }
        let (Allowance::Whole(time) | Allowance::More(time)) =
            self.time.context("say how long the training may take, as in --time 30m")?;
        planned.begin(time, device, folder)
    }

    fn config(&self, folder: &Path, device: &Device) -> Result<Config> {
        if let Some(game) = self.planned() {
            return self.planned_config(game, folder, device);
        }
        if let Some(run) = self.named_run() {
            return Config::load_on(self.device, &run.join("config.toml"), &self.all_settings());
        }
        let path = self.config.as_deref().unwrap_or(Path::new(""));
        if preset(path).is_some() {
            Planned::refuse(folder)?;
        }
        read_config(self.device, path, &self.all_settings())
    }

    /// The settings that override those of the config.
    fn all_settings(&self) -> Vec<String> {
        let seed = self.seed.map(|seed| format!("seed={seed}"));
        self.settings.iter().cloned().chain(seed).collect()
    }

    fn folder(&self) -> Result<PathBuf> {
        if let Some(folder) = &self.run {
            return Ok(folder.clone());
        }
        if let Some(run) = self.named_run() {
            return Ok(run.to_owned());
        }
        if let Some(game) = &self.game {
            return Ok(Path::new("checkpoints").join(game));
        }
        match self.config.as_ref().and_then(|path| path.file_stem()) {
            Some(name) => Ok(Path::new("checkpoints").join(name)),
            None => bail!("the config has no file name to name the run after; use --run DIR"),
        }
    }
}

/// Reads a config file, or the preset of this name.
pub(super) fn read_config(device: DeviceName, path: &Path, settings: &[String]) -> Result<Config> {
    if let Some(preset) = preset(path) {
        let name = preset.place();
        return Config::parse_on(device, preset.text, &name, settings);
    }
    if path.exists() && !path.is_dir() {
        return Config::load_on(device, path, settings);
    }
    let what = match path.is_dir() {
        true => "it is a folder without a run: it has no run.json",
        false => "there is no such file or preset",
    };
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let hint = match Preset::nearest(&name) {
        Some(near) => format!("there is a preset: `tavoliere train {near}`"),
        None => "`tavoliere train` lists the presets".to_owned(),
    };
    bail!("cannot read the config {}: {what}; {hint}", path.display())
}

/// The preset of this name, unless there is a file of it.
fn preset(path: &Path) -> Option<Preset> {
    Preset::find(path.to_str()?).filter(|_| !path.is_file())
}
