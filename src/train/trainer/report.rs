//! The console output of a training.

use std::io::Write;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use serde_json::Value;

use super::Ended;
use super::learn_summary::LearnSummary;
use super::selfplay_summary::SelfplaySummary;
use crate::base::cores::Spent;
use crate::base::duration;
use crate::base::printable::stdout;
use crate::base::program;
use crate::base::shell::quoted;
use crate::games::{Colour, Side};
use crate::nn::burn_net::Learner;
use crate::nn::conv::{Timed, int8_by_time};
use crate::registry::Variant;
use crate::runs::checkpoint::{Run, RunState};
use crate::runs::config::history::Differences;
use crate::runs::evaluation::OpponentResults;
use crate::runs::space;
use crate::stats::Estimate;
use crate::train::alarms::Notice;
use crate::train::card::Card;

/// Prints a line. Errors are ignored, because a closed pipe or a full disk behind standard output
/// must not stop a training.
macro_rules! print_line {
    ($($part:tt)*) => {{ let _ = writeln!(stdout(), $($part)*); }};
}

/// A run that will take more bytes than this is worth pruning.
const LARGE: u64 = 500_000_000;

/// Prints the lines of a training on standard output.
pub(super) struct Console {
    game: &'static str,
    /// The colour that moves first.
    first: Colour,
    parameters: usize,
    /// Whether each iteration has a line of speeds, and the CPU's instructions one at the start.
    pub is_verbose: bool,
}

impl Console {
    pub(super) fn new(variant: &Variant, learner: &Learner) -> Self {
        let (game, first) = (variant.name, variant.game().first());
        Self { game, first, parameters: learner.parameters(), is_verbose: false }
    }

    /// Prints what is trained, for how many iterations or how much `time`, and from which
    /// iteration; `origin` names the checkpoint whose weights a new run starts from, and is empty
    /// for random weights.
    pub(super) fn start(
        &self,
        run: &Run,
        state: &RunState,
        iterations: u64,
        time: Option<Duration>,
        origin: &str,
        buffer: usize,
    ) {
        let folder = run.folder().display();
        let threads = rayon::current_num_threads();
        let parameters = self.parameters;
        let length = match time {
            Some(time) => format!("{} in all", clock(time.as_secs_f64())),
            None => format!("{iterations} iterations"),
        };
        if state.iteration == 0 {
            let from = if origin.is_empty() { "" } else { ", starting from the weights of " };
            print_line!(
                "training {} in {folder}:\n      {length}, {parameters} \
                 weights{from}{origin}, {threads} threads",
                self.game
            );
        } else {
            print_line!(
                "resuming {} in {folder}:\n      {}, {buffer} positions in the replay buffer, \
                 {threads} threads",
                self.game,
                progress_of(state.iteration, iterations, time)
            );
        }
    }

    /// Prints that the run was set back to an earlier checkpoint, and what becomes of the later
    /// ones.
    pub(super) fn set_back(&self, state: &RunState, last: u64) {
        print_line!(
            "the run was set back from iteration {last} to {}: later checkpoints are replaced, and \
             what was measured of them no longer counts",
            state.iteration
        );
    }

    /// Prints the settings that differ from those with which the run was trained so far.
    pub(super) fn changed(&self, iteration: u64, changed: &Result<Differences>) {
        let changed = match changed {
            Err(error) => {
                print_line!("what changed since iteration {iteration} is not known: {error:#}");
                return;
            }
            Ok(changed) if changed.is_empty() => return,
            Ok(changed) => changed,
        };
        print_line!("settings changed after iteration {iteration}:");
        for (key, [old, new]) in changed {
            print_line!("  {key}: {} -> {}", setting(old), setting(new));
        }
    }

    /// Prints the line of an iteration: time left, length and results of the games, losses of policy
    /// and value in nats; and if wanted two more, of speeds.
    pub(super) fn line(
        &self,
        state: &RunState,
        iterations: u64,
        time_left: Option<Duration>,
        played: &SelfplaySummary,
        learnt: &LearnSummary,
        spent: [Spent; 2],
    ) {
        let left = state.seconds / state.iteration as f64
            * iterations.saturating_sub(state.iteration) as f64;
        let left = time_left.map_or(left, |time| time.as_secs_f64());
        print_line!(
            "{:>4}/{iterations}  {} left  {:.1} turns, {}  loss {:.2} {:.2}",
            state.iteration,
            clock(left),
            played.mean_plies,
            results(self.first, played.results),
            learnt.mean(|report| report.policy),
            learnt.mean(|report| report.value),
        );
        if self.is_verbose {
            speeds(played, learnt, spent);
        }
    }

    /// Prints how fast the CPU's instructions for products of bytes are, if they were timed.
    pub(super) fn instructions(&self) {
        let timed = int8_by_time();
        if self.is_verbose && timed.len() > 1 {
            let each = |(set, time): &Timed| format!("{} {} µs", set.text(), time.as_micros());
            let all = timed.iter().map(each).collect::<Vec<_>>().join(", ");
            print_line!("      a layer by products of bytes takes {all}");
        }
    }

    /// Prints the space that the run takes now and in the end, as it is and pruned, in bytes.
    pub(super) fn space(&self, now: u64, whole: u64, pruned: u64, prunes: bool) {
        let end = if prunes { pruned.max(now) } else { whole };
        let [now, end, less] = [now, end, pruned].map(space::text);
        let hint = match !prunes && whole > LARGE && whole > 2 * pruned {
            true => format!("; --set train.prune=true keeps {less} (docs/training.md)"),
            false => String::new(),
        };
        print_line!("      the run takes {now}, and about {end} at the end{hint}");
    }

