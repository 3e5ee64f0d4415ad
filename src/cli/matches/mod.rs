//! `tavoliere match`: plays games between two players and compares their strength.

mod records;
mod report;
mod requirements;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::ProgressBar;

use self::records::Records;
use self::report::MatchReport;
use self::requirements::{Gates, Requirement};
use super::game_option::{GivenGame, start_of};
use super::match_conditions::Conditions;
use super::{Failure, interrupt, usage};
use crate::base::progress;
use crate::play::arena::{Opening, Recorder, Totals};
use crate::play::players::PlayerSpec;
use crate::registry::Variant;
use crate::runs::match_players::MatchPlayers;
use crate::runs::players::LoadedPlayer;

/// Play games between two players and compare their strength
///
///   tavoliere match neutron5 'uct?rollouts=1000'
///   tavoliere match checkpoints/neutron5 checkpoints/neutron5@0 --games 400
///   tavoliere match checkpoints/susan checkpoints/susan@20 --games 20000 --sprt 0,20
///   tavoliere match 'alphabeta?time=50ms' 'uct?time=50ms' --game neutron7
///   tavoliere match neutron5 uct --position 'xxxx./....x/..*../...../ooooo x'
///
/// Games are played in pairs: the same opening of random turns, with colours exchanged. All
/// openings differ, and those that a prover finds won for one side are left out. Player specs are
///
///   random                      uniformly random actions
///   uct?rollouts=1000           plain UCT, N random rollouts for each action; or time=100ms for
///                               each turn
///   alphabeta?nodes=10000       alpha-beta with a hand-written heuristic, N positions for each
///                               turn; or depth=N turns, or time=100ms
///   perfect                     a solver of tic_tac_toe and connect_four; for the latter use
///                               --opening 8 or more, as positions of fewer stones take minutes;
///                               for other games the solution in checkpoints/solutions/GAME
///   solution:DIR                a perfect player by the folder of a solution
///   policy:RUN[@N]              the action with the highest prior of a network, without search
///   gtp:COMMAND                 an external engine that speaks the Go Text Protocol, as in
///                               'gtp:engine --option'; gtp?timeout=10s:COMMAND sets the time
///                               limit of a turn, 60 s by default
///   RUN[@N][?simulations=200]   a trained player: the newest checkpoint or that of iteration N;
///                               RUN is a run, an exported player, or the name of a player in a
///                               folder of the variable TAVOLIERE_PLAYERS, in checkpoints/players
///                               or in the program, which has one for each of its games; options
///                               after the `?`, joined by `&`, are also time=100ms, device=NAME,
///                               engine=NAME, book=off for a search of starts that are known to be
///                               won, book=FILE, and keys of its search as in root=puct; write
///                               search:RUN for a run that is called like one of the words above
///
/// Ctrl-C or SIGTERM stops, and prints the result of the pairs that are finished.
///
/// The exit status is 3 if --sprt or --require is not met. docs/evaluation.md has the details.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Player whose results are shown
    first: String,
    /// Its opponent
    second: String,
    /// Name of the game, unless a player was trained for one
    #[arg(long, value_name = "NAME")]
    game: Option<String>,
    /// Option of the game, as in `--rule holes=2`; may be repeated
    #[arg(long = "rule", value_name = "OPTION=VALUE")]
    rules: Vec<String>,
    /// Position to begin all games in, as docs/formats.md describes it
    ///
    /// The random turns of --opening begin there.
    ///
    /// With --opening 0 and --games 2 it is one pair of games from this very position.
    #[arg(long, value_name = "TEXT")]
    position: Option<String>,
    /// Number of games; the maximum with --sprt
    ///
    /// From 1 to 1,000,000, rounded up to pairs.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,
    #[command(flatten)]
    conditions: Conditions,
    /// Declare a draw when a position occurs for the third time
    #[arg(long)]
    threefold: bool,
    /// Stop when a sequential test (SPRT) is decided, as in 0,20
    ///
    /// It tests whether the first player is better by LOWER or by UPPER normalised Elo.
    ///
    /// The exit status is 3 unless UPPER is accepted.
    #[arg(long, value_name = "LOWER,UPPER", value_parser = requirements::bounds)]
    #[arg(allow_hyphen_values = true)]
    sprt: Option<[f64; 2]>,
    /// Probability of accepting UPPER if LOWER is true
    ///
    /// From 0.000001 to 0.49.
    #[arg(long, default_value_t = 0.05, requires = "sprt")]
    alpha: f64,
    /// Probability of accepting LOWER if UPPER is true
    ///
    /// From 0.000001 to 0.49.
    #[arg(long, default_value_t = 0.05, requires = "sprt")]
    beta: f64,
    /// Required result, as in "elo>0"; may be repeated
    ///
    /// One of score, elo, normalized_elo and los, then > or >=, and a number.
    #[arg(long, value_name = "CONDITION")]
    require: Vec<Requirement>,
    /// Write the games to this file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    /// Print the result as a JSON object
    #[arg(long)]
    json: bool,
}

