//! `tavoliere ladder`: rates many players on one scale.

mod pictures;
mod play;
mod report;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};

use self::report::LadderReport;
#[cfg(feature = "cluster")]
use super::cluster_server::ClusterOptions;
use super::game_option::GivenGame;
use super::match_conditions::Conditions;
use super::picture::Picture;
use super::{Failure, usage};
use crate::base::{durable, duration, progress};
use crate::play::players::PlayerSpec;
use crate::registry::Variant;
use crate::runs::checkpoint_range;
use crate::runs::ladder::{Journal, Ladder, Standings};
use crate::runs::players::LoadedPlayer;

/// Rate many players on one scale by games between them
///
///   tavoliere ladder 'checkpoints/susan@*/10' uct random --anchor random --picture susan.svg
///   tavoliere ladder --folder checkpoints/ladder-susan --games 0 --matrix susan.png
///
/// Player specs are those of `tavoliere match --help`. Several checkpoints of a run are named by
///
///   RUN@*           all of them
///   RUN@0..40/5     every fifth from 0 to 40; both ends and the step may be omitted
///
/// both also with `policy:` and player options after a `?`. First a chain of matches connects all
/// players. Every later match is one that is expected to narrow the ratings most.
///
/// The ladder's folder keeps all games. Ctrl-C stops, and the same command resumes with the same
/// result as without the interruption. Players can be added later, with or without naming the
/// earlier ones. Only the named players play, but all players in the folder are rated. --games 0
/// prints the list and draws the pictures without playing.
///
/// docs/evaluation.md describes the numbers.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Players that play [default: all in the folder]
    ///
    /// External engines are started only if they are named.
    players: Vec<String>,
    /// Name of the game, unless a player was trained for one
    #[arg(long, value_name = "NAME")]
    game: Option<String>,
    /// Option of the game, as in `--rule holes=2`; may be repeated
    #[arg(long = "rule", value_name = "OPTION=VALUE", requires = "game")]
    rules: Vec<String>,
    /// Folder of the ladder [default: checkpoints/ladder-<game>]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Total number of games [default: 100 for each player]
    ///
    /// From 0 to 10,000,000. Games that were played before count.
    #[arg(long, value_name = "N", conflicts_with = "time")]
    #[arg(value_parser = clap::value_parser!(u64).range(0..=10_000_000))]
    games: Option<u64>,
    /// Play for this time, as in 90s, 30m or 2h
    #[arg(long, value_parser = duration::parse)]
    time: Option<Duration>,
    /// Player whose rating is 0 [default: the first in the folder]
    #[arg(long, value_name = "PLAYER")]
    anchor: Option<String>,
    #[command(flatten)]
    conditions: Conditions,
    /// Print the list as a JSON object
    #[arg(long)]
    json: bool,
    /// Write the list to this file as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the ratings to FILE.svg or FILE.png; may be repeated
    ///
    /// Over the training time if any player was trained, otherwise as a list.
    #[arg(long, value_name = "FILE")]
    picture: Vec<Picture>,
    /// Draw the score of each pair to FILE.svg or FILE.png
    ///
    /// May be repeated.
    #[arg(long, value_name = "FILE")]
    matrix: Vec<Picture>,
    /// Draw PNG pictures dark; SVG pictures follow the viewer's setting
    #[arg(long)]
    dark: bool,
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    cluster: ClusterOptions,
}

/// The players of a command, their game and the ladder's folder.
struct Pool {
    players: Vec<LoadedPlayer>,
    variant: Variant,
    folder: PathBuf,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let journal = self.journal()?;
        let anchor = usage(self.anchor(&journal))?;
        let standings = Standings::of(&journal, anchor)?;
        let report = LadderReport::new(&journal, &standings, anchor);
        if let Some(path) = &self.csv {
            durable::write_whole(path, report.csv().as_bytes())
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        pictures::draw(&self, &journal, &standings)?;
        report.print(self.json)?;
        Ok(())
    }

    /// Plays the requested games and returns the journal after them.
    fn journal(&self) -> Result<Journal, Failure> {
        let only_shown = self.games == Some(0);
        // The list can be shown without loading players, which may no longer exist.
        if let Some(folder) = self.known_folder().filter(|_| only_shown && self.players.is_empty())
        {
            return shown(&folder, &[]);
        }
        let pool = self.pool()?;
        if only_shown {
            return shown(&pool.folder, &pool.players);
        }
        self.play(&pool.variant, &pool)
    }