    /// Prints the lines of an evaluation: scores; rating with interval, and the best checkpoint so
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
            format!("Elo {value:.0} ({low:.0} to {high:.0}), ")
        });
        print_line!("{iteration:>4} evaluated: {scores}\n      {rating}best is @{best}");
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

    /// Prints the card of the run.
    pub(super) fn card(&self, card: &Card) {
        print_line!("\n{card}");
    }

    /// Prints why and where the training ended, how to resume it or to give it more than the `time`
    /// it had, and how to play against the result.
    pub(super) fn finish(
        &self,
        ended: Ended,
        state: &RunState,
        iterations: u64,
        time: Option<Duration>,
        is_more: bool,
        folder: &Path,
    ) {
        let why = match ended {
            Ended::Finished => "done",
            Ended::TimeUp => "time is up",
            Ended::Interrupted => "interrupted",
        };
        let (space, shown) = (space::text(space::of(folder)), folder.display());
        let done = match ended == Ended::TimeUp || state.iteration > iterations {
            true => counted(state.iteration),
            false => format!("{} of {iterations} iterations", state.iteration),
        };
        print_line!("{why}: {done}, saved in {shown}, {space}");
        let words = program::words();
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        let program = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let player = format!("players/{name}");
        let folder = folder.to_string_lossy();
        let folder = quoted(&folder);
        let given = |sign: &str| {
            let text = |time: Duration| duration::text(time.max(Duration::from_secs(1)));
            time.map_or_else(String::new, |time| format!(" --time {sign}{}", text(time)))
        };
        let train = format!("{program} train {folder}");
        match ended {
            Ended::Finished => {}
            Ended::TimeUp => print_line!("give it more time: {train}{}", given("+")),
            // The same command would give it the same time once more.
            Ended::Interrupted if is_more => print_line!("resume it: {train}{}", given("")),
            Ended::Interrupted => {
                print_line!("the same command resumes it, or: {train}{}", given(""));
            }
        }
        print_line!("play against it: {program} play {folder}");
        if ended != Ended::Interrupted && state.iteration > 0 {
            let player = quoted(&player);
            print_line!("export it: {program} export {folder} --output {player}");
            print_line!("publish it: {program} site {player} --out site (docs/site.md)");
        }
    }
}

/// How far a training is: it may have gone on beyond the goal of this process.
fn progress_of(iteration: u64, goal: u64, time: Option<Duration>) -> String {
    if let Some(time) = time {
        let done = counted(iteration);
        return format!("{done} done, {} in all", clock(time.as_secs_f64()));
    }
    match iteration > goal {
        true => format!("iteration {iteration} is done, beyond the goal of {goal}"),
        false => format!("iteration {iteration} of {goal} is done"),
    }
}

fn counted(iterations: u64) -> String {
    format!("{iterations} iteration{}", if iterations == 1 { "" } else { "s" })
}

/// Prints how far a phase of the first iteration is, where no bar is shown.
pub(super) fn progress(phase: &str, iteration: u64, iterations: u64, [done, total]: [u64; 2]) {
    let (name, unit) = match phase {
        "selfplay" => ("self-play", "games"),
        "learn" => ("training", "steps"),
        other => (other, "games"),
    };
    print_line!("{iteration:>4}/{iterations}  {name}: {done} of {total} {unit}");
}

/// Prints the speeds of an iteration: evaluations and positions a second; seconds and CPU
/// utilisation of self-play and of training; shares of busy evaluators, full batches and cached
/// evaluations.
fn speeds(played: &SelfplaySummary, learnt: &LearnSummary, [playing, learning]: [Spent; 2]) {
    print_line!(
        "      {} games, {:.0} eval/s {:.0} pos/s, {:.0}+{:.0} s, cores {}+{}\n      \
         busy {:.0}% full {:.0}% cached {:.0}%, entropy {:.2}",
        played.games,
        played.evaluations as f64 / playing.time.as_secs_f64().max(1e-9),
        learnt.positions_per_second(learning.time),
        playing.time.as_secs_f64(),
        learning.time.as_secs_f64(),
        percent(playing.cores),
        percent(learning.cores),
        100.0 * played.busy,
        100.0 * played.fill,
        100.0 * played.hits,
        learnt.mean(|report| report.entropy),
    );
}

/// The shares of wins of each colour, and of draws. The first side has either colour.
fn results(colour: Colour, [first, second, draws]: [f64; 3]) -> String {
    let is_black = Side::P1.colour(colour) == 'x';
    let [black, white] = if is_black { [first, second] } else { [second, first] };
    let [black, white, draws] = [black, white, draws].map(|share| 100.0 * share);
    format!("Black {black:.0}% White {white:.0}% draw {draws:.0}%")
}

/// A value of a config as TOML has it.
fn setting(value: &Value) -> String {
    if value.is_null() { "not set".to_owned() } else { value.to_string() }
}

/// A share in percent; `?` if it is unknown.
fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "?".to_owned(), |share| format!("{:.0}%", 100.0 * share))
}

/// Seconds as `m:ss`, or from an hour on as `2h05m`.
fn clock(seconds: f64) -> String {
    let seconds = seconds as u64;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}h{minutes:02}m") } else { format!("{minutes}:{seconds:02}") }
}
