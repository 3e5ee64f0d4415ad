//! A first look at a game: what its games are like, by random play and by short searches.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::base::rng::{Purpose, stream};
use crate::games::Outcome;
use crate::registry::{Position, Variant};
use crate::search::{self, Cache, Rollouts};
use crate::selfplay::record::{Choice, GameRecord};
use crate::selfplay::{self, Counters, IterationJob, placement, random_play};

/// The most games of random play, and of searches.
const GAMES: u64 = 256;

/// Games that are played at once.
const WAVE: u64 = 16;

/// Simulations of a search.
const SIMULATIONS: u32 = 16;

/// Games that are looked at more closely.
const SAMPLED: usize = 32;

/// The share of actions that put things other than pieces on the board, up to which a game is one of
/// moving all the same.
const FEW: f64 = 0.3;

/// How many times as long as planned games of searches may take: they can be longer than those of
/// random play.
const OVERTIME: u32 = 2;

/// Whether the pieces of most positions can stand on random cells.
fn can_place(variant: &Variant, games: &[GameRecord], seed: u64) -> bool {
    let mut rng = stream(seed, 0, 0, Purpose::Placement);
    let placed = |_: &usize| placement::random(variant, games, &mut rng).is_some();
    (0..SAMPLED).filter(placed).count() > SAMPLED / 2
}

/// What games of some players are like.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Sample {
    /// Mean number of turns.
    pub turns: f64,
    /// Mean number of actions; a turn may have several.
    pub actions: f64,
    /// Share of the games with a winner.
    pub decided: f64,
}

/// What a game looks like.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Look {
    /// Cells of the board.
    pub cells: usize,
    /// Mean number of legal actions.
    pub branching: f64,
    /// Games of searches of a few simulations with rollouts; random ones if those take too long.
    pub searched: Sample,
    /// Random games a second, on one thread.
    pub random_games_per_s: f64,
    /// Share of the actions that add nothing to the board.
    pub moving: f64,
    /// Whether games can begin with the pieces on random cells.
    pub can_place: bool,
    /// Whether the heuristic tells positions apart.
    pub has_heuristic: bool,
}

impl Look {
    /// Looks at a game, on `threads` threads. Games of a kind are played for as long as `patience`,
    /// if that is enough for some.
    pub(crate) fn at(variant: &Variant, threads: usize, seed: u64, patience: Duration) -> Self {
        let begun = Instant::now();
        let random = random_games(variant, seed, patience);
        let random_games_per_s = random.len() as f64 / begun.elapsed().as_secs_f64().max(1e-9);
        let random_sample = Sample::of(&random);
        let searched = match is_quick(&random_sample, random_games_per_s, threads, patience) {
            true => searched_games(variant, threads, seed, patience),
            false => Vec::new(),
        };
        let searched = if searched.is_empty() { random_sample } else { Sample::of(&searched) };
        let mut counts = Counts::default();
        let sampled = || random.iter().take(SAMPLED);
        sampled().for_each(|game| counts.add(variant, game));
        Self {
            cells: variant.initial().squares().chars().count(),
            branching: counts.legal as f64 / (counts.actions as f64).max(1.0),
            searched,
            random_games_per_s,
            moving: counts.moving(),
            can_place: can_place(variant, &random, seed),
            has_heuristic: sampled().any(|game| random_play::has_heuristic(variant, game)),
        }
    }
}

impl Sample {
    fn of(games: &[GameRecord]) -> Self {
        let mean = |value: &dyn Fn(&GameRecord) -> f64| {
            games.iter().map(value).sum::<f64>() / (games.len() as f64).max(1.0)
        };
        Self {
            turns: mean(&|game| f64::from(game.plies)),
            actions: mean(&|game| game.choices.len() as f64),
            decided: mean(&|game| f64::from(game.outcome != Outcome::Draw)),
        }
    }
}

fn random_games(variant: &Variant, seed: u64, patience: Duration) -> Vec<GameRecord> {
    let mut rng = stream(seed, 0, 0, Purpose::Playout);
    let begun = Instant::now();
    let mut games = Vec::new();
    while games.is_empty() || (games.len() < GAMES as usize && begun.elapsed() < patience) {
        games.push(random_play::game(variant, games.len() as u64, &mut rng));
    }
    games
}

/// Whether searches play a wave of games soon: each simulation is half a random game.
fn is_quick(random: &Sample, per_s: f64, threads: usize, patience: Duration) -> bool {
    let game = random.actions * f64::from(SIMULATIONS) / 2.0 / per_s.max(1e-9);
    let seconds = game * WAVE.div_ceil(threads.max(1) as u64) as f64;
    seconds < patience.as_secs_f64() / 2.0
}

