//! `tavoliere solve`: solves small games completely, and looks who wins others.

mod proof;
mod start;

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Instant;

use indicatif::ProgressBar;
use serde_json::json;

use self::start::Start;
use super::game_option::named;
use super::{Failure, at_least_one, interrupt, usage};
use crate::base::progress;
use crate::base::size::parse_size;
use crate::exact::book;
use crate::exact::solution::recheck::{Checked, PROVEN, recheck};
use crate::exact::solution::{self, About, Solution, SolveSettings, Stopped, Watcher};
use crate::play::players::SOLUTIONS;
use crate::play::positions::file::PositionFile;
use crate::play::positions::{builtin, suite_check};
use crate::registry::Variant;

/// The seed of the positions that are rechecked.
const SEED: u64 = 1;

/// Solve a small game: find the value of every position that its pieces can form
///
///   tavoliere solve tic_tac_toe
///   tavoliere solve neutron5 --memory 8G --recheck 100000
///   tavoliere solve neutron5 --book neutron5.book
///   tavoliere match solution:checkpoints/solutions/neutron5 neutron5
///
/// The games are neutron5, neutron5_single, neutron5_double, neutron5_kraus, coneutron5, entropy
/// and tic_tac_toe, of those that ship with Tavoliere. A position's value is a win or a loss of the
/// side to move, with the number of turns until the end, or neither: then nobody can force a win.
/// Limits on the length of a game do not count.
///
/// --proof looks only who wins from the start, of any game:
///
///   tavoliere solve neutron7 --proof --memory 4G
///
/// Ctrl-C stops, the same command resumes; nothing but the present level is lost if the program is
/// killed. docs/solutions.md describes the method, docs/formats.md the files.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Name of the game
    game: String,
    /// Folder of the solution [default: checkpoints/solutions/GAME]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Limit on the memory, as in 8G or 800M
    #[arg(long, default_value = "8G", value_parser = parse_size)]
    memory: u64,
    /// Option of the game, as in `--rule goal=opponent`; may be repeated
    #[arg(long = "rule", value_name = "OPTION=VALUE")]
    rules: Vec<String>,
    /// Threads [default: all cores]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Check this number of random positions by the rules of the game
    ///
    /// Also by proofs that do not ask the solution, and the built-in test suites.
    #[arg(long, value_name = "POSITIONS")]
    #[arg(value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    recheck: Option<u64>,
    /// Write the book of the winner: answers that prove its win
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Look only who wins from the start, by proof-number search, of any game
    ///
    /// It keeps nothing: a proof that is stopped begins anew.
    #[arg(long, conflicts_with_all = ["out", "threads", "recheck", "book"])]
    proof: bool,
    /// Positions that --proof visits at most
    #[arg(long, value_name = "POSITIONS", default_value_t = 1_000_000_000, requires = "proof")]
    #[arg(value_parser = at_least_one)]
    visits: u64,
    /// Print the result as a JSON object
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let variant = usage(named(&self.game, &self.rules))?;
        if self.proof {
            return proof::run(&self, &variant);
        }
        let settings = SolveSettings {
            folder: self.folder(),
            memory: self.memory,
            threads: self.threads.map_or_else(rayon::current_num_threads, usize::from),
            stop: interrupt::listen(),
        };
        let mut report = SolveReport::default();
        let about = match solution::solve(&variant, &settings, &mut report) {
            Err(error) if error.is::<Stopped>() => {
                return Err(interrupt::failure("the same command resumes"));
            }
            about => about?,
        };
        self.print(&about)?;
        if let Some(count) = self.recheck {
            self.check(&variant, count)?;
        }
        let Some(file) = &self.book else { return Ok(()) };
        self.write_book(&variant, file)
    }

    /// Makes the book, checks it by the rules and writes it.
    fn write_book(&self, variant: &Variant, file: &Path) -> Result<(), Failure> {
        let solution = Solution::open(&self.folder(), variant)?;
        let book = book::make(&solution, variant)?;
        book.check(variant)?;
        book.write(file)?;
        let (positions, turns) = (book.positions(), book.turns);
        if self.json {
            let book = json!({"book": file, "winner": book.winner, "turns": turns, "positions": positions});
            writeln!(stdout(), "{book}")?;
            return Ok(());
        }
        let (winner, file) = (book.winner.name(variant.game().first()), file.display());
        writeln!(
            stdout(),
            "{file}: {winner} wins in {turns} turns, by the answers in {positions} positions"
        )?;
        Ok(())
    }

    /// Checks all blocks of the files and random positions.
    fn check(&self, variant: &Variant, count: u64) -> Result<(), Failure> {
        let solution = Solution::open(&self.folder(), variant)?;
        solution.check_all(|| ())?;
        let bar = progress::bar(count, "recheck", "positions");
        let checked = recheck(&solution, variant, count, SEED, |done| bar.inc(done))?;
        bar.finish_and_clear();
        let suites = check_suites(&solution, variant)?;
        let Checked { agreed, proven, undecided, found } = checked;
        if self.json {
            let checked = json!({
                "agreed": agreed, "proven": proven, "undecided": undecided, "found": found,
                "suites": suites,
            });
            writeln!(stdout(), "{checked}")?;
            return Ok(());
        }
        writeln!(
            stdout(),
            "rechecked: {agreed} random positions agree with their turns\n  \
             {proven} wins and losses of up to {PROVEN} turns are proven, {undecided} proofs were \
             too long\n  {found} wins and losses were found by proof-number search\n  \
             {suites} positions of the test suites have the same correct turns"
        )?;
        Ok(())
    }

    fn folder(&self) -> PathBuf {
        self.out.clone().unwrap_or_else(|| Path::new(SOLUTIONS).join(&self.game))
    }

    fn print(&self, about: &About) -> Result<(), Failure> {
        let longest = about.counts.len().saturating_sub(1);
        let start = Start::of(&self.folder(), about)?;
        if self.json {
            let mut object = json!(about.summary());
            object["game"] = json!(about.subject.game);
            object["longest"] = json!(longest);
            object["by_turns"] = json!(about.counts);
            object["start"] = start.json();
            writeln!(stdout(), "{object}")?;
            return Ok(());
        }
        let [won, lost, neither] = about.totals();
        let game = &about.subject.game;
        writeln!(stdout(), "{game}: {start}")?;
        writeln!(stdout(), "{} positions, longest win or loss {longest} turns", about.positions)?;
        for (name, count) in [("won", won), ("lost", lost), ("neither", neither)] {
            let share = 100.0 * count as f64 / about.positions.max(1) as f64;
            writeln!(stdout(), "  {name:<8} {count:>14}  {share:5.1} %")?;
        }
        writeln!(stdout(), "saved in {}", self.folder().display())?;
        Ok(())
    }
}

