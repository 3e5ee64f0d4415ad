//! Plays the matches of a ladder.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Write, stderr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, anyhow};
use indicatif::ProgressBar;

use super::{Args, Pool};
use crate::base::progress;
use crate::base::rng::mix;
use crate::cli::match_conditions::Conditions;
use crate::cli::{Failure, interrupt, usage};
use crate::play::arena::{Opening, OpeningBook, Recorder};
use crate::play::players::{PlayerSeed, PlayerSetup};
use crate::registry::Variant;
use crate::runs::ladder::{Fixture, Header, Journal, Ladder};
use crate::runs::players::LoadedPlayer;
use crate::runs::venue::{LadderMatch, ThisProcess, Venue};
#[cfg(feature = "cluster")]
use crate::train::cluster::ClusterVenue;

/// The first match of a round, and it with those that follow.
type Round<'a> = (Fixture, Vec<LadderMatch<'a>>);

/// Games for each player without `--games` and `--time`.
const GAMES_EACH: u64 = 100;

/// What the games of the matches depend on.
struct MatchSetup<'a> {
    /// The players by their numbers in the ladder.
    players: BTreeMap<usize, &'a LoadedPlayer>,
    book: OpeningBook,
    seed: u64,
}

/// When to stop, with a progress bar.
struct LadderBudget {
    /// Pairs of games in all.
    pairs: Option<u64>,
    time: Option<std::time::Duration>,
    begun: Instant,
    interrupted: &'static AtomicBool,
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
            let number = usage(ladder.enter(player.entry(self.conditions.simulations)))?;
            players.insert(number, player);
        }
        let active: Vec<usize> = players.keys().copied().collect();
        let mut venue = self.venue(variant, pool)?;
        let budget = LadderBudget::new(self, &ladder, active.len())?;
        let book = self.conditions.book(variant);
        let mut setup = MatchSetup { players, book, seed };
        let recorder = Recorder::new(variant);
        let mut openings_left = true;
        while openings_left && !budget.is_spent(ladder.journal()) {
            let available = |pairs| setup.book.first(pairs as usize).len() as u64;
            openings_left = ladder.next(&active, available)?.is_some();
            play_next(&mut ladder, &mut *venue, &mut setup, &recorder, &budget)?;
        }
        budget.bar.finish_and_clear();
        self.print_stop_reason(&budget, openings_left, &pool.folder);
        venue.close(!budget.is_interrupted())?;
        Ok(ladder.journal().clone())
    }

    /// Where the games are played.
    fn venue(&self, variant: &Variant, pool: &Pool) -> Result<Box<dyn Venue>> {
        let simulations = self.conditions.simulations;
        #[cfg(feature = "cluster")]
        if self.cluster.is_given() {
            let (link, any_engine) = (self.cluster.connect("ladder")?, self.cluster.any_engine);
            let mut cluster =
                ClusterVenue::open(link, &pool.folder, variant, simulations, any_engine)?;
            pool.players.iter().try_for_each(|player| cluster.enter(player))?;
            return Ok(Box::new(cluster));
        }
        let _ = pool;
        Ok(Box::new(ThisProcess::new(*variant, simulations)))
    }

    /// Creates every player once, so that one that cannot play this game never enters the ladder.
    fn try_players(&self, variant: &Variant, pool: &Pool) -> Result<()> {
        let seed = PlayerSeed { seed: self.conditions.seed, player: 0 };
        let setup = PlayerSetup { seed, simulations: self.conditions.simulations, threads: 1 };
        pool.players.iter().try_for_each(|it| it.player(variant, &setup).map(drop))
    }

    /// Prints why fewer games were played than requested, and how to continue.
    fn print_stop_reason(
        &self,
        budget: &LadderBudget,
        openings_left: bool,
        folder: &std::path::Path,
    ) {
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

/// Plays the next games of the ladder, in the round of its journal, and adds them to it.
fn play_next(
    ladder: &mut Ladder,
    venue: &mut dyn Venue,
    setup: &mut MatchSetup<'_>,
    recorder: &Recorder,
    budget: &LadderBudget,
) -> Result<()> {
    let round = setup.round(ladder.journal(), budget, venue.matches_at_once())?;
    let Some((fixture, matches)) = round else { return Ok(()) };
    let (before, names) = (ladder.journal().games(), matches[0].names());
    let watch = |finished| budget.show(before + finished, names);
    let played = venue.play(&matches, &watch, budget.interrupted)?;
    // Up to the first pair that is not finished, at which the ladder resumes after an interruption.
    let finished: Vec<_> = played.into_iter().map_while(|pair| pair).collect();
    ladder.add(&fixture, recorder, &finished)?;
    venue.written(ladder.journal().games(), budget.games());
    Ok(())
}

impl<'a> MatchSetup<'a> {
    /// The first fixture of the round, and up to `most` matches of the round that the budget allows.
    fn round(
        &mut self,
        journal: &Journal,
        budget: &LadderBudget,
        most: usize,
    ) -> Result<Option<Round<'a>>> {
        let (mut left, mut matches, mut first) = (budget.pairs_left(journal), Vec::new(), None);
        for mut fixture in journal.plan.iter().copied().take(most) {
            fixture.pairs = fixture.pairs.min(left);
            left -= fixture.pairs;
            if fixture.pairs > 0 {
                matches.push(self.ladder_match(&fixture)?);
                first.get_or_insert(fixture);
            }
        }
        Ok(first.map(|first| (first, matches)))
    }

    fn ladder_match(&mut self, fixture: &Fixture) -> Result<LadderMatch<'a>> {
        let players = [self.players[&fixture.first], self.players[&fixture.second]];
        let (seed, openings) = (self.seed(fixture), self.openings(fixture)?.to_vec());
        Ok(LadderMatch { players, seed, openings })
    }

    /// The seed of a match: every pair of players has its own random numbers.
    fn seed(&self, fixture: &Fixture) -> u64 {
        let pairing = (fixture.first as u64) << 32 | fixture.second as u64;
        mix(self.seed ^ mix(pairing))
    }

    /// The openings of a match.
    fn openings(&mut self, fixture: &Fixture) -> Result<&[Opening]> {
        let (begin, pairs) = (fixture.opening as usize, fixture.pairs as usize);
        let openings = self.book.first(begin + pairs).get(begin..).filter(|it| it.len() == pairs);
        openings.context("the ladder's log asks for openings that do not exist")
    }
}

impl LadderBudget {
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

    fn pairs_left(&self, journal: &Journal) -> u64 {
        let played = journal.pairs.len() as u64;
        self.pairs.map_or(u64::MAX, |pairs| pairs.saturating_sub(played))
    }

    /// The number of games in all, 0 if only the time is limited.
    fn games(&self) -> u64 {
        self.pairs.map_or(0, |pairs| 2 * pairs)
    }

    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    fn is_spent(&self, journal: &Journal) -> bool {
        self.pairs_left(journal) == 0
            || self.time.is_some_and(|time| self.begun.elapsed() >= time)
            || self.is_interrupted()
    }

    fn show(&self, games: u64, [first, second]: [&str; 2]) {
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
