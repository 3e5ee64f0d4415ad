//! The journal: an append-only file of events, by which a restart neither forgets a turn nor plays
//! one twice.
//!
//! Each start writes it anew without what no longer counts, and so does a bot whose journal has
//! grown large.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, ensure};

use super::games::{Entry, Event, Games, Header};
use super::now;
use crate::base::durable::{lock, open_log, sync_folder_of, write_whole};
use crate::base::lines::each_whole_line;
use crate::base::{foreign, progress};

/// Version of the journal.
const FORMAT: u32 = 1;

/// The kind of server.
const SERVER: &str = "abstractplay";

/// The most bytes of a line: those of a request, and some.
const MOST_OF_LINE: usize = 4 << 20;

/// The bytes after which the journal is written anew, or twice as many as it had then.
const LARGE: u64 = 8 << 20;

/// A journal that a bot writes.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    /// The bytes of the file that are whole lines.
    length: u64,
    /// Lines that could not be written yet.
    unsaved: String,
    /// The bytes after which it is written anew.
    large: u64,
    header: Header,
    games: Games,
    idle: Duration,
    /// Whether its last line was cut off.
    was_torn: bool,
    /// Prevents other processes from using the journal.
    _lock: File,
}

/// What a journal has.
pub(super) struct Contents {
    /// Whether the last line was cut off.
    pub is_torn: bool,
    /// The state that the events lead to.
    pub games: Games,
    header: Header,
}

/// Path of the journal in `folder`.
pub(super) fn path_in(folder: &Path) -> PathBuf {
    folder.join("journal.jsonl")
}

/// Reads a journal without changing it; `None` if there is none, or no whole line in it.
///
/// # Errors
///
/// If it cannot be read, or a whole line of it is damaged.
pub(super) fn read(path: &Path) -> Result<Option<Contents>> {
    let file = match foreign::open_up_to(path, foreign::GAMES) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        file => file.with_context(|| format!("cannot read {}", path.display()))?,
    };
    let size = file.metadata().with_context(|| format!("cannot read {}", path.display()))?.len();
    let read = events(BufReader::new(file), path);
    let (header, games, whole) = read.with_context(|| format!("cannot read {}", path.display()))?;
    let is_torn = whole < size;
    Ok(header.map(|header| Contents { is_torn, games, header }))
}

/// Reads the events of a journal. Returns its header, the state that the events lead to, and the
/// bytes of whole lines. Without a whole line it has no header.
///
/// # Errors
///
/// If it cannot be read, or a whole line of it is damaged.
pub(super) fn events(input: impl BufRead, path: &Path) -> Result<(Option<Header>, Games, u64)> {
    let (mut header, mut games, mut whole, mut number) = (None, Games::default(), 0, 0);
    each_whole_line(input, MOST_OF_LINE, |line, end| -> Result<()> {
        (whole, number) = (end, number + 1);
        let place = || {
            let remedy = "remove the line, or take another folder by --journal";
            format!("line {number} of {} is damaged; {remedy}", path.display())
        };
        let Entry { time, event } = serde_json::from_slice(line).with_context(place)?;
        match (&header, event) {
            (None, Event::Bot(it)) => {
                let format = it.format;
                ensure!(
                    format == FORMAT,
                    "{} has format {format}, this program reads format {FORMAT}",
                    path.display()
                );
                header = Some(it);
            }
            (None, _) | (Some(_), Event::Bot(_)) => {
                return Err(anyhow!("only the first line says what it is of")).with_context(place);
            }
            (Some(_), event) => games.apply(time, &event),
        }
        Ok(())
    })?;
    Ok((header, games, whole))
}

