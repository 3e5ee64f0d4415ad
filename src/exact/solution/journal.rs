//! The files of a solve that is not finished: one for each level, with the positions it decides.
//!
//! A level is written aside, synced and renamed, so a file with its name is whole. From all of them
//! follows what is decided; a solve resumes by reading them.
//!
//! A file is a list of frames. A frame is the number of its first slice, the number of slices, the
//! length of its news, a CRC-32 of these numbers and of the news, and the news. The last frame is
//! [`Count`].

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::file::Count;
use crate::base::durable::WholeFile;
use crate::base::foreign;

/// The slices of a frame.
pub(super) const SLICES: usize = 16;

/// Bytes before the news of a frame.
const HEADER: usize = 16;

/// The first slice of the frame that ends a file.
const END: u32 = u32::MAX;

/// The most bytes of news of a frame that is read.
const MOST: u32 = 1 << 28;

/// The news of some slices.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Frame {
    /// The number of the first slice.
    pub first: u32,
    /// The number of slices.
    pub slices: u32,
    /// Their news, one after the other.
    pub news: Vec<u8>,
}

impl Frame {
    fn header(&self) -> [u8; HEADER] {
        let mut header = [0; HEADER];
        let length = self.news.len() as u32;
        for (place, number) in header.chunks_exact_mut(4).zip([self.first, self.slices, length]) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        let mut sum = crc32fast::Hasher::new();
        sum.update(&header[..12]);
        sum.update(&self.news);
        header[12..].copy_from_slice(&sum.finalize().to_le_bytes());
        header
    }
}

/// The path of the file of a level.
pub(super) fn path(folder: &Path, level: u32) -> PathBuf {
    folder.join(format!("level-{level:04}"))
}

/// A level that is being written.
pub(super) struct LevelWriter {
    file: WholeFile,
}

impl LevelWriter {
    /// Begins the file of a level.
    ///
    /// # Errors
    ///
    /// If it cannot be created.
    pub(super) fn begin(folder: &Path, level: u32) -> Result<Self> {
        let path = path(folder, level);
        let created = WholeFile::begin(path.clone()).with_context(|| cannot("create", &path));
        Ok(Self { file: created? })
    }

    /// Appends a frame.
    ///
    /// # Errors
    ///
    /// If the disk is full.
    pub(super) fn append(&mut self, frame: &Frame) -> Result<()> {
        let written =
            self.file.write_all(&frame.header()).and_then(|()| self.file.write_all(&frame.news));
        written.with_context(|| cannot("write", self.file.temporary()))
    }

    /// Ends the file and gives it its name.
    ///
    /// # Errors
    ///
    /// If the disk is full.
    pub(super) fn finish(mut self, totals: Count) -> Result<()> {
        let news = [totals.won, totals.lost].map(u64::to_le_bytes).concat();
        self.append(&Frame { first: END, slices: 0, news })?;
        let part = self.file.temporary().to_owned();
        self.file.finish().with_context(|| cannot("write", &part))
    }
}

/// A level that is being read.
pub(super) struct LevelReader {
    file: BufReader<File>,
    path: PathBuf,
    next: u32,
    /// What the end of the file said.
    totals: Option<Count>,
}

impl LevelReader {
    /// Opens the file of a level; `None` if there is none.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub(super) fn open(folder: &Path, level: u32) -> Result<Option<Self>> {
        let path = path(folder, level);
        match foreign::open(&path) {
            Ok(file) => {
                let file = BufReader::with_capacity(1 << 16, file);
                Ok(Some(Self { file, path, next: 0, totals: None }))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| cannot("open", &path)),
        }
    }

    /// Reads the next frame of news, or the totals at the end.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or is damaged.
    pub(super) fn next(&mut self) -> Result<std::result::Result<Frame, Count>> {
        if let Some(totals) = self.totals {
            return Ok(Err(totals));
        }
        let mut header = [0; HEADER];
        self.file.read_exact(&mut header).with_context(|| self.damaged())?;
        let number = |index: usize| {
            let bytes = &header[4 * index..4 * index + 4];
            bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte))
        };
        let [first, slices, length] = [0, 1, 2].map(number);
        ensure!(length <= MOST, self.damaged());
        let mut frame = Frame { first, slices, news: vec![0; length as usize] };
        self.file.read_exact(&mut frame.news).with_context(|| self.damaged())?;
        ensure!(frame.header() == header, self.damaged());
        if first == END {
            let totals = self.read_totals(&frame.news)?;
            self.totals = Some(totals);
            return Ok(Err(totals));
        }
        ensure!(first == self.next, self.damaged());
        self.next = first.saturating_add(slices);
        Ok(Ok(frame))
    }

    fn read_totals(&mut self, news: &[u8]) -> Result<Count> {
        let more = self.file.read(&mut [0]).with_context(|| format!("{}", self.path.display()))?;
        let (Some((won, lost)), 0) = (news.split_first_chunk::<8>(), more) else {
            bail!(self.damaged());
        };
        let lost = lost.try_into().with_context(|| self.damaged())?;
        Ok(Count { won: u64::from_le_bytes(*won), lost: u64::from_le_bytes(lost) })
    }

    /// What to say about a file with wrong contents.
    pub(super) fn damaged(&self) -> String {
        format!(
            "{} is damaged; remove it and those of later levels, and start the command again",
            self.path.display()
        )
    }
}

fn cannot(what: &str, path: &Path) -> String {
    format!("cannot {what} {}", path.display())
}
