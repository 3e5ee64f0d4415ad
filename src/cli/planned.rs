//! The config of a training that the program plans itself: for a game and a time.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use burn::tensor::Device;

use crate::base::device::DeviceName;
use crate::base::durable::write_whole;
use crate::base::duration;
use crate::base::progress;
use crate::recipe::look::Look;
use crate::recipe::plan::{Plan, is_enough, plan, sizes};
use crate::recipe::speeds;
use crate::runs::config::Config;
use crate::train::initial_network;

/// The file of a plan in the folder of a run.
const PLAN: &str = "plan.toml";

/// How long each speed is measured: a small part of the training's time.
const LEAST: Duration = Duration::from_millis(40);
const MOST: Duration = Duration::from_millis(250);

/// A training to plan.
pub(super) struct Planned<'a> {
    pub game: &'a str,
    pub device: DeviceName,
    pub settings: &'a [String],
}

impl Planned<'_> {
    /// Refuses the folder of a run that was planned, to train by a preset.
    pub(super) fn refuse(folder: &Path) -> Result<()> {
        if plan_of(folder).is_file() {
            bail!(
                "{} is a run that the program planned; resume it by `tavoliere train {}`, or name \
                 another folder with --run",
                folder.display(),
                folder.display()
            );
        }
        Ok(())
    }

    /// The config of the run that is in the folder already, if there is one. That of a run which
    /// was killed before it wrote its config is the plan.
    pub(super) fn begun(&self, folder: &Path) -> Result<Option<Config>> {
        let has = |name: &str| folder.join(name).is_file();
        let config = match (has("config.toml"), has("run.json") && has(PLAN)) {
            (true, _) => folder.join("config.toml"),
            (false, true) => plan_of(folder),
            (false, false) => return Ok(None),
        };
        if !plan_of(folder).is_file() {
            bail!(
                "{} is a run of a config that was not planned; name another folder with --run",
                folder.display()
            );
        }
        let config = Config::load_on(self.device, &config, self.settings)?;
        if config.game != self.game {
            bail!(
                "{} is a run of {}, not of {}; name another folder with --run",
                folder.display(),
                config.game,
                self.game
            );
        }
        Ok(Some(config))
    }

    /// Plans a new run, prints the plan and writes it into the folder.
    pub(super) fn begin(&self, time: Duration, device: &Device, folder: &Path) -> Result<Config> {
        let game = format!("game = {}", toml::Value::from(self.game));
        let given = Config::parse_on(self.device, &game, "--game", self.settings)?;
        let (variant, origin) = (given.variant()?, initial_network(&given)?);
        progress::say(&format!("looking at {} and at this machine", self.game));
        let threads = rayon::current_num_threads();
        let measured = (time / 2400).clamp(LEAST, MOST);
        let look = Look::at(&variant, threads, 1, 6 * measured);
        let sizes = origin.map_or_else(|| sizes(look.cells), |it| vec![it.channels]);
        let networks = (&origin.unwrap_or_default(), &*sizes);
        let enough = |speeds: &_| is_enough(speeds, time);
        let device = (self.device, device);
        let speeds = speeds::measure(&variant, device, threads, measured, networks, enough)?;
        let plan = plan(self.game, &look, &speeds, time, self.device);
        let plan = match origin {
            Some(network) => plan.starting_with(network),
            None => plan,
        };
        let plan = self.changed(plan)?;
        let text = self.text(&plan, &look, time, threads);
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
        let path = plan_of(folder);
        write_whole(&path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
        progress::say(&format!("the plan is in {}:\n\n{text}", path.display()));
        Ok(plan.config)
    }

    /// The plan with the settings of the command line.
    fn changed(&self, plan: Plan) -> Result<Plan> {
        let planned = plan.config.to_toml();
        let config = Config::parse_on(self.device, &planned, PLAN, self.settings)?;
        let keys = self.settings.iter().filter_map(|setting| setting.split('=').next());
        let mut keys: Vec<&str> = keys.map(str::trim).filter(|key| *key != "game").collect();
        // The last of several settings of a key counts.
        keys.sort_unstable();
        keys.dedup();
        Ok(plan.with(config, &keys))
    }

    fn text(&self, plan: &Plan, look: &Look, time: Duration, threads: usize) -> String {
        let time = duration::text(time);
        let title = format!("{}, planned for {time} on {threads} threads.", self.game);
        plan.to_toml(&title, look)
    }
}

fn plan_of(folder: &Path) -> PathBuf {
    folder.join(PLAN)
}
