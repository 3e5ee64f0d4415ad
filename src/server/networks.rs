//! The networks of the served runs as players: the newest and the best of each. Every request looks
//! at the folder again, so that new runs and iterations appear by themselves.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::refusal::Refusal;
use super::runs::Runs;
use crate::answers::listing::{Kind, ListedLevel, Listing};
use crate::play::analysis::DEFAULT_SIMULATIONS;
use crate::play::players::default_levels;
use crate::registry::Variant;
use crate::runs::checkpoint::{Run, RunInfo};
use crate::runs::players::{LoadedPlayer, check_game};
use crate::runs::trained::NamedCheckpoint;

/// The files that are read of a checkpoint.
const FILES: [&str; 3] = ["checksums.json", "state.json", "weights.bpk"];

/// A network of a run, whose weights have not been read yet.
#[derive(Clone, Debug)]
pub(super) struct Network {
    run: Run,
    iteration: u64,
    /// Checksum of its weights: iterations may be trained anew.
    weights: u32,
    variant: Variant,
}

/// Which networks of a run are named.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Newest,
    Best,
    /// The newest is the best so far.
    Both,
    Numbered,
}

impl PartialEq for Network {
    fn eq(&self, other: &Self) -> bool {
        fn identity(it: &Network) -> (&Path, u64, u32) {
            (it.run.folder(), it.iteration, it.weights)
        }
        identity(self) == identity(other)
    }
}

impl Network {
    /// Checks that it plays a game by these rules.
    ///
    /// # Errors
    ///
    /// If it was trained for another game, or under other rules.
    pub(super) fn check(&self, game: &Variant) -> Result<()> {
        check_game(&self.variant, game)
    }

    /// Reads the player from the files of the run.
    ///
    /// # Errors
    ///
    /// If they are missing or damaged.
    pub(super) fn load(&self) -> Result<LoadedPlayer> {
        let folder = self.run.folder().display().to_string();
        let (run, iteration) = (self.run.clone(), self.iteration);
        LoadedPlayer::of_checkpoint(NamedCheckpoint { folder, run, iteration })
    }
}

impl Runs {
    /// Returns the listings of the newest and the best network of each run. Runs without a network
    /// that can be used are left out; [`problem`](Self::problem) tells of them.
    pub(super) fn listings(&self) -> Vec<Listing> {
        let of_run = |name: String| {
            let run = self.open(&name).ok()?;
            self.listings_of(&name, &run).ok()
        };
        self.names().into_iter().filter_map(of_run).flatten().collect()
    }

    fn listings_of(&self, name: &str, run: &Run) -> Result<Vec<Listing>> {
        let info = run.info()?;
        info.variant()?;
        let Some(newest) = run.latest()? else { return Ok(Vec::new()) };
        let best = self.best(run);
        let which = if best == Some(newest) { Which::Both } else { Which::Newest };
        let best = best.filter(|&best| best != newest).map(|best| (Which::Best, best));
        let found = [Some((which, newest)), best].into_iter().flatten();
        let listing = |(which, iteration)| {
            let weights = self.check_files(run, iteration).ok()?;
            let time = run.state(iteration).ok().and_then(|state| state.time());
            Some(self.listing(name, &info, which, iteration, weights, time))
        };
        Ok(found.filter_map(listing).collect())
    }

    fn listing(
        &self,
        name: &str,
        info: &RunInfo,
        which: Which,
        iteration: u64,
        weights: u32,
        time: Option<u64>,
    ) -> Listing {
        let player = self.player_name(name);
        let (player, title) = match which {
            Which::Newest => (player, format!("{name} run, newest (iteration {iteration})")),
            Which::Both => (player, format!("{name} run, newest and best (iteration {iteration})")),
            Which::Best => {
                (format!("{player}@best"), format!("{name} run, best (iteration {iteration})"))
            }
            Which::Numbered => {
                (format!("{player}@{iteration}"), format!("{name} run, iteration {iteration}"))
            }
        };
        let weights = format!("{weights:08x}");
        Listing {
            name: player,
            title,
            game: Some(info.game.clone()),
            rules: Some(Value::Object(info.rules.clone())),
            kind: Kind::Trained,
            thinks: true,
            simulations: Some(DEFAULT_SIMULATIONS),
            levels: ListedLevel::list(&default_levels()),
            facts: Some(
                json!({ "run": name, "iteration": iteration, "weights": weights, "time": time }),
            ),
        }
    }

    /// Returns the network that a player name means: `FOLDER/RUN`, `FOLDER/RUN@best` or
    /// `FOLDER/RUN@ITERATION`. `None` if it names no run of the folder.
    pub(super) fn network(&self, name: &str) -> Option<Result<(Listing, Network), Refusal>> {
        let name = name.strip_prefix(&self.player_name(""))?;
        let (name, which) = match name.rsplit_once('@') {
            Some((run, which)) if self.open(name).is_err() => (run, Some(which)),
            _ => (name, None),
        };
        let run = self.open(name).ok()?;
        let found = self.network_of(name, run, which);
        Some(
            found.map_err(|error| Refusal::bad(format!("the run `{name}` cannot play: {error:#}"))),
        )
    }

    fn network_of(&self, name: &str, run: Run, which: Option<&str>) -> Result<(Listing, Network)> {
        let info = run.info()?;
        let variant = info.variant()?;
        let (which, iteration) = match which {
            None => (Which::Newest, run.latest()?.context("it has no checkpoint yet")?),
            Some("best") => {
                let best = self.best(&run);
                (Which::Best, best.context("none of its networks was evaluated yet")?)
            }
            Some(number) => {
                let number = number.parse().ok();
                (Which::Numbered, number.context("after the @ an iteration or `best` is expected")?)
            }
        };
        ensure!(!run.is_abandoned(iteration), "it was set back to before iteration {iteration}");
        let weights = self.check_files(&run, iteration)?;
        let time = run.state(iteration).ok().and_then(|state| state.time());
        let listing = self.listing(name, &info, which, iteration, weights, time);
        Ok((listing, Network { run, iteration, weights, variant }))
    }

    /// Returns why the newest network of a run cannot play; `None` if it can, or if there is none
    /// yet.
    pub(super) fn problem(&self, run: &Run) -> Option<String> {
        let check = || -> Result<()> {
            run.info()?.variant()?;
            let Some(newest) = run.latest()? else { return Ok(()) };
            self.check_files(run, newest).map(drop)
        };
        check().err().map(|error| format!("{error:#}"))
    }

    /// Checks that the files of a checkpoint are there, inside the folder of the runs. Returns the
    /// checksum of the weights.
    pub(super) fn check_files(&self, run: &Run, iteration: u64) -> Result<u32> {
        let folder = run.folder().join(format!("{iteration:06}"));
        for name in FILES {
            let is_there = self.inside(&folder.join(name)).is_some_and(|path| path.is_file());
            ensure!(is_there, "its checkpoint {iteration} has no file {name}");
        }
        let weights = run.weights_checksum(iteration);
        weights.with_context(|| format!("checksums.json of its checkpoint {iteration} is damaged"))
    }

    /// Returns the name of the player that is the newest network of a run.
    pub(super) fn player_name(&self, run: &str) -> String {
        let folder = self.folder_name();
        format!("{folder}/{run}")
    }
}
