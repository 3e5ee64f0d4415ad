//! Players of every kind, loaded by their specs.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use super::identity::{Identity, NetworkIdentity, SearchIdentity};
use crate::base::durable::checksum;
use crate::exact::solution::{About, Solution, is_finished};
use crate::play::arena::BatchedPlayer;
use crate::play::players::{
    Baseline, External, Player, PlayerFactory, PlayerSeed, PlayerSetup, PlayerSpec, PolicyPlayer,
    SOLUTIONS, Solved,
};
use crate::registry::Variant;
use crate::runs::ladder::{LadderPlayer, Training};
#[cfg(feature = "serve")]
use crate::runs::trained::NamedCheckpoint;
use crate::runs::trained::{NetworkPlayer, Trained};

/// A loaded player spec.
pub(crate) struct LoadedPlayer {
    /// The spec: with all defaults for players without a network, as given for trained players.
    pub name: String,
    kind: Kind,
}

enum Kind {
    Baseline(Baseline),
    /// Another program.
    External(External),
    /// The solution of a game.
    Solution(Box<SolutionFolder>),
    /// A network and its search, from a run or an exported player.
    Trained(Box<Trained>),
    /// A network alone.
    Policy(Box<Trained>),
    /// A network and its search, from elsewhere.
    Network(Box<NetworkPlayer>),
}

/// The folder of a solution.
struct SolutionFolder {
    folder: PathBuf,
    /// The game with its usual limit on the length, if its other rules are the usual ones.
    variant: Option<Variant>,
    /// Checksum of what it says of itself, which has those of its values.
    checksum: u32,
}

impl SolutionFolder {
    fn read(folder: &str) -> Result<Self> {
        let folder = PathBuf::from(folder);
        let about = About::read(&folder)?;
        // A game that is lost by a damaged file would count, so all of it is checked now.
        Solution::open(&folder, &about.variant()?)?.check_all(|| ())?;
        let checksum = checksum(&serde_json::to_vec(&about)?);
        Ok(Self { variant: about.usual_variant(), folder, checksum })
    }
}

/// The player by the solution in a folder.
fn solved(folder: &Path, variant: &Variant) -> Result<Box<dyn Player>> {
    Ok(Box::new(Solved::open(folder, variant)?))
}

/// The perfect player: by a solver, or by the solution of a game that has none.
fn perfect(variant: &Variant, seed: PlayerSeed) -> Result<Box<dyn Player>> {
    let folder = Path::new(SOLUTIONS).join(variant.name);
    let by_solution = |refusal| match is_finished(&folder) {
        true => solved(&folder, variant),
        false => Err(refusal),
    };
    Baseline::Perfect.player(variant.game(), seed).or_else(by_solution)
}

impl LoadedPlayer {
    /// Loads a player.
    ///
    /// # Errors
    ///
    /// If there is no such trained player, or it is damaged.
    pub(crate) fn load(spec: PlayerSpec) -> Result<Self> {
        match spec {
            PlayerSpec::Baseline(baseline) => Ok(Self::of_baseline(baseline)),
            PlayerSpec::External(external) => {
                Ok(Self { name: external.to_string(), kind: Kind::External(external) })
            }
            PlayerSpec::Solution(folder) => {
                let kind = Kind::Solution(Box::new(SolutionFolder::read(&folder)?));
                Ok(Self { name: format!("solution:{folder}"), kind })
            }
            PlayerSpec::Policy(run) => {
                let trained = Box::new(Trained::load(&run)?);
                Ok(Self { name: format!("policy:{}", trained.name), kind: Kind::Policy(trained) })
            }
            PlayerSpec::Search(run) => Ok(Self::of_trained(Trained::load(&run)?)),
        }
    }

    /// A network with its search.
    pub(crate) fn of_trained(trained: Trained) -> Self {
        Self { name: trained.name.clone(), kind: Kind::Trained(Box::new(trained)) }
    }

