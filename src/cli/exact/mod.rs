//! `tavoliere exact`: how many right turns a player finds.

mod gates;
mod report;

use std::path::PathBuf;

use anyhow::{Context, bail};

use self::gates::Requirement;
use self::report::Report;
use super::entrant::Entrant;
use super::{Failure, usage};
use crate::games::Game;
use crate::games::{self, AnyVariant, Variant};
use crate::play::opponents::{Name, Opponent, Seat};
use crate::play::positions::builtin;
use crate::play::positions::exam::{examine, scores};
use crate::play::positions::file::PositionFile;
use crate::play::positions::{Kind, Position};
use crate::selfplay::progress;

/// Count the right turns of players in positions where these are proven
///
/// The positions are those that come with the program, or of a file made by `tavoliere positions`.
/// A player is named as in `tavoliere match`. Of each kind of positions the share is shown in which
/// the chosen turn is right, with its 95 % interval:
///
///   winN            a turn that keeps the win by force
///   onlyN           the only turn that does not lose by force
///   value           a turn that keeps the result of the game, in random positions
///   value_matters   the same, where not every turn does
///
/// The exit status is 3 if --require is not met. docs/evaluation.md explains the numbers.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The players
    #[arg(required = true)]
    players: Vec<String>,
    /// The game, where neither a trained player nor --positions says it
    #[arg(long, value_name = "NAME")]
    game: Option<String>,
    /// Simulations of trained players
    ///
    /// Players whose names say none are examined with each of these numbers.
    #[arg(long, value_delimiter = ',', default_value = "1,100,800")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    simulations: Vec<u32>,
    /// A file of positions in place of those that come with the program
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// These kinds of positions only
    #[arg(long, value_delimiter = ',')]
    kinds: Vec<Kind>,
    /// Only positions after so many turns
    ///
    /// The solver of Connect Four takes minutes for early positions.
    #[arg(long, default_value_t = 0, value_name = "TURNS")]
    after: u32,
    /// Names what players draw
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What all players must reach, as in "win3>=95%"
    ///
    /// The name of a share, then > or >=, and a number from 0 to 1 or a percentage.
    #[arg(long, value_name = "CONDITION")]
    require: Vec<Requirement>,
    /// One JSON object for each player and number of simulations
    #[arg(long)]
    json: bool,
}

/// A player with so many simulations.
struct Examinee<'a> {
    entrant: &'a Entrant,
    /// None if they mean nothing to it.
    simulations: Option<u32>,
}

impl Args {
    pub fn run(self) -> Result<(), Failure> {
        let names: Vec<Name> =
            usage(self.players.iter().map(|name| name.parse()).collect::<Result<_, _>>())?;
        let entrants: Vec<Entrant> =
            names.into_iter().map(Entrant::load).collect::<Result<_, _>>()?;
        let given = self.positions.as_ref().map(|path| {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"));
            Ok::<_, anyhow::Error>(PositionFile::read(&name, &text?)?)
        });
        let given = usage(given.transpose())?;
        let variant = usage(self.variant(&entrants, given.as_ref()))?;
        let files = match given {
            Some(file) => vec![file],
            None => usage(built_in(variant))?,
        };
        with_variant!(variant, variant => self.examine(&variant, &entrants, &files))
    }

    /// The game that is named, by whatever does; all that name one must agree.
    fn variant(
        &self,
        entrants: &[Entrant],
        file: Option<&PositionFile>,
    ) -> anyhow::Result<AnyVariant> {
        let named = self.game.as_deref().map(games::preset).transpose()?;
        let mut sources: Vec<(String, AnyVariant)> = Vec::new();
        sources
            .extend(file.map(|file| (format!("the file of {}", file.header.game), file.variant)));
        let played = |entrant: &Entrant| Some((entrant.name.clone(), entrant.variant()?));
        sources.extend(entrants.iter().filter_map(played));
        let stated = named.map(|variant| ("--game".to_owned(), variant));
        let Some((first, variant)) = sources.first().or(stated.as_ref()) else {
            bail!("neither players nor positions say which game; do so by --game NAME");
        };
        if let Some((other, _)) = sources.iter().find(|(_, other)| other != variant) {
            bail!("{first} and {other} are not of the same game under the same rules");
        }
        if named.is_some_and(|named| name_of(&named) != name_of(variant)) {
            bail!("{first} is of {}, not {}", name_of(variant), self.game.as_deref().unwrap_or(""));
        }
        Ok(*variant)
    }

