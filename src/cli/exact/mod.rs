//! `tavoliere exact`: the accuracy of players on test suites.

mod by_solution;
mod pictures;
mod report;
mod requirements;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use self::report::ExactReport;
use self::requirements::Requirement;
use super::game_option::named;
use super::picture::Picture;
use super::{Failure, usage};
use crate::base::{foreign, progress};
use crate::play::players::{Player, PlayerSeed, PlayerSetup, PlayerSpec};
use crate::play::positions::accuracy::{Score, measure, scores};
use crate::play::positions::builtin;
use crate::play::positions::file::PositionFile;
use crate::play::positions::solved::Class;
use crate::play::positions::{Kind, SuitePosition};
use crate::registry::{self, Variant};
use crate::runs::checkpoint_range;
use crate::runs::players::LoadedPlayer;

/// Measure the accuracy of players on positions whose correct turns are proven
///
///   tavoliere exact neutron5
///   tavoliere exact 'alphabeta?depth=5' 'uct?rollouts=1000' random --game susan
///   tavoliere exact checkpoints/neutron5 --simulations 100 --require 'win3>=95%'
///
/// Test suites for the games that ship are built in; `tavoliere positions` generates others. Player
/// specs are those of `tavoliere match --help`. The accuracy is the share of positions in which the
/// player chooses a correct turn. It is printed with its 95 % interval for each kind of positions:
///
///   winN            the side to move wins by force; correct turns keep the win
///   onlyN           all turns but one lose by force; that one is correct
///   value           random positions; correct turns keep the result of the game
///   value_matters   the same, without the positions in which every turn is correct
///
/// With --solution DIR the positions are drawn from a solution, rare values more often than they
/// are. Those whose value every turn keeps count only where the number of turns does:
///
///   kept            the turn keeps the value: a win, or neither
///   win_kept, neither_kept, win_in_N   the same by the value of the position
///   win_late_kept, neither_only_kept   of wins in eleven turns or more; of positions in which one
///                   turn keeps the value neither, and all others lose
///   win_shortest    the turn wins as soon as possible
///   loss_longest    the turn loses as late as possible
///   claims          what a search says to be proven is so
///
/// RUN@* is all checkpoints of a run, RUN@0..40/5 every fifth of these. --picture draws errors:
///
///   tavoliere exact 'checkpoints/neutron5@*/30' 'uct?rollouts=1000' --picture error.svg
///
/// The exit status is 3 if --require is not met. docs/evaluation.md describes the numbers.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Player specs, see `tavoliere match --help`
    #[arg(required = true)]
    players: Vec<String>,
    /// Name of the game
    ///
    /// Needed if neither a trained player nor --positions has one.
    #[arg(long, value_name = "NAME")]
    game: Option<String>,
    /// Option of the game, as in `--rule holes=2`; may be repeated
    ///
    /// The built-in test suites have the usual rules, so --positions is needed, too.
    #[arg(long = "rule", value_name = "OPTION=VALUE", requires = "game")]
    rules: Vec<String>,
    /// Numbers of simulations of trained players
    ///
    /// For each turn, from 1 to 1,000,000. Player options take precedence.
    #[arg(long, value_delimiter = ',', default_value = "1,100,800")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    simulations: Vec<u32>,
    /// Test suite to use instead of the built-in ones
    ///
    /// With --solution it is the number of positions to draw, 10,000 by default.
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Folder of a solution to draw random positions from
    #[arg(long, value_name = "DIR", conflicts_with_all = ["kinds", "after"])]
    solution: Option<PathBuf>,
    /// Draw only positions of these classes from a solution
    ///
    /// win, win_late, loss, neither and neither_only, separated by commas.
    ///
    /// A late win takes eleven turns or more.
    ///
    /// In positions of neither_only a single turn keeps the value, and all others lose.
    #[arg(long = "class", value_name = "CLASS", value_delimiter = ',', requires = "solution")]
    classes: Vec<Class>,
    /// Kinds of positions to test, separated by commas [default: all]
    #[arg(long, value_delimiter = ',')]
    kinds: Vec<Kind>,
    /// Test only positions after TURNS turns or more
    ///
    /// The solver of Connect Four takes minutes for early positions.
    #[arg(long, default_value_t = 0, value_name = "TURNS")]
    after: u32,
    /// Seed of the players
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Required accuracy of all players, as in "win3>=95%"
    ///
    /// A kind of positions, then > or >=, and a number from 0 to 1 or a percentage.
    #[arg(long, value_name = "CONDITION")]
    require: Vec<Requirement>,
    /// Draw the errors to FILE.svg or FILE.png; may be repeated
    ///
    /// Over the training time if any player was trained, otherwise as a list.
    #[arg(long, value_name = "FILE")]
    picture: Vec<Picture>,
    /// Kind of positions to draw [default: kept or value, if there]
    #[arg(long, value_name = "KIND", requires = "picture")]
    measure: Option<String>,
    /// Draw PNG pictures dark; SVG pictures follow the viewer's setting
    #[arg(long)]
    dark: bool,
    /// Print one JSON object for each player and number of simulations
    #[arg(long)]
    json: bool,
}

