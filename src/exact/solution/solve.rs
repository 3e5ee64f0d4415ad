//! Solves a game into a folder, from the beginning or from where it was stopped.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail, ensure};

use super::assemble;
use super::file::{self, About, Solution};
use super::index::Index;
use super::solver::{Solver, Watcher, memory};
use super::subject::SolvedGame;
use super::turns::{EntropyTurns, NeutronTurns, TicTacToeTurns, Turns};
use super::values::width;
use crate::base::durable::{self, Seal};
use crate::base::foreign;
use crate::games::{Entropy, Layout, Neutron, TicTacToe};
use crate::registry::Variant;

/// The folder of an unfinished solve, in that of the solution.
const WORK: &str = "unfinished";

const SEAL: Seal = Seal { kind: "solve", magic: *b"TAVSLVE\n", format: 1 };

/// How to solve a game.
pub(crate) struct SolveSettings<'a> {
    /// The folder of the solution.
    pub folder: PathBuf,
    /// The most bytes of memory.
    pub memory: u64,
    /// The number of threads.
    pub threads: usize,
    /// Set to stop.
    pub stop: &'a AtomicBool,
}

/// Solves a game, and returns what its solution says.
///
/// # Errors
///
/// If the game does not number its positions, the memory does not suffice, files cannot be read or
/// written, or [`Stopped`](super::Stopped).
pub(crate) fn solve(
    variant: &Variant,
    settings: &SolveSettings<'_>,
    watcher: &mut impl Watcher,
) -> Result<About> {
    if let Some(rules) = variant.typed::<Neutron<5>>() {
        solve_with(variant, &NeutronTurns::<5>::new(rules), settings, watcher)
    } else if let Some(rules) = variant.typed::<Entropy>() {
        solve_with(variant, &EntropyTurns::<5>::new(*rules), settings, watcher)
    } else if variant.typed::<TicTacToe>().is_some() {
        solve_with(variant, &TicTacToeTurns, settings, watcher)
    } else {
        bail!(
            "{} cannot be solved: `solve` knows Neutron and CoNeutron 5x5, Entropy and tic-tac-toe; \
             {PROOF}",
            variant.name
        )
    }
}

/// What can be done with other games.
const PROOF: &str = "`tavoliere solve GAME --proof` may still find who wins from the start";

fn solve_with<T: Turns>(
    variant: &Variant,
    turns: &T,
    settings: &SolveSettings<'_>,
    watcher: &mut impl Watcher,
) -> Result<About> {
    let name = variant.name;
    let layout = variant
        .layout()
        .map_err(|reason| anyhow::anyhow!("{name} cannot be solved: {reason}; {PROOF}"))?;
    ensure!(layout.fits(), "{name} cannot be solved: its board is too large");
    solve_layout(&SolvedGame::of(variant), &layout, turns, settings, watcher)
}

/// Solves the positions of a layout.
pub(super) fn solve_layout<T: Turns>(
    subject: &SolvedGame,
    layout: &Layout,
    turns: &T,
    settings: &SolveSettings<'_>,
    watcher: &mut impl Watcher,
) -> Result<About> {
    let folder = &settings.folder;
    let index = Index::new(layout);
    let needed = memory::<T>(&index, settings.threads);
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    ensure!(
        needed <= settings.memory,
        "{} needs {} MiB of memory, the limit is {} MiB; raise --memory",
        subject.game,
        mib(needed),
        mib(settings.memory)
    );
    let work = folder.join(WORK);
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    foreign::expect_no_link(&work)?;
    let lock = folder.join("lock");
    let _lock = match durable::lock(&lock) {
        // Nothing is written beside a solution that is whole.
        Err(error) if is_read_only(&error) && file::is_finished(folder) => None,
        lock_or_none => Some(
            lock_or_none
                .with_context(|| format!("cannot lock {}", lock.display()))?
                .with_context(|| format!("another process is solving into {}", folder.display()))?,
        ),
    };
    if file::is_finished(folder) {
        match finished(folder, subject, layout, watcher)? {
            Ok(about) => {
                // The last solve may have been killed before it did so.
                let _ = fs::remove_dir_all(&work);
                return Ok(about);
            }
            Err(damage) => {
                watcher.damaged(&damage);
                file::remove(folder)?;
            }
        }
    }
    begin(&work, subject)?;
    let levels =
        Solver::new(&index, turns, &work, settings.threads, settings.stop)?.run(watcher)?;
    let longest = levels.len().saturating_sub(2) as u32;
    ensure!(longest < 32_000, "{} has wins of more than 32,000 turns", subject.game);
    let width = width(longest);
    let places = [work.as_path(), folder.as_path()];
    let numbers = [levels.len(), width, settings.threads];
    let blocks = assemble::write(&index, turns, places, numbers, settings.stop, watcher)?;
    let about = About {
        subject: subject.clone(),
        positions: index.positions(|own, other, free| turns.possible(own, other, free)),
        counts: levels[..=longest as usize].to_vec(),
        width: width as u8,
        length: index.values * width as u64,
        blocks,
    };
    about.write(folder)?;
    let _ = fs::remove_dir_all(&work);
    Ok(about)
}

fn is_read_only(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem)
}

/// Whether something went wrong with a file that is there.
fn is_failed_read(cause: &(dyn std::error::Error + 'static)) -> bool {
    cause.downcast_ref().is_some_and(|error: &io::Error| error.kind() != ErrorKind::NotFound)
}

/// What a finished solution says, or the damage that was found in its files.
///
/// # Errors
///
/// If it is of another game, or cannot be judged by this version of the program.
fn finished(
    folder: &Path,
    subject: &SolvedGame,
    layout: &Layout,
    watcher: &mut impl Watcher,
) -> Result<Result<About>> {
    match About::read(folder) {
        Ok(about) => ensure!(about.subject == *subject, has_other(folder, &about.subject)),
        Err(error) if file::is_damage(&error) => return Ok(Err(error)),
        Err(error) => return Err(error),
    }
    let solution = match Solution::open_layout(folder, subject, layout) {
        Ok(solution) => solution,
        // It may be whole, although it cannot be read at this moment.
        Err(error) if error.chain().any(is_failed_read) => return Err(error),
        Err(error) => return Ok(Err(error)),
    };
    watcher.begin("check", solution.blocks() as u64);
    let checked = solution.check_all(|| watcher.advance(1));
    Ok(checked.map(|()| solution.about().clone()))
}

fn has_other(folder: &Path, subject: &SolvedGame) -> String {
    format!(
        "{} belongs to {} {} (rules version {}); choose another folder",
        folder.display(),
        subject.game,
        subject.rules,
        subject.rules_version
    )
}

/// Prepares the folder of an unfinished solve, or checks that it is one of the same game.
fn begin(work: &Path, subject: &SolvedGame) -> Result<()> {
    fs::create_dir_all(work).with_context(|| format!("cannot create {}", work.display()))?;
    let path = work.join("game");
    let name = path.display();
    if !path.exists() {
        let payload = postcard::to_stdvec(subject).context("a game can be named")?;
        return durable::write_whole(&path, &SEAL.seal(&payload))
            .with_context(|| format!("cannot write {name}"));
    }
    let bytes =
        foreign::read(&path, foreign::FEW).with_context(|| format!("{name} cannot be read"))?;
    let payload = SEAL.open(&bytes).with_context(|| name.to_string())?;
    let found: SolvedGame =
        postcard::from_bytes(payload).with_context(|| format!("{name} is damaged"))?;
    ensure!(found == *subject, has_other(work, &found));
    Ok(())
}
