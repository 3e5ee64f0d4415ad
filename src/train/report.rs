//! What a person sees of a training run.

use std::io::{Write, stdout};
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Ended, Learnt};
use crate::checkpoint::{Run, State};
use crate::game::{Outcome, Side};
use crate::net::Learner;
use crate::record::{Choice, GameRecord};

/// Prints a line. That nobody reads it any more, or that it has no room, is no reason to stop a
/// training.
macro_rules! say {
    ($($part:tt)*) => {{ let _ = writeln!(stdout(), $($part)*); }};
}

/// What there is to say of the games of an iteration.
pub struct Played {
    pub games: usize,
    /// Actions recorded.
    pub positions: usize,
    evaluations: u64,
    mean_plies: f64,
    /// Shares of games won by the first side, by the second, and drawn.
    results: [f64; 3],
    /// Mean entropy of the visits of the root, in nats: how sharply the search decides.
    search_entropy: f64,
}

impl Played {
    pub fn new(records: &[GameRecord], evaluations: u64) -> Self {
        let games = records.len();
        let positions = records.iter().map(|game| game.choices.len()).sum();
        let plies: u64 = records.iter().map(|game| u64::from(game.plies)).sum();
        let share = |outcome| {
            records.iter().filter(|game| game.outcome == outcome).count() as f64 / games as f64
        };
        let choices = records.iter().flat_map(|game| &game.choices);
        Self {
            games,
            positions,
            evaluations,
            mean_plies: plies as f64 / games as f64,
            results: [Outcome::Win(Side::P1), Outcome::Win(Side::P2), Outcome::Draw].map(share),
            search_entropy: choices.map(entropy).sum::<f64>() / positions as f64,
        }
    }

    pub fn metrics(&self, time: Duration) -> Value {
        let seconds = time.as_secs_f64();
        let [p1, p2, draws] = self.results;
        json!({
            "games": self.games,
            "positions": self.positions,
            "mean_plies": self.mean_plies,
            "p1_wins": p1,
            "p2_wins": p2,
            "draws": draws,
            "search_entropy": self.search_entropy,
            "evaluations": self.evaluations,
            "evaluations_per_s": self.evaluations as f64 / seconds.max(1e-9),
            "seconds": seconds,
        })
    }
}

fn entropy(choice: &Choice) -> f64 {
    let total: f64 = choice.visits.iter().map(|&(_, visits)| f64::from(visits)).sum();
    let shares = choice.visits.iter().map(|&(_, visits)| f64::from(visits) / total);
    shares.map(|share| -share * share.ln()).sum()
}

/// The lines of a run, on standard output.
pub struct Console {
    game: &'static str,
    parameters: usize,
}

impl Console {
    pub fn new(game: &'static str, learner: &Learner) -> Self {
        Self { game, parameters: learner.parameters() }
    }

    /// Says what is trained and from where.
    pub fn greet(&self, run: &Run, state: &State, iterations: u64, buffer: usize) {
        let folder = run.folder().display();
        let threads = rayon::current_num_threads();
        let parameters = self.parameters;
        if state.iteration == 0 {
            say!(
                "training {} in {folder}: {iterations} iterations, a network of {parameters} \
                 parameters, {threads} threads",
                self.game
            );
        } else {
            say!(
                "going on with {} in {folder}: iteration {} of {iterations} is done, {buffer} \
                 positions in the replay buffer, {threads} threads",
                self.game,
                state.iteration
            );
        }
    }

    /// The line of an iteration: games and results, losses in nats, speeds, seconds of self-play
    /// and of learning, time so far and time left.
    pub fn line(
        &self,
        state: &State,
        iterations: u64,
        played: &Played,
        learnt: &Learnt,
        [playing, learning]: [Duration; 2],
    ) {
        let [p1, p2, draws] = played.results.map(|share| 100.0 * share);
        let left = state.seconds / state.iteration as f64
            * iterations.saturating_sub(state.iteration) as f64;
        say!(
            "{:>4}/{iterations}  {} games, {:.1} turns, P1 {:.0}% P2 {:.0}% draw {:.0}%  \
             policy {:.3} value {:.3} entropy {:.2}  {:.0} eval/s {:.0} pos/s  \
             {:.0}+{:.0} s  {}, {} left",
            state.iteration,
            played.games,
            played.mean_plies,
            p1,
            p2,
            draws,
            learnt.mean(|report| report.policy),
            learnt.mean(|report| report.value),
            learnt.mean(|report| report.entropy),
            played.evaluations as f64 / playing.as_secs_f64().max(1e-9),
            learnt.positions_per_second(learning),
            playing.as_secs_f64(),
            learning.as_secs_f64(),
            clock(state.seconds),
            clock(left),
        );
    }

    /// Says where training stopped and how it goes on.
    pub fn finish(&self, ended: Ended, state: &State, iterations: u64, folder: &Path) {
        let (iteration, folder) = (state.iteration, folder.display());
        let why = match ended {
            Ended::Finished => "done",
            Ended::TimeUp => "time is up",
            Ended::Interrupted => "interrupted",
        };
        say!("{why}: {iteration} of {iterations} iterations, all in {folder}");
        if ended != Ended::Finished {
            say!("the same command goes on from here");
        }
        let program = std::env::args().next().unwrap_or_else(|| "tavoliere".to_owned());
        say!("play against it: {program} play {folder}");
    }
}

/// Seconds as hours, minutes and seconds.
fn clock(seconds: f64) -> String {
    let seconds = seconds as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}