    /// Returns the folder if it is known without loading players.
    fn known_folder(&self) -> Option<PathBuf> {
        self.folder.clone().or_else(|| self.game.as_deref().map(default_folder))
    }

    /// Loads the players and finds their game.
    fn pool(&self) -> Result<Pool, Failure> {
        let folder = self.known_folder();
        let before = folder.as_deref().map(Ladder::peek).transpose()?.flatten();
        let names = usage(self.names(folder.as_deref(), before.as_ref()))?;
        let names: Result<Vec<PlayerSpec>> = names.iter().map(|name| name.parse()).collect();
        let names = usage(names)?;
        if self.players.is_empty() {
            usage(self.check_unnamed(&names))?;
        }
        let bar = progress::bar(names.len() as u64, "loading", "players");
        let load = |name| LoadedPlayer::load(name).inspect(|_| bar.inc(1));
        let players = names.into_iter().map(load).collect::<Result<Vec<_>, _>>()?;
        bar.finish_and_clear();
        let variant = usage(self.variant(&players, before.as_ref()))?;
        let game = variant.name;
        let folder = folder.unwrap_or_else(|| default_folder(game));
        Ok(Pool { players, variant, folder })
    }

    /// Returns the names of the players that play.
    fn names(&self, folder: Option<&Path>, before: Option<&Journal>) -> Result<Vec<String>> {
        if !self.players.is_empty() {
            let names = self.players.iter().map(|text| checkpoint_range::expand(text));
            return Ok(names.collect::<Result<Vec<_>>>()?.concat());
        }
        match (folder, before) {
            (_, Some(journal)) => Ok(journal.players.iter().map(|it| it.name.clone()).collect()),
            (Some(folder), None) => bail!("{}; name the players of a new one", nothing_in(folder)),
            (None, None) => bail!("name players, or the --folder of a ladder"),
        }
    }

    /// Checks the players that only the folder names: it may come from anywhere, so it must not start
    /// programs.
    fn check_unnamed(&self, players: &[PlayerSpec]) -> Result<()> {
        let engine = players.iter().find_map(|player| match player {
            PlayerSpec::External(engine) => Some(engine),
            _ => None,
        });
        engine.map_or(Ok(()), |engine| {
            bail!(
                "the ladder's folder asks to run a command, by its player `{engine}`; an external \
                 engine is started only if the command line names it: name the players that shall \
                 play, with this one if you trust it"
            )
        })
    }

    /// Returns the game of trained players, of `--game`, or of the ladder.
    fn variant(&self, players: &[LoadedPlayer], before: Option<&Journal>) -> Result<Variant> {
        let given = GivenGame::new(self.game.as_deref(), &self.rules)?;
        let known = before.map(|journal| journal.header.variant()).transpose()?;
        given.of_players(players, known)
    }

    /// Returns the number of the anchor in the journal.
    fn anchor(&self, journal: &Journal) -> Result<usize> {
        let Some(text) = &self.anchor else { return Ok(0) };
        let whole = match text.parse() {
            Ok(PlayerSpec::Baseline(baseline)) => baseline.to_string(),
            _ => text.clone(),
        };
        journal.number(&whole).with_context(|| {
            let names: Vec<&str> = journal.players.iter().map(|it| it.name.as_str()).collect();
            format!("--anchor {text} is not one of the players {}", names.join(", "))
        })
    }
}

/// Reads the journal of a ladder, which all these players must have entered.
fn shown(folder: &Path, players: &[LoadedPlayer]) -> Result<Journal, Failure> {
    let journal = usage(Ladder::peek(folder)?.with_context(|| nothing_in(folder)))?;
    match players.iter().find(|player| journal.number(&player.name).is_none()) {
        None => Ok(journal),
        Some(new) => usage(Err(anyhow!(
            "{} has not entered the ladder in {}; leave it out, or raise --games",
            new.name,
            folder.display()
        ))),
    }
}

fn default_folder(game: &str) -> PathBuf {
    Path::new("checkpoints").join(format!("ladder-{game}"))
}

fn nothing_in(folder: &Path) -> String {
    format!("there is no ladder in {}", folder.display())
}
