//! The retrograde analysis of a whole game: level after level, with all threads.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use anyhow::{Context, Result, ensure};

use super::file::Count;
use super::index::Index;
use super::journal::{Frame, LevelReader, LevelWriter, SLICES};
use super::level::LevelWorker;
use super::news;
use super::state::{self, SolverState};
use super::turns::Turns;
use crate::base::parallel::ordered_map;

/// The frames that are worked on at once. It bounds the memory for news.
const FRAMES_AT_ONCE: usize = 64;

/// The most bytes that the news of a row take.
const ROW_BYTES: u64 = 9;

/// What to tell while a solve runs.
pub(crate) trait Watcher {
    /// A step begins: what it does, and the number of slices it has.
    fn begin(&mut self, name: &str, slices: u64);

    /// Some slices are done.
    fn advance(&mut self, slices: u64);

    /// A level is done.
    fn level(&mut self, level: u32, won: u64, lost: u64);

    /// What was solved before is damaged; it is solved again.
    fn damaged(&mut self, error: &anyhow::Error);
}

/// A solve stopped on request. Started again, it resumes.
#[derive(Debug, thiserror::Error)]
#[error("stopped")]
pub(crate) struct Stopped;

/// A solve at work.
pub(super) struct Solver<'a, T: Turns> {
    index: &'a Index,
    turns: &'a T,
    folder: PathBuf,
    state: SolverState<T::Word>,
    workers: Vec<LevelWorker>,
    stop: &'a AtomicBool,
}

/// The bytes of memory that a solve takes.
pub(super) fn memory<T: Turns>(index: &Index, threads: usize) -> u64 {
    let rows = index.classes.iter().map(|class| index.shape(class.set).rows.len()).max();
    let frames = FRAMES_AT_ONCE * SLICES * 2;
    let news = frames as u64 * ROW_BYTES * rows.unwrap_or(0) as u64;
    let tables = 64 << 20;
    state::bytes::<T::Word>(index) + news + tables + threads as u64 * (8 << 20)
}

impl<'a, T: Turns> Solver<'a, T> {
    /// Begins with undecided positions. The files are those of `folder`.
    ///
    /// # Errors
    ///
    /// If there is not enough memory.
    pub(super) fn new(
        index: &'a Index,
        turns: &'a T,
        folder: &Path,
        threads: usize,
        stop: &'a AtomicBool,
    ) -> Result<Self> {
        let bytes = state::bytes::<T::Word>(index);
        let state = SolverState::new(index)
            .with_context(|| format!("there is not enough memory: {bytes} bytes are needed"))?;
        let workers = (0..threads.max(1)).map(|_| LevelWorker::new()).collect();
        Ok(Self { index, turns, folder: folder.to_owned(), state, workers, stop })
    }

    /// Solves the game, and returns the totals of all levels. The last one decides nothing.
    ///
    /// # Errors
    ///
    /// If files cannot be read or written, or [`Stopped`].
    pub(super) fn run(&mut self, watcher: &mut impl Watcher) -> Result<Vec<Count>> {
        self.begin(watcher)?;
        let mut levels: Vec<Count> = Vec::new();
        // Level 0 has only positions in which the game is over, and may have none.
        while levels.len() < 2 || levels.last() != Some(&Count::default()) {
            let level = levels.len() as u32;
            if LevelReader::open(&self.folder, level)?.is_none() {
                self.find(level, watcher)?;
            }
            // What is decided is news unless a later level has been found from it before.
            let is_news = LevelReader::open(&self.folder, level + 1)?.is_none();
            let totals = self.decide(level, is_news, watcher)?;
            watcher.level(level, totals.won, totals.lost);
            levels.push(totals);
        }
        Ok(levels)
    }

    /// Marks all positions as undecided.
    fn begin(&mut self, watcher: &mut impl Watcher) -> Result<()> {
        let classes = &self.index.classes;
        watcher.begin("positions", classes.len() as u64);
        for batch in classes.chunks(FRAMES_AT_ONCE * SLICES) {
            self.check_stop()?;
            ordered_map(&mut self.workers, batch, |_, class| {
                self.state.begin(self.index, self.turns, class);
            });
            watcher.advance(batch.len() as u64);
        }
        Ok(())
    }

