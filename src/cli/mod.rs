//! The command line: a module for each subcommand, and the code that they share.

mod analyze;
mod bench;
mod benchmarks;
#[cfg(feature = "bot")]
mod bot;
#[cfg(not(feature = "bot"))]
#[path = "bot/missing.rs"]
mod bot;
mod card;
#[cfg(feature = "cluster")]
mod cluster;
#[cfg(feature = "cluster")]
mod cluster_server;
mod completions;
mod digest;
mod engine;
mod exact;
mod export;
mod game_option;
mod games;
mod interrupt;
mod ladder;
mod licences;
mod man;
mod match_conditions;
mod matches;
mod new;
mod own_games;
mod perft;
mod picture;
mod play;
mod positions;
mod prune;
mod records;
mod review;
mod rules;
mod solve;
mod wording;

#[cfg(feature = "net")]
mod planned;
#[cfg(feature = "net")]
mod selfplay;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "serve")]
mod site;
#[cfg(feature = "net")]
mod sweep;
#[cfg(feature = "net")]
mod train;
#[cfg(feature = "cluster")]
mod worker;

pub use own_games::check;

use std::ffi::OsString;
use std::io::{Write, stderr, stdout};
use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;

use anyhow::Result;
use clap::error::{ContextKind, ContextValue};
use clap::{FromArgMatches, Parser, Subcommand};

use crate::base::device::Unavailable;
use crate::base::parallel::{NoThread, start_pool};
use crate::base::printable::printable;
use crate::base::program;
use crate::play::players::UnknownLevel;
use crate::registry::{self, Listing};

/// Exit status of a usage or config error.
const USAGE: u8 = 2;
/// Exit status if `--sprt` or `--require` is not met.
const GATE: u8 = 3;

/// Train strong players for abstract board games by self-play.
#[derive(Debug, Parser)]
#[command(version, about, after_help = EXAMPLES, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[cfg(feature = "net")]
const EXAMPLES: &str = "\
Examples:
  tavoliere games                                list the games
  tavoliere rules neutron5                       explain one of them
  tavoliere train neutron5                       train a player; the same command resumes
  tavoliere play checkpoints/neutron5            play against it
  tavoliere match checkpoints/neutron5 checkpoints/neutron5@0
                                                 compare it with the untrained network
  tavoliere ladder 'checkpoints/neutron5@*' uct  rate all its checkpoints on one scale";

#[cfg(not(feature = "net"))]
const EXAMPLES: &str = "\
Examples:
  tavoliere games                                list the games
  tavoliere rules neutron5                       explain one of them
  tavoliere perft neutron5 4                     count sequences of turns
  tavoliere match uct random --game neutron5     compare two players
This program was built without the `net` feature: it plays exported players, but does not train.";

// The help text of a subcommand is the doc comment of its `Args`.
#[derive(Debug, Subcommand)]
enum Command {
    Games(games::Args),
    New(new::Args),
    Rules(rules::Args),
    #[cfg(feature = "net")]
    Train(train::Args),
    #[cfg(feature = "net")]
    Sweep(sweep::Args),
    #[cfg(feature = "cluster")]
    Worker(worker::Args),
    #[cfg(feature = "cluster")]
    Cluster(cluster::Args),
    #[cfg(feature = "net")]
    Selfplay(selfplay::Args),
    Match(matches::Args),
    Ladder(ladder::Args),
    Card(card::Args),
    Digest(digest::Args),
    Prune(prune::Args),
    Play(play::Args),
    Exact(exact::Args),
    Solve(solve::Args),
    Export(export::Args),
    Positions(positions::Args),
    Records(records::Args),
    Review(review::Args),
    Analyze(analyze::Args),
    Engine(engine::Args),
    #[cfg(feature = "serve")]
    Serve(serve::Args),
    #[cfg(feature = "serve")]
    Site(site::Args),
    #[cfg_attr(not(feature = "bot"), command(hide = true))]
    Bot(bot::Args),
    Perft(perft::Args),
    Bench(bench::Args),
    Licences(licences::Args),
    Completions(completions::Args),
    Man(man::Args),
}

/// Runs the program with these games and returns its exit status: 0 done, 1 failed, 2 usage or
/// config error, 3 a match or a test suite whose `--sprt` or `--require` is not met, 128 and the
/// number of a signal that stopped the command before it was done.
pub fn run(games: impl IntoIterator<Item = Listing>) -> ExitCode {
    ExitCode::from(status_of(games))
}

/// As [`run`], within another program, such as Python: with the games that are
/// [registered](crate::registry::register), the words that started that program, by which this one
/// starts itself again, and the arguments that followed them.
///
/// Call it from the main thread, and end the process afterwards with the status that it returns. The
/// other program must not handle signals, and the first argument is no name.
pub fn run_within(words: Vec<OsString>, arguments: Vec<OsString>) -> u8 {
    program::is_within(words, arguments);
    let status = status_of(registry::all().iter().copied());
    // Only a program of its own does this in the end.
    let _ = stdout().flush();
    status
}

