//! Plays the matches of a ladder, one after the other.

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
use crate::games::{Game, Variant};
use crate::play::arena::{OpeningBook, Recorder};
use crate::play::players::PlayerSeed;
use crate::runs::ladder::{Fixture, Header, Journal, Ladder};
use crate::runs::match_players::MatchPlayers;
use crate::runs::players::{LoadedPlayer, Setup};

/// Games for each player without `--games` and `--time`.
const GAMES_EACH: u64 = 100;

/// When to stop, with a progress bar.
struct Budget {
    /// Pairs of games in all.
    pairs: Option<u64>,
    time: Option<std::time::Duration>,
    begun: Instant,
    interrupted: &'static AtomicBool,
    bar: ProgressBar,
}

impl Args {
    /// Plays until the budget is spent and returns the journal.
    pub(super) fn play<G: Game>(
        &self,
        variant: &Variant<G>,
        pool: &Pool,
    ) -> Result<Journal, Failure> {
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
        let budget = Budget::new(self, &ladder, active.len())?;
        let (mut book, recorder) = (self.conditions.book(variant), Recorder::new(variant));
        let mut openings_left = true;
        while openings_left && !budget.is_spent(ladder.journal()) {
            let fixture = ladder.next(&active, |pairs| book.first(pairs as usize).len() as u64)?;
            openings_left = fixture.is_some();
            if let Some(fixture) = fixture {
                let two = [players[&fixture.first], players[&fixture.second]];
                self.play_match(&mut ladder, fixture, two, &mut book, &recorder, &budget)?;
            }
        }
        budget.bar.finish_and_clear();
        self.print_stop_reason(&budget, openings_left, &pool.folder);
        Ok(ladder.journal().clone())
    }

    /// Plays a match, or the part of it that the budget allows.
    fn play_match<G: Game>(
        &self,
        ladder: &mut Ladder,
        mut fixture: Fixture,
        two: [&LoadedPlayer; 2],
        book: &mut OpeningBook<G>,
        recorder: &Recorder,
        budget: &Budget,
    ) -> Result<(), Failure> {
        let variant = *book.variant();
        let pairs = fixture.pairs.min(budget.pairs_left(ladder.journal())) as usize;
        let begin = fixture.opening as usize;
        let openings = book.first(begin + pairs).get(begin..).filter(|it| it.len() == pairs);
        let openings = openings.context("the ladder's log asks for openings that do not exist")?;
        // Every pair of players has its own random numbers.
        let pairing = (fixture.first as u64) << 32 | fixture.second as u64;
        let seed = mix(self.conditions.seed ^ mix(pairing));
        let table = MatchPlayers::new(&variant, two, seed, self.conditions.simulations, pairs);
        if budget.interrupted.load(Ordering::Relaxed) {
            // No engine starts any more.
            return Ok(());
        }
        let mut table = usage(table)?;
        for piece in openings.chunks(table.pairs_at_once().min(pairs)) {
            let before = ladder.journal().games();
            let names = two.map(|player| player.name.as_str());
            let watch = |finished| budget.show(before + finished, names);
            let played = table.play(piece, &watch, budget.interrupted);
            // After an interruption, the log goes on with the first pair that is not finished.
            let played: Vec<_> = played.into_iter().map_while(|pair| pair).collect();
            ladder.add(&fixture, recorder, &played)?;
            fixture.opening += played.len() as u64;
            if budget.is_spent(ladder.journal()) {
                break;
            }
        }
        Ok(())
    }

    /// Creates every player once, so that one that cannot play this game never enters the ladder.
    fn try_players<G: Game>(&self, variant: &Variant<G>, pool: &Pool) -> Result<()> {
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
        if budget.interrupted.load(Ordering::Relaxed) {
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

    fn pairs_left(&self, journal: &Journal) -> u64 {
        let played = journal.pairs.len() as u64;
        self.pairs.map_or(u64::MAX, |pairs| pairs.saturating_sub(played))
    }

    fn is_spent(&self, journal: &Journal) -> bool {
        self.pairs_left(journal) == 0
            || self.time.is_some_and(|time| self.begun.elapsed() >= time)
            || self.interrupted.load(Ordering::Relaxed)
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