    fn check_stop(&self) -> Result<(), Stopped> {
        if self.stop.load(Relaxed) { Err(Stopped) } else { Ok(()) }
    }

    /// Finds what is decided in a level, and writes its file.
    fn find(&mut self, level: u32, watcher: &mut impl Watcher) -> Result<()> {
        let classes = self.index.classes.len();
        watcher.begin(&format!("level {level}"), classes as u64);
        let firsts: Vec<usize> = (0..classes).step_by(SLICES).collect();
        let mut file = LevelWriter::begin(&self.folder, level)?;
        let mut totals = Count::default();
        for batch in firsts.chunks(FRAMES_AT_ONCE) {
            self.check_stop()?;
            let found = ordered_map(&mut self.workers, batch, |worker, &first| {
                find_in(self.index, self.turns, &self.state, worker, first, level)
            });
            for (frame, found) in &found {
                file.append(frame)?;
                totals.won += found.won;
                totals.lost += found.lost;
                watcher.advance(frame.slices.into());
            }
        }
        file.finish(totals)
    }

    /// Reads the file of a level, and marks its positions as decided.
    fn decide(&mut self, level: u32, is_news: bool, watcher: &mut impl Watcher) -> Result<Count> {
        let damaged = "its file has just been there";
        let mut file = LevelReader::open(&self.folder, level)?.context(damaged)?;
        watcher.begin(&format!("level {level}, part 2"), self.index.classes.len() as u64);
        let mut next = 0;
        loop {
            self.check_stop()?;
            let (mut frames, mut end) = (Vec::new(), None);
            while frames.len() < FRAMES_AT_ONCE && end.is_none() {
                match file.next()? {
                    Ok(frame) => frames.push(frame),
                    Err(totals) => end = Some(totals),
                }
            }
            let read = ordered_map(&mut self.workers, &frames, |worker, frame| {
                decide_in(self.index, &self.state, worker, frame, is_news)
            });
            ensure!(read.iter().all(Option::is_some), file.damaged());
            let slices: u32 = frames.iter().map(|frame| frame.slices).sum();
            watcher.advance(slices.into());
            next += slices as usize;
            if let Some(totals) = end {
                ensure!(next == self.index.classes.len(), file.damaged());
                return Ok(totals);
            }
        }
    }
}

/// Finds what is decided in the slices of a frame.
fn find_in<T: Turns>(
    index: &Index,
    turns: &T,
    state: &SolverState<T::Word>,
    worker: &mut LevelWorker,
    first: usize,
    level: u32,
) -> (Frame, Count) {
    let end = (first + SLICES).min(index.classes.len());
    let (mut news, mut totals) = (Vec::new(), Count::default());
    for number in first..end {
        worker.look(index, turns, state, number, level);
        news::write(&worker.rows, index.layout().lanes(), &mut news);
        let weight = u64::from(index.classes[number].weight);
        for row in &worker.rows {
            totals.won += weight * u64::from(row.won.count_ones());
            totals.lost += weight * u64::from(row.lost.count_ones());
        }
    }
    (Frame { first: first as u32, slices: (end - first) as u32, news }, totals)
}

/// Marks the positions of a frame as decided. `None` if it is not one of this game.
fn decide_in<W: super::words::Word>(
    index: &Index,
    state: &SolverState<W>,
    worker: &mut LevelWorker,
    frame: &Frame,
    is_news: bool,
) -> Option<()> {
    let first = frame.first as usize;
    let mut news = frame.news.as_slice();
    for class in index.classes.get(first..first + frame.slices as usize)? {
        news = news::read(index, class, news, &mut worker.rows)?;
        state.decide(index, class, &worker.rows, is_news);
    }
    news.is_empty().then_some(())
}