/// Pairs between two checks of the sequential test: enough to keep all threads busy. It must not
/// depend on the number of threads, because the result must not.
const PAIRS_PER_CHECK: usize = 16;

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let gates = usage(Gates::new(self.sprt, [self.alpha, self.beta], &self.require))?;
        let names =
            [usage(self.first.parse::<PlayerSpec>())?, usage(self.second.parse::<PlayerSpec>())?];
        let given = usage(GivenGame::new(self.game.as_deref(), &self.rules))?;
        let [first, second] = names.map(LoadedPlayer::load);
        let players = [first?, second?];
        let variant = usage(given.of_players(&players, None))?;
        self.play(&variant, &players, &gates)
    }

    fn play(
        &self,
        variant: &Variant,
        players: &[LoadedPlayer; 2],
        gates: &Gates,
    ) -> Result<(), Failure> {
        let pairs = self.games.div_ceil(2) as usize;
        let Conditions { simulations, seed, .. } = self.conditions;
        let start = usage(start_of(variant, self.position.as_deref()))?;
        let (two, threads) = (players.each_ref(), rayon::current_num_threads());
        let mut table = usage(MatchPlayers::new(variant, two, seed, simulations, pairs, threads))?;
        let mut book = self.conditions.book(variant).threefold(self.threefold);
        if self.position.is_some() {
            usage(table.start_from(&start))?;
            book = book.starting(start);
        }
        let openings = usage(book.all(pairs))?;
        let names = players.each_ref().map(|player| player.name.as_str());
        let stop = interrupt::listen_and_stop_engines();
        let recorder = match self.position {
            Some(_) => Recorder::new(variant).starting(&start),
            None => Recorder::new(variant),
        };
        let records = self.records.as_deref().map(|path| Records::begin(path, recorder, names));
        let mut records = records.transpose()?;
        let batches = self.batches(&openings, players);
        let bar = progress::bar(2 * pairs as u64, "match", "games");
        let totals = play_batches(&mut table, batches, &mut records, gates, &bar, stop)?;
        bar.finish_and_clear();
        records.map_or(Ok(()), Records::finish)?;
        let games = totals.tally.games();
        let is_done = games == 2 * pairs as u64 || gates.is_decided(&totals.tally);
        let interrupted = !is_done && stop.load(Ordering::Relaxed);
        let default = players
            .iter()
            .any(LoadedPlayer::is_left_to_default)
            .then_some(self.conditions.simulations);
        let report = MatchReport::new(variant.name, names, table.units(), &totals, gates);
        let report = report.of_interrupted(interrupted);
        report.print(self.json, self.conditions.simulations, default)?;
        if interrupted {
            let done = format!("{games} of {} games are played", 2 * pairs);
            return Err(interrupt::failure(&done));
        }
        gates.check(&totals.tally)
    }

    /// Splits the openings at the checks of the sequential test; without a test they stay together.
    /// With a time limit games are played one at a time, so the test is checked after every pair.
    fn batches<'a>(
        &self,
        openings: &'a [Opening],
        players: &[LoadedPlayer; 2],
    ) -> std::slice::Chunks<'a, Opening> {
        let size = match self.sprt {
            None => openings.len(),
            Some(_) if players.iter().any(LoadedPlayer::is_timed) => 1,
            Some(_) => PAIRS_PER_CHECK,
        };
        openings.chunks(size.max(1))
    }
}

/// Plays the batches until the test is decided or `stop` is set; returns the totals of the finished
/// pairs.
fn play_batches<'a>(
    table: &mut MatchPlayers,
    batches: impl Iterator<Item = &'a [Opening]>,
    records: &mut Option<Records>,
    gates: &Gates,
    bar: &ProgressBar,
    stop: &AtomicBool,
) -> Result<Totals, Failure> {
    let mut totals = Totals::default();
    for batch in batches {
        let before = totals.tally.games();
        let played = table.play(batch, &|finished| bar.set_position(before + finished), stop);
        let finished =
            || batch.iter().zip(&played).filter_map(|(it, pair)| Some((it, pair.as_ref()?)));
        finished().for_each(|(_, pair)| totals.add(pair));
        if let Some(records) = records {
            finished().try_for_each(|(opening, pair)| records.write(opening.number, pair))?;
            records.flush()?;
        }
        if gates.is_decided(&totals.tally) || stop.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(totals)
}
