//! Plays the matches of a ladder, one after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use indicatif::ProgressBar;

#[cfg(feature = "cluster")]
use super::cluster::ClusterLadder;
use super::{Args, Pool};
use crate::base::progress;
use crate::base::rng::mix;
use crate::cli::match_conditions::Conditions;
use crate::cli::{Failure, interrupt, usage};
use crate::play::arena::{Opening, OpeningBook, Played, Recorder};
use crate::play::players::PlayerSeed;
use crate::registry::Variant;
use crate::runs::ladder::{Fixture, Header, Journal, Ladder};
use crate::runs::match_players::MatchPlayers;
use crate::runs::players::{LoadedPlayer, Setup};

/// Games for each player without `--games` and `--time`.
const GAMES_EACH: u64 = 100;

/// Where the games are played.
enum Place {
    /// By this process.
    Here,
    /// By the workers of a cluster.
    #[cfg(feature = "cluster")]
    Cluster(Box<ClusterLadder>),
}

/// What the games of the matches depend on.
pub(super) struct MatchSetup<'a> {
    /// The players by their numbers in the ladder.
    players: BTreeMap<usize, &'a LoadedPlayer>,
    pub book: OpeningBook,
    seed: u64,
    /// Simulations of a trained player without a limit.
    pub simulations: u32,
}

/// When to stop, with a progress bar.
pub(super) struct Budget {
    /// Pairs of games in all.
    pairs: Option<u64>,
    time: Option<std::time::Duration>,
    begun: Instant,
    pub interrupted: &'static AtomicBool,
    bar: ProgressBar,
}

impl Args {
    /// Plays until the budget is spent and returns the journal.
    pub(super) fn play(&self, variant: &Variant, pool: &Pool) -> Result<Journal, Failure> {
        usage(self.try_players(variant, pool))?;
        let names: BTreeSet<&str> = pool.players.iter().map(|it| it.name.as_str()).collect();
        if names.len() < 2 {
            return usage(Err(anyhow!("a ladder needs at least two different players")));
        }
        let Conditions { opening, seed, decided, balanced, .. } = self.conditions;
        let header = Header::new(variant, opening, seed, [decided, balanced]);
        let mut ladder = usage(Ladder::open(&pool.folder, &header))?;
        let mut players = BTreeMap::new();
        for player in &pool.players {
            let number = usage(ladder.enter(player.entry(self.conditions.simulations)?))?;
            players.insert(number, player);
        }
        let active: Vec<usize> = players.keys().copied().collect();
        let mut place = self.place(pool)?;
        let budget = Budget::new(self, &ladder, active.len())?;
        let Conditions { seed, simulations, .. } = self.conditions;
        let book = self.conditions.book(variant);
        let mut setup = MatchSetup { players, book, seed, simulations };
        let recorder = Recorder::new(variant);
        let mut openings_left = true;
        while openings_left && !budget.is_spent(ladder.journal()) {
            let available = |pairs| setup.book.first(pairs as usize).len() as u64;
            let fixture = ladder.next(&active, available)?;
            openings_left = fixture.is_some();
            let Some(fixture) = fixture else { break };
            match &mut place {
                Place::Here => play_match(&mut ladder, fixture, &mut setup, &recorder, &budget)?,
                #[cfg(feature = "cluster")]
                Place::Cluster(cluster) => {
                    cluster.play_match(&mut ladder, &mut setup, &recorder, &budget)?;
                }
            }
        }
        budget.bar.finish_and_clear();
        self.print_stop_reason(&budget, openings_left, &pool.folder);
        #[cfg(feature = "cluster")]
        if let Place::Cluster(cluster) = &place {
            cluster.close(&budget)?;
        }
        Ok(ladder.journal().clone())
    }

    /// Where the games are played.
    fn place(&self, pool: &Pool) -> Result<Place, Failure> {
        #[cfg(feature = "cluster")]
        if self.cluster.is_given() {
            return Ok(Place::Cluster(Box::new(ClusterLadder::open(&self.cluster, pool)?)));
        }
        let _ = pool;
        Ok(Place::Here)
    }

    /// Creates every player once, so that one that cannot play this game never enters the ladder.
    fn try_players(&self, variant: &Variant, pool: &Pool) -> Result<()> {
        let seed = PlayerSeed { seed: self.conditions.seed, player: 0 };
        let setup = Setup { seed, simulations: self.conditions.simulations, threads: 1 };
        pool.players.iter().try_for_each(|it| it.player(variant, &setup).map(drop))
    }

    /// Prints why fewer games were played than requested, and how to continue.
    fn print_stop_reason(&self, budget: &Budget, openings_left: bool, folder: &std::path::Path) {
        let say = |line: String| {
            // If standard error cannot be written, the list is still printed.
            let _ = writeln!(stderr(), "{line}");
        };
        if budget.is_interrupted() {
            say(format!(
                "stopped; all games are in {}, the same command resumes",
                folder.display()
            ));
        } else if !openings_left {
            say(format!(
                "all different openings of {} turns have been played; for more games start a \
                 ladder with another --opening in another --folder",
                self.conditions.opening
            ));
        }
    }
}