    /// A player without a network.
    pub(crate) fn of_baseline(baseline: Baseline) -> Self {
        Self { name: baseline.to_string(), kind: Kind::Baseline(baseline) }
    }

    /// A network that belongs to no run and no exported player.
    pub(crate) fn of_network(name: &str, network: NetworkPlayer) -> Self {
        Self { name: name.to_owned(), kind: Kind::Network(Box::new(network)) }
    }

    /// Whether it is another program.
    pub(crate) fn is_external(&self) -> bool {
        matches!(self.kind, Kind::External(_))
    }

    /// Whether its turns depend on the clock.
    pub(crate) fn is_timed(&self) -> bool {
        match &self.kind {
            Kind::Baseline(baseline) => baseline.is_timed(),
            // It may use a clock, so nothing else should run at the same time.
            Kind::External(_) => true,
            Kind::Trained(trained) => trained.network.time.is_some(),
            Kind::Network(network) => network.time.is_some(),
            Kind::Policy(_) | Kind::Solution(_) => false,
        }
    }
}

#[cfg(feature = "serve")]
impl LoadedPlayer {
    /// Loads a network of a run, with the search that the run recommends.
    ///
    /// # Errors
    ///
    /// If the checkpoint is missing or damaged.
    pub(crate) fn of_checkpoint(checkpoint: NamedCheckpoint) -> Result<Self> {
        Ok(Self::of_trained(Trained::of_checkpoint(checkpoint)?))
    }
}

impl LoadedPlayer {
    /// The game it was trained for.
    pub(crate) fn variant(&self) -> Option<Variant> {
        match &self.kind {
            Kind::Baseline(_) | Kind::External(_) | Kind::Network(_) => None,
            Kind::Solution(solution) => solution.variant,
            Kind::Trained(trained) | Kind::Policy(trained) => Some(trained.variant),
        }
    }

    /// Whether it searches and its spec has no limit.
    pub(crate) fn is_left_to_default(&self) -> bool {
        self.trained()
            .is_some_and(|it| it.network.simulations.is_none() && it.network.time.is_none())
    }

    /// Its network and its search, if it has both.
    fn network(&self) -> Option<&NetworkPlayer> {
        match &self.kind {
            Kind::Trained(trained) => Some(&trained.network),
            Kind::Network(network) => Some(network),
            _ => None,
        }
    }

    /// The player without a network, if it is one.
    #[cfg(feature = "cluster")]
    pub(crate) fn baseline(&self) -> Option<&Baseline> {
        match &self.kind {
            Kind::Baseline(baseline) => Some(baseline),
            _ => None,
        }
    }

    /// The trained player, if it is one with a search.
    pub(crate) fn trained(&self) -> Option<&Trained> {
        match &self.kind {
            Kind::Trained(trained) => Some(trained),
            _ => None,
        }
    }

    /// Its entry in a ladder, with `simulations` unless its spec has a limit.
    pub(crate) fn entry(&self, simulations: u32) -> LadderPlayer {
        let training = match &self.kind {
            Kind::Trained(trained) | Kind::Policy(trained) => Some(self.training(trained)),
            Kind::Baseline(_) | Kind::External(_) | Kind::Solution(_) | Kind::Network(_) => None,
        };
        let checksum = self.identity(simulations).checksum();
        LadderPlayer { name: self.name.clone(), checksum, training }
    }

