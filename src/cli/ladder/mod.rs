//! `tavoliere ladder`: a rating list of many players.

mod names;
mod pictures;
mod play;
mod report;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};

use self::pictures::Picture;
use self::report::Report;
use super::conditions::Conditions;
use super::entrant::{Entrant, game_of};
use super::given::GivenGame;
use super::{Failure, usage};
use crate::base::{durable, duration};
use crate::games::AnyVariant;
use crate::play::opponents::Name;
use crate::runs::ladder::{Journal, Ladder, Standings};
use crate::selfplay::progress;

/// Rate many players by the games that tell most about them
///
/// Players are named as in `tavoliere match`, where `tavoliere match --help` lists them. Several
/// checkpoints of a run are
///
///   RUN@*           all of them
///   RUN@0..40/5     every fifth from 0 to 40; both ends and the step may be left out
///
/// and both go with `policy:` and with settings behind a `?`. First a chain of matches joins all
/// players; then those meet whose games are expected to narrow the ratings most.
///
/// All games are kept in the ladder's folder. Ctrl-C stops; the same command goes on and comes to
/// the result it would have had at once. Players can be added later: name them with or without
/// those of before. Whoever is named plays, everybody in the folder is rated. --games 0 shows the
/// list and draws the pictures without a game.
///
///   tavoliere ladder 'checkpoints/susan@*/10' uct random --anchor random --picture susan.svg
///   tavoliere ladder --folder checkpoints/ladder-susan --games 0 --matrix susan.png
///
/// docs/evaluation.md explains the numbers.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Who plays [default: everybody in the folder]
    players: Vec<String>,
    /// The game, where no trained player says it
    #[arg(long, value_name = "NAME")]
    game: Option<String>,
    /// An option of the game, as in `--rule holes=2`
    #[arg(long = "rule", value_name = "OPTION=VALUE", requires = "game")]
    rules: Vec<String>,
    /// Where the ladder is kept [default: checkpoints/ladder-<game>]
    #[arg(long, value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Games in all, old ones too [default: 100 for each player]
    #[arg(long, value_name = "N", conflicts_with = "time")]
    #[arg(value_parser = clap::value_parser!(u64).range(0..=10_000_000))]
    games: Option<u64>,
    /// Play for this time, as in 90s, 30m or 2h
    #[arg(long, value_parser = duration::parse)]
    time: Option<Duration>,
    /// The player whose rating is 0 [default: the one who entered first]
    #[arg(long, value_name = "PLAYER")]
    anchor: Option<String>,
    #[command(flatten)]
    conditions: Conditions,
    /// The list as a JSON object
    #[arg(long)]
    json: bool,
    /// Write the list to this file as CSV
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw the ratings into FILE.svg or FILE.png
    ///
    /// Over the time of training where anybody was trained. May be given several times.
    #[arg(long, value_name = "FILE")]
    picture: Vec<Picture>,
    /// Draw who scored how much against whom, into FILE.svg or FILE.png
    #[arg(long, value_name = "FILE")]
    matrix: Vec<Picture>,
    /// Draw PNG pictures dark; SVG pictures follow the viewer's setting
    #[arg(long)]
    dark: bool,
}

/// The players of a call, and where they play what.
struct Pool {
    entrants: Vec<Entrant>,
    variant: AnyVariant,
    folder: PathBuf,
}

impl Args {
    pub fn run(self) -> Result<(), Failure> {
        let journal = self.journal()?;
        let anchor = usage(self.anchor(&journal))?;
        let standings = Standings::of(&journal, anchor)?;
        let report = Report::new(&journal, &standings, anchor);
        if let Some(path) = &self.csv {
            durable::write_whole(path, report.csv().as_bytes())
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        pictures::draw(&self, &journal, &standings)?;
        report.print(self.json)?;
        Ok(())
    }

    /// What happened so far, after the games asked for.
    fn journal(&self) -> Result<Journal, Failure> {
        let only_shown = self.games == Some(0);
        // What is there can be shown without players, who may be gone.
        if let Some(folder) = self.known_folder().filter(|_| only_shown && self.players.is_empty())
        {
            return shown(&folder, &[]);
        }
        let pool = self.pool()?;
        if only_shown {
            return shown(&pool.folder, &pool.entrants);
        }
        with_variant!(&pool.variant, variant => self.play(variant, &pool))
    }

    /// The folder, where the players need not be asked.
    fn known_folder(&self) -> Option<PathBuf> {
        self.folder.clone().or_else(|| self.game.as_deref().map(default_folder))
    }

    /// Looks up the players and their game.
    fn pool(&self) -> Result<Pool, Failure> {
        let folder = self.known_folder();
        let before = folder.as_deref().map(Ladder::peek).transpose()?.flatten();
        let names = usage(self.names(folder.as_deref(), before.as_ref()))?;
        let names: Result<Vec<Name>> = names.iter().map(|name| name.parse()).collect();
        let names = usage(names)?;
        let bar = progress::bar(names.len() as u64, "loading", "players");
        let load = |name| Entrant::load(name).inspect(|_| bar.inc(1));
        let entrants = names.into_iter().map(load).collect::<Result<Vec<_>, _>>()?;
        bar.finish_and_clear();
        let variant = usage(self.variant(&entrants, before.as_ref()))?;
        let game = with_variant!(&variant, variant => variant.name);
        let folder = folder.unwrap_or_else(|| default_folder(game));
        Ok(Pool { entrants, variant, folder })
    }

    /// The names of those who play.
    fn names(&self, folder: Option<&Path>, before: Option<&Journal>) -> Result<Vec<String>> {
        if !self.players.is_empty() {
            let names = self.players.iter().map(|text| names::expand(text));
            return Ok(names.collect::<Result<Vec<_>>>()?.concat());
        }
        match (folder, before) {
            (_, Some(journal)) => Ok(journal.players.iter().map(|it| it.name.clone()).collect()),
            (Some(folder), None) => bail!("{}; name the players of a new one", nothing_in(folder)),
            (None, None) => bail!("name players, or the --folder of a ladder"),
        }
    }

    /// The game: of trained players, given, or that of the ladder.
    fn variant(&self, entrants: &[Entrant], before: Option<&Journal>) -> Result<AnyVariant> {
        let given = GivenGame::new(self.game.as_deref(), &self.rules)?;
        let known = before.map(|journal| journal.header.variant()).transpose()?;
        game_of(entrants, &given, known)
    }

    /// The number of the anchor.
    fn anchor(&self, journal: &Journal) -> Result<usize> {
        let Some(text) = &self.anchor else { return Ok(0) };
        let whole = match text.parse() {
            Ok(Name::Plain(plain)) => plain.to_string(),
            _ => text.clone(),
        };
        journal.number(&whole).with_context(|| {
            let names: Vec<&str> = journal.players.iter().map(|it| it.name.as_str()).collect();
            format!("--anchor {text}: not one of the players {}", names.join(", "))
        })
    }
}

/// What happened so far in a ladder that these players have entered.
fn shown(folder: &Path, entrants: &[Entrant]) -> Result<Journal, Failure> {
    let journal = usage(Ladder::peek(folder)?.with_context(|| nothing_in(folder)))?;
    match entrants.iter().find(|entrant| journal.number(&entrant.name).is_none()) {
        None => Ok(journal),
        Some(new) => usage(Err(anyhow!(
            "{} has not entered the ladder in {}; leave it out, or ask for some --games",
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
