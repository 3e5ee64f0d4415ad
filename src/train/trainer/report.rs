//! The console output of a training.

use std::io::{Write, stdout};
use std::path::Path;

use super::Ended;
use super::learn_summary::LearnSummary;
use super::selfplay_summary::SelfplaySummary;
use crate::base::cores::Spent;
use crate::nn::burn_net::Learner;
use crate::runs::checkpoint::{Run, State};
use crate::runs::evaluation::OpponentResults;
use crate::stats::Estimate;
use crate::train::alarms::Notice;

/// Prints a line. Errors are ignored, because a closed pipe or a full disk behind standard output
/// must not stop a training.
macro_rules! print_line {
    ($($part:tt)*) => {{ let _ = writeln!(stdout(), $($part)*); }};
}

/// Prints the lines of a training on standard output.
pub(super) struct Console {
    game: &'static str,
    parameters: usize,
}

impl Console {
    pub(super) fn new(game: &'static str, learner: &Learner) -> Self {
        Self { game, parameters: learner.parameters() }
    }

    /// Prints what is trained and from which iteration; `origin` names the checkpoint whose weights
    /// a new run starts from, and is empty for random weights.
    pub(super) fn start(
        &self,
        run: &Run,
        state: &State,
        iterations: u64,
        origin: &str,
        buffer: usize,
    ) {
        let folder = run.folder().display();
        let threads = rayon::current_num_threads();
        let parameters = self.parameters;
        if state.iteration == 0 {
            let from = if origin.is_empty() { "" } else { ", starting from the weights of " };
            print_line!(
                "training {} in {folder}: {iterations} iterations, a network with {parameters} \
                 parameters{from}{origin}, {threads} threads",
                self.game
            );
        } else {
            print_line!(
                "resuming {} in {folder}: iteration {} of {iterations} is done, {buffer} positions \
                 in the replay buffer, {threads} threads",
                self.game,
                state.iteration
            );
        }
    }

    /// Prints that the run was set back to an earlier checkpoint, and what becomes of the later ones.
    pub(super) fn set_back(&self, state: &State, last: u64) {
        print_line!(
            "the run was set back from iteration {last} to {}: later checkpoints are replaced, and \
             what was measured of them no longer counts",
            state.iteration
        );
    }

    /// Prints the line of an iteration: games and results; losses in nats; speeds; seconds and CPU
    /// utilisation of self-play and of training; shares of busy evaluators, full batches and cached
    /// evaluations; time so far and time left.
    pub(super) fn line(
        &self,
        state: &State,
        iterations: u64,
        played: &SelfplaySummary,
        learnt: &LearnSummary,
        [playing, learning]: [Spent; 2],
    ) {
        let [p1, p2, draws] = played.results.map(|share| 100.0 * share);
        let left = state.seconds / state.iteration as f64
            * iterations.saturating_sub(state.iteration) as f64;
        print_line!(
            "{:>4}/{iterations}  {} games, {:.1} turns, P1 {:.0}% P2 {:.0}% draw {:.0}%  \
             policy {:.3} value {:.3} entropy {:.2}  {:.0} eval/s {:.0} pos/s  \
             {:.0}+{:.0} s, cores {}+{}, busy {:.0}% full {:.0}% cached {:.0}%  {}, {} left",
            state.iteration,
            played.games,
            played.mean_plies,
            p1,
            p2,
            draws,
            learnt.mean(|report| report.policy),
            learnt.mean(|report| report.value),
            learnt.mean(|report| report.entropy),
            played.evaluations as f64 / playing.time.as_secs_f64().max(1e-9),
            learnt.positions_per_second(learning.time),
            playing.time.as_secs_f64(),
            learning.time.as_secs_f64(),
            percent(playing.cores),
            percent(learning.cores),
            100.0 * played.busy,
            100.0 * played.fill,
            100.0 * played.hits,
            clock(state.seconds),
            clock(left),
        );
    }

    /// Prints the line of an evaluation: scores, rating with interval, and the best checkpoint so
    /// far.
    pub(super) fn evaluation(
        &self,
        iteration: u64,
        met: &[OpponentResults],
        rating: Option<Estimate>,
        best: u64,
    ) {
        let score = |met: &OpponentResults| format!("{} {:.0}%", met.opponent, 100.0 * met.score());
        let scores = met.iter().map(score).collect::<Vec<_>>().join(", ");
        let rating = rating.map_or_else(String::new, |Estimate { value, low, high }| {
            format!("  Elo {value:.0} ({low:.0} to {high:.0})")
        });
        print_line!("{iteration:>4} evaluated: {scores}{rating}, best is @{best}");
    }

    /// Prints the line of an alarm that is raised or over.
    pub(super) fn alarm(&self, iteration: u64, notice: &Notice) {
        let Notice { alarm, is_raised, seen } = notice;
        if *is_raised {
            print_line!(
                "{iteration:>4} ALARM {}: {seen}. What may help: {}",
                alarm.name,
                alarm.hint
            );
        } else {
            print_line!("{iteration:>4} {} is over: {seen}", alarm.name);
        }
    }

    /// Prints why and where the training ended, and how to resume it and play against the result.
    pub(super) fn finish(&self, ended: Ended, state: &State, iterations: u64, folder: &Path) {
        let (iteration, folder) = (state.iteration, folder.display());
        let why = match ended {
            Ended::Finished => "done",
            Ended::TimeUp => "time is up",
            Ended::Interrupted => "interrupted",
        };
        print_line!("{why}: {iteration} of {iterations} iterations, saved in {folder}");
        if ended != Ended::Finished {
            print_line!("the same command resumes it");
        }
        let program = std::env::args().next().unwrap_or_else(|| "tavoliere".to_owned());
        print_line!("play against it: {program} play {folder}");
    }
}

/// A share in percent; `?` if it is unknown.
fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "?".to_owned(), |share| format!("{:.0}%", 100.0 * share))
}

/// Seconds as `h:mm:ss` or `m:ss`.
fn clock(seconds: f64) -> String {
    let seconds = seconds as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}
