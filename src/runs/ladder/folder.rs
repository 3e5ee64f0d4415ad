//! The folder of a ladder: `ladder.jsonl`, from which everything follows, and `games.jsonl`.

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::files::{Appended, logged_part};
use super::journal::{Entry, Event, Fixture, Header, Journal, Pair};
use super::schedule;
use crate::base::durable::{lock, sync_folder_of};
use crate::play::arena::{Played, Recorder, Winner};

/// A ladder that is being played.
#[derive(Debug)]
pub struct Ladder {
    journal: Journal,
    log: Appended,
    games: Appended,
    /// Keeps other processes out.
    _lock: File,
}

/// The log of the ladder in `folder`.
fn log_path(folder: &Path) -> PathBuf {
    folder.join("ladder.jsonl")
}

impl Ladder {
    /// What the log in `folder` says, without changing anything; none if there is no ladder.
    ///
    /// # Errors
    ///
    /// If it cannot be read or is damaged.
    pub fn peek(folder: &Path) -> Result<Option<Journal>> {
        Ok(Journal::read(&log_path(folder))?.map(|(journal, _)| journal))
    }

    /// The ladder in `folder`, which is begun if there is none. What a crash left unfinished is cut
    /// off.
    ///
    /// # Errors
    ///
    /// If the folder holds another ladder or a damaged one, another process plays in it, or it
    /// cannot be written.
    pub fn open(folder: &Path, header: &Header) -> Result<Self> {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
        let path = folder.join("lock");
        let lock = lock(&path).with_context(|| format!("cannot lock {}", path.display()))?;
        let lock =
            lock.with_context(|| format!("another process plays in {}", folder.display()))?;
        let read = Journal::read(&log_path(folder))?;
        let mut log = Appended::open(&log_path(folder))?;
        let journal = match read {
            Some((journal, whole)) => {
                journal.header.expect(header).with_context(|| {
                    format!("the ladder in {}; use another --folder", folder.display())
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
        sync_folder_of(&log_path(folder))
            .with_context(|| format!("cannot write {}", folder.display()))?;
        Ok(Self { journal, log, games, _lock: lock })
    }

    /// What happened so far.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The number of a player, who enters if he is new.
    ///
    /// # Errors
    ///
    /// If another player of his name is there, or the log cannot be written.
    pub fn enter(&mut self, entry: Entry) -> Result<usize> {
        let Some(number) = self.journal.number(&entry.name) else {
            self.note(&[Event::Player(entry)])?;
            return Ok(self.journal.players.len() - 1);
        };
        let known = &self.journal.players[number];
        ensure!(
            known.checksum == entry.checksum,
            "`{}` is not who played under this name before: its weights, its search settings or \
             its simulations have changed (checksum {}, it was {}); put the old ones back, or use \
             another --folder",
            entry.name,
            entry.checksum,
            known.checksum
        );
        Ok(number)
    }

    /// The match that comes next between some of the players, or what is left of it; none if there
    /// are no openings left. `available` says how many openings there are, up to a number.
    ///
    /// # Errors
    ///
    /// If the log cannot be written.
    pub fn next(
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

    /// Takes note of the next pairs of games of the match that comes next.
    ///
    /// # Errors
    ///
    /// If they cannot be written.
    pub fn add(
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

    /// Takes note of events and writes them into the log.
    fn note(&mut self, events: &[Event]) -> Result<()> {
        events.iter().try_for_each(|event| self.journal.apply(event.clone()))?;
        self.log.append(&events.iter().map(Event::line).collect::<String>())
    }
}

/// Cuts off games at the end that are not in the log.
fn cut_unlogged(games: &mut Appended, journal: &Journal) -> Result<()> {
    let pairs = journal.pairs.iter().map(|pair| (pair.first, pair.second, pair.opening));
    let logged: HashSet<(usize, usize, u64)> = pairs.collect();
    let is_logged = |one: &str, two: &str, opening: u64| {
        let numbers = journal.number(one).zip(journal.number(two));
        numbers.is_some_and(|(one, two)| logged.contains(&(one.min(two), one.max(two), opening)))
    };
    let length = logged_part(&games.read()?, is_logged);
    games.cut(length)
}