impl Journal {
    /// Opens the journal in `folder`, or starts one. A last line that a crash cut off is removed.
    ///
    /// # Errors
    ///
    /// If the journal is damaged, belongs to another account, is used by another process, or cannot
    /// be written.
    pub(super) fn open(folder: &Path, account: &str, idle: Duration) -> Result<Self> {
        fs::create_dir_all(folder)
            .and_then(|()| sync_folder_of(folder))
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
        let lock_path = folder.join("lock");
        let lock =
            lock(&lock_path).with_context(|| format!("cannot lock {}", lock_path.display()))?;
        let lock =
            lock.with_context(|| format!("another bot uses the journal in {}", folder.display()))?;
        let path = path_in(folder);
        let own = Header { format: FORMAT, server: SERVER.to_owned(), account: account.to_owned() };
        let (mut games, mut was_torn) = (Games::default(), false);
        if let Some(contents) = read(&path)? {
            ensure!(
                contents.header == own,
                "{} belongs to another bot; name another folder by --journal",
                path.display()
            );
            (games, was_torn) = (contents.games, contents.is_torn);
        }
        games.forget(now(), idle);
        let text = text_of(&own, &games);
        let (file, length) =
            rewritten(&path, &text).with_context(|| format!("cannot write {}", path.display()))?;
        let (unsaved, large) = (String::new(), LARGE.max(2 * length));
        Ok(Self {
            path,
            file,
            length,
            unsaved,
            large,
            header: own,
            games,
            idle,
            was_torn,
            _lock: lock,
        })
    }