/// Compares the built-in test suites of a game with its solution, if it has the rules of the suites.
/// Returns the number of their positions.
fn check_suites(solution: &Solution, variant: &Variant) -> Result<usize, Failure> {
    let mut count = 0;
    for (name, text) in builtin::sets_of(variant.name) {
        let file = PositionFile::read(name, text).map_err(anyhow::Error::from)?;
        if !file.variant.has_rules_of(variant) {
            continue;
        }
        let positions = file.positions(variant).map_err(anyhow::Error::from)?;
        suite_check::check(solution, &positions, file.header.horizon)?;
        count += positions.len();
    }
    Ok(count)
}

/// Tells on standard error, if it is a terminal, how far the solve is.
#[derive(Default)]
struct SolveReport {
    bar: Option<ProgressBar>,
    begun: Option<Instant>,
}

impl Watcher for SolveReport {
    fn begin(&mut self, name: &str, slices: u64) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        self.begun.get_or_insert_with(Instant::now);
        self.bar = Some(progress::bar(slices, name, "slices"));
    }

    fn advance(&mut self, slices: u64) {
        if let Some(bar) = &self.bar {
            bar.inc(slices);
        }
    }

    fn level(&mut self, level: u32, won: u64, lost: u64) {
        let seconds = self.begun.take().map_or(0.0, |begun| begun.elapsed().as_secs_f64());
        if progress::is_shown() {
            progress::say(&format!("in {level} turns: {won} won, {lost} lost ({seconds:.1} s)"));
        }
    }

    fn damaged(&mut self, error: &anyhow::Error) {
        progress::say(&format!("{error:#}; it is solved again now"));
    }
}

impl Drop for SolveReport {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