/// Games of searches in which a random game evaluates a position; none if even the first ones take
/// too long.
fn searched_games(
    variant: &Variant,
    threads: usize,
    seed: u64,
    patience: Duration,
) -> Vec<GameRecord> {
    let settings = selfplay::Settings {
        games: WAVE,
        simulations: SIMULATIONS,
        ..selfplay::Settings::default().without_openings()
    };
    let (search, cache) = (search::Settings::default(), Cache::new(0, 0));
    let (counters, stop) = (Counters::default(), AtomicBool::new(false));
    let begun = Instant::now();
    let mut played = Vec::new();
    let stop = &stop;
    let (done, is_done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let is_done = is_done.recv_timeout(OVERTIME * patience);
            stop.store(is_done == Err(RecvTimeoutError::Timeout), Ordering::Relaxed);
        });
        for wave in 0..GAMES / WAVE {
            let job = IterationJob::new(variant, &search, &settings, &cache);
            let job = IterationJob { seed, iteration: wave, ..job };
            let games =
                selfplay::play(&job, &mut vec![Rollouts::new(seed); threads], &counters, stop);
            played.extend(games.into_iter().flatten());
            if begun.elapsed() > patience {
                break;
            }
        }
        drop(done);
    });
    played
}

/// What is counted at the positions of games.
#[derive(Default)]
struct Counts {
    actions: u64,
    legal: u64,
    /// Actions that add a piece, `x` or `o`.
    placing: u64,
    /// Actions that add something else, such as an arrow.
    blocking: u64,
}

impl Counts {
    /// Adds the positions of a game.
    fn add(&mut self, variant: &Variant, played: &GameRecord) {
        let mut game = variant.initial();
        let mut legal = Vec::new();
        for &Choice { action, .. } in &played.choices {
            game.legal_actions(&mut legal);
            self.actions += 1;
            self.legal += legal.len() as u64;
            let [pieces, things] = placed(&game);
            game.play(action);
            let [pieces_then, things_then] = placed(&game);
            self.placing += u64::from(pieces_then > pieces);
            self.blocking += u64::from(things_then > things && pieces_then <= pieces);
        }
    }

    /// The share of the actions that add nothing to the board. A few things beside the pieces, such
    /// as the holes that are placed before a game of Neutron, do not count.
    fn moving(&self) -> f64 {
        let share = |count: u64| count as f64 / (self.actions as f64).max(1.0);
        let blocking = share(self.blocking);
        1.0 - share(self.placing) - if blocking > FEW { blocking } else { 0.0 }
    }
}

/// The numbers of pieces of both sides, and of these and all other things on the board.
fn placed(game: &Position) -> [usize; 2] {
    let squares = game.squares();
    let count = |is: fn(char) -> bool| squares.chars().filter(|&symbol| is(symbol)).count();
    [count(|symbol| matches!(symbol, 'x' | 'o')), count(|symbol| symbol != '.')]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::preset;

    fn look(name: &str) -> Look {
        Look::at(&preset(name).unwrap(), 1, 1, Duration::from_secs(1))
    }

    fn random(name: &str) -> Sample {
        Sample::of(&random_games(&preset(name).unwrap(), 1, Duration::from_secs(1)))
    }

    #[test]
    fn games_of_placing_and_of_moving_are_told_apart() {
        let connect_four = look("connect_four");
        assert_eq!((connect_four.cells, connect_four.moving), (42, 0.0));
        assert!(!connect_four.can_place && connect_four.branching > 5.0, "{connect_four:?}");
        let played = random("connect_four");
        assert!(played.turns > 15.0 && played.decided > 0.9, "{played:?}");
        let neutron = look("neutron5");
        assert_eq!(neutron.moving, 1.0);
        assert!(neutron.can_place && neutron.has_heuristic, "{neutron:?}");
        let played = random("neutron5");
        assert!(played.actions > 1.5 * played.turns, "a turn has two actions");
        assert_eq!(look("neutron5_hole2").moving, 1.0, "but for some holes in the beginning");
        let susan = look("susan");
        assert!(susan.moving > 0.0 && susan.moving < 1.0, "{susan:?}");
    }

    #[test]
    fn what_is_put_on_the_board_in_every_turn_is_placed() {
        let counts = |placing, blocking| Counts { actions: 100, placing, blocking, legal: 0 };
        assert_eq!(counts(25, 0).moving(), 0.75);
        assert_eq!(counts(0, 50).moving(), 0.5);
        assert_eq!(counts(0, 10).moving(), 1.0);
    }

    #[test]
    fn a_game_that_chance_never_decides_is_seen() {
        let checkers_gomoku = look("checkers_gomoku");
        let played = random("checkers_gomoku");
        assert!(played.decided < 0.2, "{played:?}");
        assert!(checkers_gomoku.searched.decided < 0.2, "{checkers_gomoku:?}");
    }
}
