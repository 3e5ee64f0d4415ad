//! `tavoliere match`: games between two players.

mod gates;
mod records;
mod report;

use std::path::PathBuf;

use self::gates::{Gates, Requirement};
use self::records::Records;
use self::report::Report;
use super::conditions::Conditions;
use super::entrant::{Entrant, game_of};
use super::given::GivenGame;
use super::table::Table;
use super::{Failure, stop_engines_on_interrupt, usage};
use crate::games::Game;
use crate::games::Variant;
use crate::play::arena::{Opening, Totals};
use crate::play::opponents::Name;
use crate::selfplay::progress;

/// Play games between two players and say which is better
///
/// Games are played in pairs: the same opening of random turns, colours exchanged. All openings
/// differ; those that a prover finds to be won by force are left out. A player is one of
///
///   random                      uniformly random actions
///   uct?rollouts=1000           tree search by random games, so many for each action;
///                               or time=100ms for each turn
///   alphabeta?nodes=10000       alpha-beta with an evaluation by hand, so many positions for each
///                               turn; or depth=N turns, or time=100ms
///   perfect                     a solver: tic_tac_toe and connect_four (there with --opening 8
///                               or more, fewer stones take it minutes)
///   policy:RUN[@N]              the best action of a trained network, without search
///   gtp:COMMAND                 another program that speaks the Go Text Protocol, as in
///                               'gtp:engine --option'; gtp?timeout=10s:COMMAND where a turn may
///                               not take 60 s
///   RUN[@N][?simulations=200]   a trained player, the newest or that of iteration N; behind the
///                               `?` also time=100ms, engine=NAME and settings of its search, as
///                               in root=puct, joined by `&`; search:RUN where a run is called
///                               like one of the words above
///
/// The exit status is 3 if --sprt or --require is not met. docs/evaluation.md explains the numbers.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The player whose result is shown
    first: String,
    /// Its opponent
    second: String,
    /// The game, where no trained player says it
    #[arg(long, value_name = "NAME")]
    game: Option<String>,
    /// An option of the game, as in `--rule holes=2`
    #[arg(long = "rule", value_name = "OPTION=VALUE")]
    rules: Vec<String>,
    /// Games, rounded up to pairs; the most with --sprt
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,
    #[command(flatten)]
    conditions: Conditions,
    /// Declare a draw when a position occurs for the third time
    #[arg(long)]
    threefold: bool,
    /// Play until one is refuted: better by LOWER, by UPPER Elo
    ///
    /// The bounds are normalised Elo, as in 0,20. Met if UPPER is accepted.
    #[arg(long, value_name = "LOWER,UPPER", value_parser = gates::bounds)]
    #[arg(allow_hyphen_values = true)]
    sprt: Option<[f64; 2]>,
    /// Chance that --sprt accepts UPPER wrongly
    #[arg(long, default_value_t = 0.05, requires = "sprt")]
    alpha: f64,
    /// Chance that --sprt accepts LOWER wrongly
    #[arg(long, default_value_t = 0.05, requires = "sprt")]
    beta: f64,
    /// What the result must be, as in "elo>0"
    ///
    /// The estimate of score, elo, normalized_elo or los, then > or >=, and a number.
    #[arg(long, value_name = "CONDITION")]
    require: Vec<Requirement>,
    /// Write the games to this file, a JSON object a line
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// The result as a JSON object
    #[arg(long)]
    json: bool,
}

/// Pairs between two looks at the sequential test: enough to keep all threads busy, and none that
/// depends on how many there are.
const PAIRS_PER_LOOK: usize = 16;

impl Args {
    pub fn run(self) -> Result<(), Failure> {
        let gates = usage(Gates::new(self.sprt, [self.alpha, self.beta], &self.require))?;
        let names = [usage(self.first.parse::<Name>())?, usage(self.second.parse::<Name>())?];
        let given = usage(GivenGame::new(self.game.as_deref(), &self.rules))?;
        let [first, second] = names.map(Entrant::load);
        let entrants = [first?, second?];
        let variant = usage(game_of(&entrants, &given, None))?;
        stop_engines_on_interrupt()?;
        with_variant!(variant, variant => self.play(&variant, &entrants, &gates))
    }

    fn play<G: Game>(
        &self,
        variant: &Variant<G>,
        entrants: &[Entrant; 2],
        gates: &Gates,
    ) -> Result<(), Failure> {
        let pairs = self.games.div_ceil(2) as usize;
        let Conditions { simulations, seed, .. } = self.conditions;
        let mut table = usage(Table::new(variant, entrants.each_ref(), seed, simulations, pairs))?;
        let openings = usage(self.conditions.book(variant).threefold(self.threefold).all(pairs))?;
        let names = entrants.each_ref().map(|entrant| entrant.name.as_str());
        let records = self.records.as_deref().map(|path| Records::begin(path, variant, names));
        let mut records = records.transpose()?;
        let mut totals = Totals::default();
        let bar = progress::bar(2 * pairs as u64, "match", "games");
        for batch in self.batches(&openings, entrants) {
            let before = totals.tally.games();
            let played = table.play(batch, |finished| bar.set_position(before + finished));
            for (opening, pair) in batch.iter().zip(&played) {
                totals.add(pair);
                if let Some(records) = &mut records {
                    records.write(opening.number, pair)?;
                }
            }
            if gates.is_decided(&totals.tally) {
                break;
            }
        }
        bar.finish_and_clear();
        records.map_or(Ok(()), Records::finish)?;
        let default =
            entrants.iter().any(Entrant::is_left_to_default).then_some(self.conditions.simulations);
        let report = Report::new(variant.name, names, table.units(), &totals, gates);
        report.print(self.json, self.conditions.simulations, default)?;
        gates.judge(&totals.tally)
    }

    /// The openings between two looks at the test; all of them without one. Where games are played
    /// one by one, a look costs nothing.
    fn batches<'a, G>(
        &self,
        openings: &'a [Opening<G>],
        entrants: &[Entrant; 2],
    ) -> std::slice::Chunks<'a, Opening<G>> {
        let size = match self.sprt {
            None => openings.len(),
            Some(_) if entrants.iter().any(Entrant::is_timed) => 1,
            Some(_) => PAIRS_PER_LOOK,
        };
        openings.chunks(size.max(1))
    }
}