    fn examine<G: Game>(
        &self,
        variant: &Variant<G>,
        entrants: &[Entrant],
        files: &[PositionFile],
    ) -> Result<(), Failure> {
        let positions = usage(self.chosen(variant, files))?;
        let mut reports = Vec::new();
        for examinee in self.examinees(entrants) {
            let mut players = usage(self.seated(variant, &examinee, positions.len()))?;
            let name = &examinee.entrant.name;
            let bar = progress::bar(positions.len() as u64, name, "positions");
            let solved = examine(&positions, &mut players, |done| bar.set_position(done));
            bar.finish_and_clear();
            let scores = scores(&positions, &solved);
            let (name, simulations) = (name.clone(), examinee.simulations);
            let report = Report { game: variant.name, name, simulations, scores };
            report.print(self.json)?;
            reports.push(report);
        }
        gates::judge(&self.require, &reports)
    }

    /// The positions asked for.
    fn chosen<G: Game>(
        &self,
        variant: &Variant<G>,
        files: &[PositionFile],
    ) -> anyhow::Result<Vec<Position<G>>> {
        let mut positions = Vec::new();
        for file in files {
            positions.extend(file.positions(variant)?);
        }
        positions.retain(|position| {
            let wanted = self.kinds.is_empty() || self.kinds.contains(&position.kind);
            wanted && position.game.ply() >= self.after
        });
        if positions.is_empty() {
            bail!("there are no such positions of {}; look at --kinds and --after", variant.name);
        }
        let measures: Vec<_> = scores(&positions, &vec![false; positions.len()]);
        let known: Vec<&str> = measures.iter().map(|(name, _)| name.as_str()).collect();
        self.require.iter().try_for_each(|requirement| requirement.check(&known))?;
        Ok(positions)
    }

    fn examinees<'a>(&self, entrants: &'a [Entrant]) -> Vec<Examinee<'a>> {
        let simulations = |entrant: &Entrant| match entrant.is_left_to_default() {
            true => self.simulations.iter().copied().map(Some).collect(),
            false => vec![None],
        };
        let examinees = |entrant| {
            let with = move |simulations| Examinee { entrant, simulations };
            simulations(entrant).into_iter().map(with)
        };
        entrants.iter().flat_map(examinees).collect()
    }

    /// The player, once for each thread; alone if it plays by the clock.
    fn seated<G: Game>(
        &self,
        variant: &Variant<G>,
        examinee: &Examinee<'_>,
        positions: usize,
    ) -> anyhow::Result<Vec<Box<dyn Opponent<G>>>> {
        let threads = rayon::current_num_threads();
        let (boards, each) = match examinee.entrant.is_timed() {
            true => (1, threads),
            false => (threads.min(positions).max(1), 1),
        };
        let seat = Seat { seed: self.seed, player: 0 };
        let simulations = examinee.simulations.unwrap_or_default();
        (0..boards).map(|_| examinee.entrant.seated(variant, seat, simulations, each)).collect()
    }
}

/// The sets of a game that come with the program; they are of the rules as they are named.
fn built_in(variant: AnyVariant) -> anyhow::Result<Vec<PositionFile>> {
    let game = name_of(&variant);
    if games::preset(game)? != variant {
        bail!("the player has other rules of {game} than the positions that come with the program");
    }
    let read = |(name, text)| PositionFile::read(name, text);
    Ok(builtin::sets_of(game).map(read).collect::<Result<_, _>>()?)
}

fn name_of(variant: &AnyVariant) -> &'static str {
    with_variant!(variant, variant => variant.name)
}