/// Plays a match on this machine, or the part of it that the budget allows.
fn play_match(
    ladder: &mut Ladder,
    mut fixture: Fixture,
    setup: &mut MatchSetup<'_>,
    recorder: &Recorder,
    budget: &Budget,
) -> Result<(), Failure> {
    fixture.pairs = fixture.pairs.min(budget.pairs_left(ladder.journal()));
    if budget.is_interrupted() {
        // No engine starts any more.
        return Ok(());
    }
    let (mut table, pairs) = (usage(setup.table(&fixture))?, fixture.pairs as usize);
    let names = setup.names(&fixture);
    let openings = setup.openings(&fixture)?.to_vec();
    for piece in openings.chunks(table.pairs_at_once().min(pairs)) {
        let before = ladder.journal().games();
        let watch = |finished| budget.show(before + finished, names);
        let played = table.play(piece, &watch, budget.interrupted);
        fixture.opening += add_finished(ladder, &fixture, recorder, played)?;
        if budget.is_spent(ladder.journal()) {
            break;
        }
    }
    Ok(())
}

/// Adds the pairs of a match up to the first that is not finished, at which the ladder resumes after
/// an interruption. Returns their number.
pub(super) fn add_finished(
    ladder: &mut Ladder,
    fixture: &Fixture,
    recorder: &Recorder,
    played: Vec<Option<[Played; 2]>>,
) -> Result<u64> {
    let finished: Vec<_> = played.into_iter().map_while(|pair| pair).collect();
    ladder.add(fixture, recorder, &finished)?;
    Ok(finished.len() as u64)
}

impl<'a> MatchSetup<'a> {
    fn two(&self, fixture: &Fixture) -> [&'a LoadedPlayer; 2] {
        [self.players[&fixture.first], self.players[&fixture.second]]
    }

    /// The names of both players.
    pub(super) fn names(&self, fixture: &Fixture) -> [&'a str; 2] {
        self.two(fixture).map(|player| player.name.as_str())
    }

    /// The seed of a match: every pair of players has its own random numbers.
    pub(super) fn seed(&self, fixture: &Fixture) -> u64 {
        let pairing = (fixture.first as u64) << 32 | fixture.second as u64;
        mix(self.seed ^ mix(pairing))
    }

    /// The openings of a match.
    pub(super) fn openings(&mut self, fixture: &Fixture) -> Result<&[Opening]> {
        let (begin, pairs) = (fixture.opening as usize, fixture.pairs as usize);
        let openings = self.book.first(begin + pairs).get(begin..).filter(|it| it.len() == pairs);
        openings.context("the ladder's log asks for openings that do not exist")
    }

    fn table(&self, fixture: &Fixture) -> Result<MatchPlayers> {
        let (two, seed, pairs) = (self.two(fixture), self.seed(fixture), fixture.pairs as usize);
        let (variant, threads) = (self.book.variant(), rayon::current_num_threads());
        MatchPlayers::new(variant, two, seed, self.simulations, pairs, threads)
    }
}

impl Budget {
    fn new(args: &Args, ladder: &Ladder, players: usize) -> Result<Self> {
        let games = match (args.games, args.time) {
            (None, None) => Some(GAMES_EACH * players as u64),
            (games, _) => games,
        };
        let length = args.time.map_or(games.unwrap_or_default(), |time| time.as_secs());
        let unit = if args.time.is_some() { "s" } else { "games" };
        let bar = progress::bar(length, "ladder", unit);
        bar.set_position(if args.time.is_some() { 0 } else { ladder.journal().games() });
        // The rate is that of this command.
        bar.reset_eta();
        Ok(Self {
            pairs: games.map(|games| games.div_ceil(2)),
            time: args.time,
            begun: Instant::now(),
            interrupted: interrupt::listen_and_stop_engines(),
            bar,
        })
    }

    pub(super) fn pairs_left(&self, journal: &Journal) -> u64 {
        let played = journal.pairs.len() as u64;
        self.pairs.map_or(u64::MAX, |pairs| pairs.saturating_sub(played))
    }

    /// The number of games in all, 0 if only the time is limited.
    #[cfg(feature = "cluster")]
    pub(super) fn games(&self) -> u64 {
        self.pairs.map_or(0, |pairs| 2 * pairs)
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    fn is_spent(&self, journal: &Journal) -> bool {
        self.pairs_left(journal) == 0
            || self.time.is_some_and(|time| self.begun.elapsed() >= time)
            || self.is_interrupted()
    }

    pub(super) fn show(&self, games: u64, [first, second]: [&str; 2]) {
        match self.time {
            Some(_) => {
                self.bar.set_position(self.begun.elapsed().as_secs());
                self.bar.set_message(format!("{games} games, {first} - {second}"));
            }
            None => {
                self.bar.set_position(games);
                self.bar.set_message(format!("{first} - {second}"));
            }
        }
    }
}