    /// The games.
    pub(super) fn games(&self) -> &Games {
        &self.games
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether its last line was cut off when it was opened.
    pub(super) fn was_torn(&self) -> bool {
        self.was_torn
    }

    /// Adds an event. If the disk is full the bot plays on: it is said once, and written later.
    pub(super) fn note(&mut self, event: Event) {
        let time = now();
        self.games.apply(time, &event);
        let entry = Entry { time, event };
        let was_unsaved = !self.unsaved.is_empty();
        self.unsaved += &serde_json::to_string(&entry).expect("events are plain values");
        self.unsaved.push('\n');
        let written = self.write().and_then(|()| self.rewrite_if_large());
        if let Err(error) = written
            && !was_unsaved
        {
            let path = self.path.display();
            progress::say(&format!(
                "cannot write {path}: {error}; the bot plays on, but a restart would forget turns"
            ));
        }
    }

    fn write(&mut self) -> io::Result<()> {
        let lines = self.unsaved.as_bytes();
        let written = self.file.write_all(lines).and_then(|()| self.file.sync_data());
        match written {
            Ok(()) => {
                self.length += lines.len() as u64;
                self.unsaved.clear();
            }
            // A part of a line must not stay in the middle of the file.
            Err(_) => self.file.set_len(self.length)?,
        }
        written
    }

    fn rewrite_if_large(&mut self) -> io::Result<()> {
        if self.length < self.large {
            return Ok(());
        }
        self.games.forget(now(), self.idle);
        (self.file, self.length) = rewritten(&self.path, &text_of(&self.header, &self.games))?;
        self.large = LARGE.max(2 * self.length);
        Ok(())
    }
}

/// The lines of a journal.
fn text_of(header: &Header, games: &Games) -> String {
    let header = Entry { time: now(), event: Event::Bot(header.clone()) };
    let entries = [header].into_iter().chain(games.entries());
    let line = |entry| serde_json::to_string(&entry).expect("events are plain values") + "\n";
    entries.map(line).collect()
}

/// Replaces the file, and opens it to append.
fn rewritten(path: &Path, text: &str) -> io::Result<(File, u64)> {
    write_whole(path, text.as_bytes())?;
    Ok((open_log(path)?, text.len() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bot::games::{Progress, Settlement};
    use crate::bot::request::TheirGame;
    use crate::tests::common::folder::Folder;

    const IDLE: Duration = Duration::from_secs(14 * 86_400);

    fn open(place: &Folder) -> Result<Journal> {
        Journal::open(&place.file("bot"), "account", IDLE)
    }

    fn asked(gameid: &str) -> Event {
        let of = TheirGame { name: "susan".to_owned(), variants: Vec::new() };
        Event::Asked { gameid: gameid.to_owned(), of, clock: 48.0, moves: Vec::new(), nonce: None }
    }

    fn chosen(gameid: &str) -> Event {
        Event::Chosen { gameid: gameid.to_owned(), ply: 0, turn: "a1".to_owned() }
    }

    /// A journal with a game whose turn is to be sent; its path.
    fn with_a_turn(place: &Folder) -> PathBuf {
        let mut journal = open(place).unwrap();
        journal.note(asked("one"));
        journal.note(chosen("one"));
        journal.path().to_owned()
    }

    #[test]
    fn a_journal_outlives_its_bot() {
        let place = Folder::new();
        with_a_turn(&place);
        let progress = |journal: &Journal| journal.games().get("one").unwrap().progress.clone();
        let mut journal = open(&place).unwrap();
        assert_eq!(progress(&journal), Progress::Chosen("a1".to_owned()));
        let how = Settlement::Accepted;
        journal.note(Event::Settled { gameid: "one".to_owned(), ply: 0, how });
        drop(journal);
        let journal = open(&place).unwrap();
        assert_eq!(progress(&journal), Progress::Settled(Some("a1".to_owned()), how));
    }

    #[test]
    fn a_line_that_was_cut_off_is_removed() {
        let place = Folder::new();
        let path = with_a_turn(&place);
        let whole = fs::read(&path).unwrap();
        let last = whole[..whole.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
        for length in last..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(read(&path).unwrap().unwrap().is_torn, length > last, "{length}");
            let journal = open(&place).unwrap();
            assert_eq!(journal.was_torn(), length > last);
            assert_eq!(journal.games().get("one").unwrap().progress, Progress::Waiting);
            drop(journal);
            assert!(!read(&path).unwrap().unwrap().is_torn);
        }
    }

    #[test]
    fn a_damaged_line_is_named() {
        let place = Folder::new();
        let path = with_a_turn(&place);
        let whole = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = whole.lines().collect();
        assert_eq!(lines.len(), 3);
        for damaged in 0..3 {
            for text in ["", "{", "{\"time\":1,\"event\":\"dance\"}", lines[(damaged + 1) % 2]] {
                let mut lines = lines.clone();
                if lines[damaged] == text || damaged == 2 && text.contains("asked") {
                    continue;
                }
                lines[damaged] = text;
                fs::write(&path, lines.join("\n") + "\n").unwrap();
                let error = format!("{:#}", open(&place).err().unwrap());
                let place = format!("line {} of {}", damaged + 1, path.display());
                assert!(error.contains(&place) && error.contains("--journal"), "{text}: {error}");
            }
        }
        let foreign = whole.replacen("\"format\":1", "\"format\":2", 1);
        fs::write(&path, foreign).unwrap();
        assert!(format!("{:#}", open(&place).err().unwrap()).contains("has format 2"));
    }

    #[test]
    fn a_journal_has_one_bot_at_a_time() {
        let place = Folder::new();
        let journal = open(&place).unwrap();
        let error = |account| {
            let opened = Journal::open(&place.file("bot"), account, IDLE);
            opened.err().unwrap().to_string()
        };
        assert!(error("account").contains("another bot uses"));
        drop(journal);
        assert!(error("other").contains("belongs to another bot"));
        assert!(open(&place).is_ok());
    }

    #[test]
    fn a_large_journal_is_written_anew() {
        let place = Folder::new();
        let mut journal = open(&place).unwrap();
        journal.large = 10_000;
        for _ in 0..1000 {
            journal.note(asked("one"));
            journal.note(chosen("one"));
            journal.large = journal.large.min(10_000);
        }
        assert!(journal.length < 11_000, "{}", journal.length);
        assert_eq!(fs::metadata(journal.path()).unwrap().len(), journal.length);
        drop(journal);
        assert_eq!(open(&place).unwrap().games().iter().count(), 1);
    }
}
