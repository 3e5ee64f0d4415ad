//! The folder of a ladder: the log `ladder.jsonl` and the records of the games `games.jsonl`.

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::files::{Appended, logged_part};
use super::journal::{Event, Fixture, Header, Journal, LadderPlayer, Pair};
use super::schedule;
use crate::base::durable::{lock, sync_folder_of};
use crate::play::arena::{Played, Recorder, Winner};

/// A ladder that is open for playing.
#[derive(Debug)]
pub(crate) struct Ladder {
    journal: Journal,
    log: Appended,
    games: Appended,
    /// Prevents other processes from playing the ladder.
    _lock: File,
}

/// Path of the log of the ladder in `folder`.
fn log_path(folder: &Path) -> PathBuf {
    folder.join("ladder.jsonl")
}

impl Ladder {
    /// Reads the log in `folder` without changing any file; `None` if there is no ladder.
    ///
    /// # Errors
    ///
    /// If the log cannot be read or is damaged.
    pub(crate) fn peek(folder: &Path) -> Result<Option<Journal>> {
        Ok(Journal::read(&log_path(folder))?.map(|(journal, _)| journal))
    }

    /// Opens the ladder in `folder`, or starts one if there is none. Incomplete entries that a
    /// crash left are cut off.
    ///
    /// # Errors
    ///
    /// If the header of the ladder differs from `header`, its log is damaged, another process is
    /// playing it, or the folder cannot be written.
    pub(crate) fn open(folder: &Path, header: &Header) -> Result<Self> {
        fs::create_dir_all(folder)
            .and_then(|()| sync_folder_of(folder))
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
        let path = folder.join("lock");
        let lock = lock(&path).with_context(|| format!("cannot lock {}", path.display()))?;
        let lock =
            lock.with_context(|| format!("another process is playing in {}", folder.display()))?;
        let read = Journal::read(&log_path(folder))?;
        let mut log = Appended::open(&log_path(folder))?;
        let journal = match read {
            Some((journal, whole)) => {
                journal.header.expect(header).with_context(|| {
                    format!("cannot continue the ladder in {}", folder.display())
                })?;
                log.cut(whole)?;
                journal
            }
            None => {
                log.cut(0)?;
                log.append(&Event::Ladder(header.clone()).line())?;
                Journal::new(header.clone())
            }
        };
        let mut games = Appended::open(&folder.join("games.jsonl"))?;
        cut_unlogged(&mut games, &journal)?;
        Ok(Self { journal, log, games, _lock: lock })
    }

    /// The state of the ladder.
    pub(crate) fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Returns the number of a player; adds the player if it is new.
    ///
    /// # Errors
    ///
    /// If a player of the same name has another checksum, or the log cannot be written.
    pub(crate) fn enter(&mut self, entry: LadderPlayer) -> Result<usize> {
        let Some(number) = self.journal.number(&entry.name) else {
            self.note(&[Event::Player(entry)])?;
            return Ok(self.journal.players.len() - 1);
        };
        let known = &self.journal.players[number];
        ensure!(
            known.checksum == entry.checksum,
            "the player `{}` has changed since it entered: its weights, search settings or \
             simulations are different (checksum {}, before {}); restore them, or use another \
             --folder",
            entry.name,
            entry.checksum,
            known.checksum
        );
        Ok(number)
    }

    /// Returns the next match between the `active` players, or the rest of it if it has begun;
    /// `None` if no openings are left. `available` returns the number of openings, up to its
    /// argument.
    ///
    /// # Errors
    ///
    /// If the log cannot be written.
    pub(crate) fn next(
        &mut self,
        active: &[usize],
        mut available: impl FnMut(u64) -> u64,
    ) -> Result<Option<Fixture>> {
        let plays = |it: &Fixture| active.contains(&it.first) && active.contains(&it.second);
        if self.journal.plan.is_empty() || !self.journal.plan.iter().all(plays) {
            let plan = schedule::round(&self.journal, active, &mut available);
            if plan.is_empty() {
                return Ok(None);
            }
            self.note(&[Event::Round(plan)])?;
        }
        Ok(self.journal.plan.first().copied())
    }

    /// Adds the next pairs of games of the next match.
    ///
    /// # Errors
    ///
    /// If the games or the log cannot be written.
    pub(crate) fn add(
        &mut self,
        fixture: &Fixture,
        recorder: &Recorder,
        played: &[[Played; 2]],
    ) -> Result<()> {
        let Fixture { first, second, .. } = *fixture;
        let names = [first, second].map(|player| self.journal.players[player].name.as_str());
        let (mut games, mut events) = (String::new(), Vec::new());
        for (opening, pair) in (fixture.opening..).zip(played) {
            for game in pair {
                games.push_str(&recorder.record(opening, names, game).to_string());
                games.push('\n');
            }
            let winners = pair.each_ref().map(|game| Winner::from(game.outcome));
            events.push(Event::Pair(Pair { first, second, opening, winners }));
        }
        self.games.append(&games)?;
        self.note(&events)
    }

    /// Applies events to the journal and appends them to the log.
    fn note(&mut self, events: &[Event]) -> Result<()> {
        events.iter().try_for_each(|event| self.journal.apply(event.clone()))?;
        self.log.append(&events.iter().map(Event::line).collect::<String>())
    }
}

/// Cuts off the games at the end of the file that are not in the log.
fn cut_unlogged(games: &mut Appended, journal: &Journal) -> Result<()> {
    let pairs = journal.pairs.iter().map(|pair| (pair.first, pair.second, pair.opening));
    let logged: HashSet<(usize, usize, u64)> = pairs.collect();
    let is_logged = |one: &str, two: &str, opening: u64| {
        let numbers = journal.number(one).zip(journal.number(two));
        numbers.is_some_and(|(one, two)| logged.contains(&(one.min(two), one.max(two), opening)))
    };
    let length = logged_part(games.reader()?, is_logged);
    let length = length.with_context(|| format!("cannot read {}", games.path().display()))?;
    games.cut(length)
}
