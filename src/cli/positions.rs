//! `tavoliere positions`: generates test suites of positions with proven correct turns.

use std::collections::BTreeMap;
use std::io::{Write, stdout};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};

use super::game_option::named;
use super::{Failure, at_least_one, interrupt, usage};
use crate::base::durable::write_whole;
use crate::base::progress;
use crate::play::players::{Baseline, PlayerSpec};
use crate::play::positions::file::Header;
use crate::play::positions::gather::{Request, gather};
use crate::play::positions::values::{Draw, values};
use crate::play::positions::{Kind, SuitePosition};
use crate::registry::Variant;

/// Generate a test suite for `tavoliere exact`: positions with proven correct turns
///
///   tavoliere positions neutron5 --seed 2 --output other.jsonl
///   tavoliere positions connect_four --kinds value --plies 12-41 --each 20 --output values.jsonl
///
/// Two players play games after random openings. The positions of these games are searched
/// exhaustively up to a horizon, which proves their correct turns. The kinds of positions are
///
///   winN    the side to move wins by force within N turns of both sides together, not sooner
///   onlyN   every turn but one loses by force within N turns
///   value   random positions of the solved games connect_four and tic_tac_toe, with the turns
///           that keep their result; --each then counts for every number of turns played
///
/// The suite depends on the options only, not on the number of threads. Ctrl-C writes the positions
/// found so far. docs/evaluation.md describes the kinds and the file.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Name of the game, as listed by `tavoliere games`
    game: String,
    /// Option of the game, as in `--rule holes=2`; may be repeated
    #[arg(long = "rule", value_name = "OPTION=VALUE")]
    rules: Vec<String>,
    /// Kinds of positions
    #[arg(long, value_delimiter = ',', default_value = "win3,win5,win7,only2,only4,only6")]
    kinds: Vec<Kind>,
    /// Number of positions of each kind, up to 100,000
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    each: u64,
    /// Length of proofs in turns, from 1 to 48
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=48))]
    horizon: u32,
    /// Maximum number of positions searched for one proof
    ///
    /// A position that needs more is left out.
    #[arg(long, default_value_t = 3_000_000, value_parser = at_least_one)]
    nodes: u64,
    /// Maximum number of games, up to 1,000,000
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,
    /// Random turns at the start of each game, from 0 to 100
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=100))]
    opening: u32,
    /// Players of the games
    ///
    /// Player specs of `tavoliere match`, without a network and without a time limit.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    #[arg(default_value = "alphabeta?nodes=2000,uct?rollouts=200")]
    players: Vec<String>,
    /// Turns played before a position of the kind value
    #[arg(long, value_name = "FIRST-LAST", default_value = "0-1000", value_parser = plies)]
    plies: [u32; 2],
    /// Seed of the games and of the positions of the kind value
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the suite to this file, and print a count for each kind
    ///
    /// By default the suite goes to standard output.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let variant = usage(named(&self.game, &self.rules))?;
        let request = usage(self.request())?;
        self.make(&variant, &request)
    }

    /// Returns the search for positions in games, with no kinds if only values are requested.
    fn request(&self) -> anyhow::Result<Request> {
        let mut kinds = self.kinds.clone();
        kinds.retain(|&kind| kind != Kind::Value);
        let beyond = |kind: &&Kind| kind.turns().is_some_and(|turns| turns > self.horizon);
        if let Some(kind) = kinds.iter().find(beyond) {
            bail!("--kinds {kind} exceeds --horizon {}; raise the horizon", self.horizon);
        }
        let [first, second] = &self.players[..] else {
            bail!("--players takes two player specs, as in alphabeta?nodes=2000,random");
        };
        Ok(Request {
            kinds,
            each: self.each as usize,
            horizon: self.horizon,
            nodes: self.nodes,
            games: self.games,
            opening: self.opening,
            players: [plain(first)?, plain(second)?],
            seed: self.seed,
        })
    }

    fn make(&self, variant: &Variant, request: &Request) -> Result<(), Failure> {
        let stop = interrupt::listen();
        let threads = rayon::current_num_threads();
        let mut positions = Vec::new();
        if !request.kinds.is_empty() {
            let wanted = self.each * request.kinds.len() as u64;
            let bar = progress::bar(wanted, variant.name, "positions");
            positions = usage(gather(variant, request, threads, stop, |found| {
                bar.set_position(found);
            }))?;
            bar.finish_and_clear();
        }
        if self.kinds.contains(&Kind::Value) {
            positions.extend(usage(self.values(variant, threads, stop))?);
        }
        let horizon = (!request.kinds.is_empty()).then_some(self.horizon);
        let header = Header::new(variant, horizon, self.command(request));
        let stopped = stop.load(Ordering::Relaxed);
        if !stopped || !positions.is_empty() {
            self.write(&header, &positions)?;
        }
        if stopped {
            let done = "not all positions were found; run the command again for all";
            return Err(interrupt::failure(done));
        }
        Ok(())
    }

    fn values(
        &self,
        variant: &Variant,
        threads: usize,
        stop: &AtomicBool,
    ) -> anyhow::Result<Vec<SuitePosition>> {
        let bar = progress::bar(0, variant.name, "values");
        let draw = Draw { each: self.each, plies: self.plies, seed: self.seed };
        let positions = values(variant, &draw, threads, stop, |solved, all| {
            bar.set_length(all);
            bar.set_position(solved);
        });
        bar.finish_and_clear();
        positions
    }

    /// Writes the suite to standard output, or to its file with a line for each kind printed.
    fn write(&self, header: &Header, positions: &[SuitePosition]) -> anyhow::Result<()> {
        if positions.is_empty() {
            bail!("no position of these kinds was found; raise --games or --nodes");
        }
        let text = header.with(positions);
        let Some(path) = &self.output else {
            return Ok(stdout().write_all(text.as_bytes())?);
        };
        write_whole(path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
        let mut counts = BTreeMap::new();
        positions.iter().for_each(|position| *counts.entry(position.kind).or_insert(0) += 1);
        for (kind, count) in counts {
            writeln!(stdout(), "{kind} {count}")?;
        }
        Ok(())
    }

    /// Returns the command line that generates the same suite, with all defaults spelled out.
    fn command(&self, request: &Request) -> String {
        let rules: String = self.rules.iter().map(|rule| format!(" --rule {rule}")).collect();
        let kinds: Vec<_> = self.kinds.iter().map(ToString::to_string).collect();
        let (game, kinds) = (&self.game, kinds.join(","));
        let Self { each, horizon, nodes, games, opening, seed, .. } = self;
        let mut made = format!("tavoliere positions {game}{rules} --kinds {kinds} --each {each}");
        if self.kinds.contains(&Kind::Value) {
            let [first, last] = self.plies;
            made += &format!(" --plies {first}-{last}");
        }
        if !request.kinds.is_empty() {
            let [first, second] = &request.players;
            made += &format!(
                " --horizon {horizon} --nodes {nodes} --games {games} --opening {opening} \
                 --players '{first},{second}'"
            );
        }
        format!("{made} --seed {seed}")
    }
}

/// Parses `FIRST-LAST`.
fn plies(text: &str) -> Result<[u32; 2], String> {
    let number = |text: &str| text.trim().parse::<u32>().ok();
    let bounds =
        text.split_once('-').and_then(|(first, last)| Some([number(first)?, number(last)?]));
    let bounds = bounds.filter(|[first, last]| first <= last);
    bounds.ok_or_else(|| format!("`{text}` is not of the form FIRST-LAST, as in 0-8"))
}

/// Parses a player without a network and without a time limit, whose games are reproducible.
fn plain(name: &str) -> anyhow::Result<Baseline> {
    match name.parse()? {
        PlayerSpec::Baseline(baseline) if !baseline.is_timed() => Ok(baseline),
        _ => bail!("--players {name}: name players without a network and without a time limit"),
    }
}