/// What is called with the number of finished positions.
type Watch<'a> = dyn Fn(u64) + Sync + 'a;

/// A player to test at a number of simulations.
struct TestedPlayer<'a> {
    loaded: &'a LoadedPlayer,
    /// `None` if the player has its own limit or does not search by simulations.
    simulations: Option<u32>,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let players: Vec<LoadedPlayer> =
            usage(self.specs())?.into_iter().map(LoadedPlayer::load).collect::<Result<_, _>>()?;
        if let Some(folder) = &self.solution {
            return by_solution::run(&self, folder, &players);
        }
        let given = self.positions.as_ref().map(|path| {
            let name = path.display().to_string();
            let text = read_suite(path).with_context(|| format!("cannot read {name}"));
            Ok::<_, anyhow::Error>(PositionFile::read(&name, &text?)?)
        });
        let given = usage(given.transpose())?;
        let variant = usage(self.variant(&players, given.as_ref()))?;
        let files = match given {
            Some(file) => vec![file],
            None => usage(built_in(variant))?,
        };
        self.test(&variant, &players, &files)
    }

    /// Returns the specs of all players, one for each checkpoint of a range.
    fn specs(&self) -> anyhow::Result<Vec<PlayerSpec>> {
        let names = self.players.iter().map(|text| checkpoint_range::expand(text));
        let names = names.collect::<anyhow::Result<Vec<_>>>()?.concat();
        names.iter().map(|name| name.parse()).collect()
    }

    /// Returns the game of the suite, the players and `--game`, which must agree.
    fn variant(
        &self,
        players: &[LoadedPlayer],
        file: Option<&PositionFile>,
    ) -> anyhow::Result<Variant> {
        let named = self.game.as_deref().map(|game| named(game, &self.rules)).transpose()?;
        let mut sources: Vec<(String, Variant)> = Vec::new();
        sources.extend(
            file.map(|file| (format!("the test suite of {}", file.header.game), file.variant)),
        );
        let played = |loaded: &LoadedPlayer| Some((loaded.name.clone(), loaded.variant()?));
        sources.extend(players.iter().filter_map(played));
        let stated = named.map(|variant| ("--game".to_owned(), variant));
        let Some((first, variant)) = sources.first().or(stated.as_ref()) else {
            bail!("neither the players nor --positions have a game; name one by --game NAME");
        };
        if let Some((other, _)) = sources.iter().find(|(_, other)| other != variant) {
            bail!("{first} and {other} differ in the game or its rules");
        }
        if named.is_some_and(|named| named.name != variant.name) {
            bail!("{first} is for {}, not {}", variant.name, self.game.as_deref().unwrap_or(""));
        }
        if named.is_some_and(|named| !self.rules.is_empty() && named != *variant) {
            bail!("{first} has other rules than those of --rule");
        }
        Ok(*variant)
    }

    fn test(
        &self,
        variant: &Variant,
        players: &[LoadedPlayer],
        files: &[PositionFile],
    ) -> Result<(), Failure> {
        let positions = usage(self.chosen(variant, files))?;
        self.report_all(variant, players, positions.len(), |players, watch| {
            Ok(scores(&positions, &measure(&positions, players, watch)))
        })
    }

    /// Tests every player on a number of positions, prints the reports and checks the requirements.
    /// `test` receives instances of a player and what to tell of finished positions.
    fn report_all(
        &self,
        variant: &Variant,
        players: &[LoadedPlayer],
        positions: usize,
        test: impl Fn(&mut [Box<dyn Player>], &Watch<'_>) -> Result<Vec<(String, Score)>, Failure>,
    ) -> Result<(), Failure> {
        let mut reports = Vec::new();
        for tested in self.tested_players(players) {
            let mut players = usage(self.instances(variant, &tested, positions))?;
            let name = &tested.loaded.name;
            let bar = progress::bar(positions as u64, name, "positions");
            let scores = test(&mut players, &|done| bar.set_position(done))?;
            bar.finish_and_clear();
            let (name, simulations) = (name.clone(), tested.simulations);
            let training = tested.loaded.entry(simulations.unwrap_or_default()).training;
            let report = ExactReport { game: variant.name, name, simulations, training, scores };
            report.print(self.json)?;
            reports.push(report);
        }
        self.draw(&reports)?;
        requirements::check(&self.require, &reports)
    }

    /// Draws the pictures.
    fn draw(&self, reports: &[ExactReport]) -> anyhow::Result<()> {
        let Some(first) = reports.first() else { return Ok(()) };
        let known: Vec<&str> = first.scores.iter().map(|(name, _)| name.as_str()).collect();
        let measure = self.measure.as_deref().unwrap_or_else(|| pictures::usual_measure(&known));
        pictures::draw(&self.picture, self.dark, measure, reports)
    }

    /// Checks that what `--require` and `--measure` name is tested.
    fn check_measures(&self, known: &[(String, Score)]) -> anyhow::Result<()> {
        let known: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
        self.require.iter().try_for_each(|requirement| requirement.check(&known))?;
        let drawn = self.measure.as_deref();
        drawn.map_or(Ok(()), |measure| requirements::check_known("--measure", measure, &known))
    }

    /// Returns the positions that `--kinds` and `--after` select.
    fn chosen(
        &self,
        variant: &Variant,
        files: &[PositionFile],
    ) -> anyhow::Result<Vec<SuitePosition>> {
        let mut positions = Vec::new();
        for file in files {
            positions.extend(file.positions(variant)?);
        }
        positions.retain(|position| {
            let wanted = self.kinds.is_empty() || self.kinds.contains(&position.kind);
            wanted && position.game.ply() >= self.after
        });
        if positions.is_empty() {
            bail!("no positions of {} match --kinds and --after", variant.name);
        }
        self.check_measures(&scores(&positions, &vec![false; positions.len()]))?;
        Ok(positions)
    }

    fn tested_players<'a>(&self, players: &'a [LoadedPlayer]) -> Vec<TestedPlayer<'a>> {
        let simulations = |loaded: &LoadedPlayer| match loaded.is_left_to_default() {
            true => self.simulations.iter().copied().map(Some).collect(),
            false => vec![None],
        };
        let tested = |loaded| {
            let with = move |simulations| TestedPlayer { loaded, simulations };
            simulations(loaded).into_iter().map(with)
        };
        players.iter().flat_map(tested).collect()
    }

    /// Returns an instance of the player for each thread, or a single one if it has a time limit.
    fn instances(
        &self,
        variant: &Variant,
        tested: &TestedPlayer<'_>,
        positions: usize,
    ) -> anyhow::Result<Vec<Box<dyn Player>>> {
        let threads = rayon::current_num_threads();
        let (boards, each) = match tested.loaded.is_timed() {
            true => (1, threads),
            false => (threads.min(positions).max(1), 1),
        };
        let seed = PlayerSeed { seed: self.seed, player: 0 };
        let simulations = tested.simulations.unwrap_or_default();
        let setup = PlayerSetup { seed, simulations, threads: each };
        (0..boards).map(|_| tested.loaded.player(variant, &setup)).collect()
    }
}

/// Reads a test suite, which may come through a pipe.
fn read_suite(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(foreign::LIST + 1).read_to_string(&mut text)?;
    match text.len() as u64 > foreign::LIST {
        true => Err(foreign::too_large(foreign::LIST)),
        false => Ok(text),
    }
}

/// Returns the built-in test suites of a game, which have the rules of the game's preset.
fn built_in(variant: Variant) -> anyhow::Result<Vec<PositionFile>> {
    let game = variant.name;
    if registry::preset(game)? != variant {
        bail!(
            "the built-in test suites of {game} have its usual rules; name a suite with these rules \
             by --positions FILE (`tavoliere positions` makes one)"
        );
    }
    let read = |(name, text)| PositionFile::read(name, text);
    let suites: Vec<_> = builtin::sets_of(game).map(read).collect::<Result<_, _>>()?;
    if suites.is_empty() {
        bail!(
            "{game} has no built-in test suite; make one by `tavoliere positions {game} --output FILE` \
             and name it by --positions FILE"
        );
    }
    Ok(suites)
}