/// Runs the program and returns its exit status.
fn status_of(games: impl IntoIterator<Item = Listing>) -> u8 {
    if let Err(error) = own_games::register(games) {
        let _ = writeln!(stderr(), "{}: {error:#}", wording::name());
        return USAGE;
    }
    let command = match parse() {
        Ok(command) => command,
        Err(error) => {
            // Help and version go to standard output and are no error.
            let status = if error.use_stderr() { USAGE } else { 0 };
            let _ = error.print();
            return status;
        }
    };
    start_pool(command.threads());
    let done = interrupt::watch().map_err(Failure::from).and_then(|()| run_to_its_end(command));
    match done {
        Ok(()) => 0,
        Err(Failure { error, .. }) if is_broken_pipe(&error) => 0,
        Err(Failure { status, error }) => {
            // If standard error cannot be written, the exit status still reports the failure.
            report(&error);
            status
        }
    }
}

/// Parses a number of an option that must be at least 1.
fn at_least_one(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) => Err("must be 1 or more".to_owned()),
        Ok(number) => Ok(number),
        Err(_) => Err("must be a whole number, 1 or more".to_owned()),
    }
}

/// Runs a command. One for which the system has no thread fails.
fn run_to_its_end(command: Command) -> Result<(), Failure> {
    catch_unwind(AssertUnwindSafe(|| command.run())).unwrap_or_else(|payload| {
        match payload.downcast::<NoThread>() {
            Ok(error) => Err(Failure::from(anyhow::Error::from(*error))),
            Err(payload) => resume_unwind(payload),
        }
    })
}

/// The command of the arguments.
fn parse() -> Result<Command, clap::Error> {
    let words = iter::once(wording::name().into()).chain(program::arguments());
    let matches = wording::command().try_get_matches_from(words).map_err(with_hint)?;
    Ok(Cli::from_arg_matches(&matches)?.command)
}

/// Tells how to name a player where only an option does, as in `tavoliere engine random`.
fn with_hint(mut error: clap::Error) -> clap::Error {
    let name = program::arguments().into_iter().next().unwrap_or_default();
    let command = wording::command();
    let has_player = command.find_subcommand(name).is_some_and(|command| {
        command.get_arguments().any(|argument| argument.get_long() == Some("player"))
    });
    let hint = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) if has_player && !word.starts_with('-') => {
            format!("a player is named by `--player {word}`")
        }
        _ => return error,
    };
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![hint.into()]));
    error
}

/// Prints an error, as a line that begins with the name of the program.
fn report(error: &anyhow::Error) {
    // Everything else that is written has a name.
    let is_stdout = error.chain().len() == 1 && error.is::<std::io::Error>();
    let said = match is_stdout {
        true => format!(
            "cannot write to standard output: {error}; what the command wrote to files is there"
        ),
        false => format!("{error:#}"),
    };
    let said = wording::message(&said);
    let _ = writeln!(stderr(), "{}: {}", wording::name(), printable(&said));
}

/// The error of a command with its exit status. An unavailable device is a usage error, wherever
/// it is detected.
struct Failure {
    status: u8,
    error: anyhow::Error,
}

impl<E: Into<anyhow::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        let error = error.into();
        // What was asked for cannot be had, wherever on the command line it was written.
        let is_usage =
            error.chain().any(|cause| cause.is::<Unavailable>() || cause.is::<UnknownLevel>());
        let status = if is_usage { USAGE } else { 1 };
        Self { status, error }
    }
}

/// Marks an error as a usage or config error.
fn usage<T, E: Into<anyhow::Error>>(result: Result<T, E>) -> Result<T, Failure> {
    result.map_err(|error| Failure { status: USAGE, error: error.into() })
}

/// Whether the reader of our output has closed it, as in `tavoliere games | head -1`.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &std::io::Error| cause.kind();
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref())
        .map(kind)
        .any(|kind| kind == std::io::ErrorKind::BrokenPipe)
}

impl Command {
    /// The number of threads that all of the program is to use, if the command says it.
    fn threads(&self) -> Option<usize> {
        match self {
            #[cfg(feature = "net")]
            Self::Train(args) => args.threads(),
            _ => None,
        }
    }

    fn run(self) -> Result<(), Failure> {
        match self {
            Self::Games(args) => args.run(),
            Self::New(args) => args.run(),
            Self::Rules(args) => args.run(),
            Self::Match(args) => args.run(),
            Self::Play(args) => args.run(),
            Self::Exact(args) => args.run(),
            Self::Solve(args) => args.run(),
            Self::Export(args) => args.run(),
            Self::Positions(args) => args.run(),
            Self::Records(args) => args.run(),
            Self::Review(args) => args.run(),
            Self::Ladder(args) => args.run(),
            Self::Digest(args) => args.run(),
            Self::Card(args) => args.run(),
            Self::Prune(args) => args.run(),
            Self::Analyze(args) => args.run(),
            Self::Engine(args) => args.run(),
            #[cfg(feature = "serve")]
            Self::Serve(args) => args.run(),
            #[cfg(feature = "serve")]
            Self::Site(args) => args.run(),
            Self::Bot(args) => args.run(),
            Self::Perft(args) => args.run(),
            Self::Bench(args) => args.run(),
            Self::Licences(args) => args.run(),
            Self::Completions(args) => args.run(),
            Self::Man(args) => args.run(),
            #[cfg(feature = "net")]
            Self::Train(args) => args.run(),
            #[cfg(feature = "net")]
            Self::Sweep(args) => args.run(),
            #[cfg(feature = "cluster")]
            Self::Worker(args) => args.run(),
            #[cfg(feature = "cluster")]
            Self::Cluster(args) => args.run(),
            #[cfg(feature = "net")]
            Self::Selfplay(args) => args.run(),
        }
    }
}