    fn identity(&self, simulations: u32) -> Identity<'_> {
        match &self.kind {
            Kind::Baseline(_) | Kind::External(_) | Kind::Network(_) => Identity::Named(&self.name),
            Kind::Solution(solution) => Identity::Solution(solution.checksum),
            Kind::Policy(trained) => Identity::Policy(NetworkIdentity::of(trained)),
            Kind::Trained(trained) => Identity::Search(
                NetworkIdentity::of(trained),
                SearchIdentity::of(&trained.network, simulations),
            ),
        }
    }

    /// Its checkpoint, in a run that players with other options do not share.
    fn training(&self, trained: &Trained) -> Training {
        let options = self.name.find('?').map_or("", |at| &self.name[at..]);
        let policy = if matches!(self.kind, Kind::Policy(_)) { "policy:" } else { "" };
        Training {
            run: format!("{policy}{}{options}", trained.folder),
            iteration: trained.iteration,
            seconds: trained.seconds,
        }
    }

    /// The player for a batched match on `threads` threads, if it can play one.
    pub(crate) fn batched(&self, simulations: u32, threads: usize) -> Option<BatchedPlayer> {
        self.network()?.batched(simulations, threads)
    }

    /// Makes an instance of the player.
    ///
    /// # Errors
    ///
    /// If it does not support this game, or an external engine does not start.
    pub(crate) fn player(&self, variant: &Variant, setup: &PlayerSetup) -> Result<Box<dyn Player>> {
        let player: Result<Box<dyn Player>> = match &self.kind {
            Kind::Baseline(Baseline::Perfect) => perfect(variant, setup.seed),
            Kind::Baseline(baseline) => baseline.player(variant.game(), setup.seed),
            Kind::Solution(solution) => solved(&solution.folder, variant),
            Kind::External(external) => external.player(variant),
            Kind::Policy(trained) => {
                Ok(Box::new(PolicyPlayer::new(Box::new(trained.network.evaluator.clone()))))
            }
            Kind::Trained(trained) => Ok(Box::new(trained.network.player(setup))),
            Kind::Network(network) => Ok(Box::new(network.player(setup))),
        };
        player.with_context(|| format!("player `{}`", self.name))
    }
}

impl LoadedPlayer {
    /// The player at its full strength; `None` if it has no less.
    ///
    /// # Errors
    ///
    /// If it cannot be loaded again.
    pub(crate) fn at_full_strength(&self) -> Result<Option<Self>> {
        if !self.trained().is_some_and(Trained::is_weakened) {
            return Ok(None);
        }
        let place = self.name.split_once('?').map_or(self.name.as_str(), |(place, _)| place);
        Self::load(PlayerSpec::Search(place.to_owned())).map(Some)
    }

    /// The player at one of its levels, given by its number or its name.
    ///
    /// # Errors
    ///
    /// If it has no such level.
    pub(crate) fn at_level(&self, level: &str) -> Result<Self> {
        let trained = self.trained().context("only a trained player with a search has levels");
        let trained = Box::new(trained?.clone().at_level(level)?);
        Ok(Self { name: format!("{}?level={level}", self.name), kind: Kind::Trained(trained) })
    }
}

/// Makes instances of one player, all with the same setup.
pub(crate) struct LoadedFactory {
    /// The player.
    pub player: LoadedPlayer,
    /// The setup.
    pub setup: PlayerSetup,
}

impl PlayerFactory for LoadedFactory {
    fn check(&self, game: &Variant) -> Result<()> {
        self.player.variant().map_or(Ok(()), |played| check_game(&played, game))
    }

    fn player(&self, variant: &Variant) -> Result<Box<dyn Player>> {
        self.player.player(variant, &self.setup)
    }

    fn at_level(&self, level: &str) -> Result<Self> {
        let player = self.player.at_level(level);
        let player = player.with_context(|| format!("player `{}`", self.player.name))?;
        Ok(Self { player, setup: self.setup })
    }
}

/// Checks that a player trained for `played` can play `game`.
///
/// # Errors
///
/// If it is another game, or its rules are others.
pub(crate) fn check_game(played: &Variant, game: &Variant) -> Result<()> {
    if played == game {
        return Ok(());
    }
    let [name, wanted] = [played, game].map(|game| game.name);
    if name != wanted {
        bail!("the player plays {name}, not {wanted}");
    }
    bail!("the player was trained under other rules");
}
