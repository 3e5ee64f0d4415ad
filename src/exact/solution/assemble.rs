//! Puts the levels of a finished solve together to the values of all positions.

use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use anyhow::{Context, Result, ensure};

use super::file::{BLOCK, VALUES};
use super::index::{Class, Index};
use super::journal::{Frame, LevelReader};
use super::news::{self, Row};
use super::slice::Slice;
use super::solver::{Stopped, Watcher};
use super::turns::Turns;
use super::values::{Value, put, put_no_position};
use crate::base::durable::{WholeFile, checksum};
use crate::base::parallel::ordered_map;

/// The frames of each level that are worked on at once.
const FRAMES_AT_ONCE: usize = 8;

/// Writes the values of all positions into `folder`, from the files of `levels` levels in `work`,
/// and returns the checksums of its blocks.
///
/// # Errors
///
/// If files cannot be read or written, or [`Stopped`].
pub(super) fn write<T: Turns>(
    index: &Index,
    turns: &T,
    [work, folder]: [&Path; 2],
    [levels, width, threads]: [usize; 3],
    stop: &AtomicBool,
    watcher: &mut impl Watcher,
) -> Result<Vec<u32>> {
    let mut readers = Vec::new();
    for level in 0..levels as u32 {
        readers.push(LevelReader::open(work, level)?.context("a level's file is gone")?);
    }
    let path = folder.join(VALUES);
    let cannot = || format!("cannot write {}", path.display());
    let file = WholeFile::begin(path.clone()).with_context(cannot)?;
    let mut out = Blocks { file, block: Vec::new(), sums: Vec::new() };
    watcher.begin("values", index.classes.len() as u64);
    let mut workers = vec![(); threads.max(1)];
    loop {
        if stop.load(Relaxed) {
            return Err(Stopped.into());
        }
        let parts = next_parts(&mut readers)?;
        if parts.is_empty() {
            break;
        }
        let values =
            ordered_map(&mut workers, &parts, |(), frames| values_of(index, turns, width, frames));
        for (frames, values) in parts.iter().zip(values) {
            let values = values.with_context(|| readers[0].damaged())?;
            out.append(&values).with_context(cannot)?;
            watcher.advance(frames[0].slices.into());
        }
    }
    out.finish().with_context(cannot)
}

/// The next frames of all levels: lists of frames of the same slices.
fn next_parts(readers: &mut [LevelReader]) -> Result<Vec<Vec<Frame>>> {
    let mut parts: Vec<Vec<Frame>> = Vec::new();
    for _ in 0..FRAMES_AT_ONCE {
        let mut frames = Vec::new();
        for reader in readers.iter_mut() {
            let Ok(frame) = reader.next()? else { continue };
            ensure!(
                frames.first().is_none_or(
                    |one: &Frame| one.first == frame.first && one.slices == frame.slices
                ),
                reader.damaged()
            );
            frames.push(frame);
        }
        if frames.is_empty() {
            break;
        }
        ensure!(frames.len() == readers.len(), readers[0].damaged());
        parts.push(frames);
    }
    Ok(parts)
}

/// The values of the slices of some frames, one for each level. `None` if they are damaged.
fn values_of<T: Turns>(
    index: &Index,
    turns: &T,
    width: usize,
    frames: &[Frame],
) -> Option<Vec<u8>> {
    let first = frames.first()?.first as usize;
    let classes = index.classes.get(first..first + frames.first()?.slices as usize)?;
    let mut news: Vec<&[u8]> = frames.iter().map(|frame| frame.news.as_slice()).collect();
    let (mut all, mut rows) = (Vec::new(), Vec::new());
    for class in classes {
        let mut values = vec![0; index.values_of(class.set) as usize * width];
        let slice = Slice::new(class.set);
        bar(index, turns, &slice, class, width, &mut values);
        for (level, news) in news.iter_mut().enumerate() {
            *news = news::read(index, class, news, &mut rows)?;
            for row in &rows {
                put_row(index, &slice, class, row, level as u32, width, &mut values);
            }
        }
        all.extend(values);
    }
    Some(all)
}

/// Marks what is not a position.
fn bar<T: Turns>(
    index: &Index,
    turns: &T,
    slice: &Slice,
    class: &Class,
    width: usize,
    values: &mut [u8],
) {
    for &set in &index.shape(class.set).rows.sets {
        let own = slice.cells(set);
        let free = index.free_lanes(own | class.set);
        let barred = free & !turns.possible(own, class.set, free);
        if barred != 0 {
            index.each_value(class.set, own, barred, |number| {
                put_no_position(values, width, number);
            });
        }
    }
}

/// Writes the values of a row that a level decides.
fn put_row(
    index: &Index,
    slice: &Slice,
    class: &Class,
    row: &Row,
    level: u32,
    width: usize,
    values: &mut [u8],
) {
    let own = slice.cells(index.shape(class.set).rows.sets[row.number as usize]);
    for (lanes, value) in [(row.won, Value::Win(level)), (row.lost, Value::Loss(level))] {
        index.each_value(class.set, own, lanes, |number| put(values, width, number, value.code()));
    }
}

/// A file of blocks with their checksums.
struct Blocks {
    file: WholeFile,
    block: Vec<u8>,
    sums: Vec<u32>,
}

impl Blocks {
    fn append(&mut self, mut bytes: &[u8]) -> std::io::Result<()> {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(BLOCK - self.block.len()));
            self.block.extend(now);
            bytes = later;
            if self.block.len() == BLOCK {
                self.end_block()?;
            }
        }
        Ok(())
    }

    fn end_block(&mut self) -> std::io::Result<()> {
        self.sums.push(checksum(&self.block));
        self.file.write_all(&self.block)?;
        self.block.clear();
        Ok(())
    }

    fn finish(mut self) -> std::io::Result<Vec<u32>> {
        if !self.block.is_empty() {
            self.end_block()?;
        }
        self.file.finish()?;
        Ok(self.sums)
    }
}
