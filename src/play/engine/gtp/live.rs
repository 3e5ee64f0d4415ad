//! Live analysis: the search of the position on the board, told at intervals until any input
//! arrives.
//!
//! `lz-analyze` and `lz-genmove_analyze` are those of Leela Zero, `kata-analyze` that of KataGo;
//! front ends such as Sabaki read them. `tavoliere-analyze_stream` has all that
//! `tavoliere-analyze` has.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

use super::Engine;
use super::commands::SYNTAX;
use super::protocol::{Command, response};
use crate::base::clock::Instant;
use crate::base::line_reader::LineReader;
use crate::play::engine::session::{Answer, Colour, MOST_WATCHED};
use crate::play::players::{PlayerFactory, SearchReport};

/// The time from one line to the next, unless the command says otherwise.
const INTERVAL: Duration = Duration::from_secs(1);

/// The shortest and the longest interval, in hundredths of a second.
const INTERVALS: std::ops::RangeInclusive<u64> = 1..=100_000;

/// How the lines are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// Values and priors in ten thousandths, as those of Leela Zero.
    Leela,
    /// Values and priors from 0 to 1, as those of KataGo.
    Kata,
    /// An answer of `tavoliere analyze`.
    Whole,
}

/// The names of the commands, for `list_commands`.
pub(super) const COMMANDS: [&str; 4] =
    ["lz-analyze", "kata-analyze", "lz-genmove_analyze", "tavoliere-analyze_stream"];

/// A command of live analysis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Live {
    form: Form,
    /// Whether the best turn is played in the end.
    plays: bool,
}

impl Live {
    /// The live analysis that a command asks for.
    pub(super) fn of(command: &Command) -> Option<Self> {
        let (form, plays) = match command.name.as_str() {
            "lz-analyze" => (Form::Leela, false),
            "kata-analyze" => (Form::Kata, false),
            "lz-genmove_analyze" => (Form::Leela, true),
            "tavoliere-analyze_stream" => (Form::Whole, false),
            _ => return None,
        };
        Some(Self { form, plays })
    }
}

impl<F: PlayerFactory> Engine<F> {
    /// Analyses until a line arrives, or until the turn is played.
    pub(super) fn go_live(
        &mut self,
        command: &Command,
        live: Live,
        lines: &LineReader,
        output: &mut impl Write,
    ) -> io::Result<()> {
        let refused = |output: &mut dyn Write, reason: String| {
            write!(output, "{}", response(command.id, &Err(reason)))
        };
        let (colour, interval) = match arguments(&command.arguments) {
            Ok(arguments) => arguments,
            Err(reason) => return refused(output, reason),
        };
        // A single evaluation shows whether the player can analyse.
        let checked = self.session().and_then(|session| session.check_live(colour));
        if let Err(reason) = checked {
            return refused(output, reason);
        }
        let id = command.id.map_or_else(String::new, |id| id.to_string());
        writeln!(output, "={id}")?;
        let begun = Instant::now();
        let allowed = live.plays.then(|| self.allowed(colour)).flatten();
        let ends = allowed.map(|allowed| begun + allowed);
        let report = self.tell(live, interval, ends, lines, output)?;
        if live.plays {
            let played = self.play_best(report, begun.elapsed());
            writeln!(output, "play {}", played.unwrap_or_else(|reason| reason))?;
        }
        writeln!(output)
    }

    /// The time of a turn that is generated; without a clock and `--time`, that of one interval.
    fn allowed(&mut self, colour: Option<Colour>) -> Option<Duration> {
        let mover = colour.or(self.session().ok()?.to_move())?;
        Some(self.allotment(mover).unwrap_or(INTERVAL))
    }

    /// Searches and writes a line at each interval. Returns the last report.
    fn tell(
        &mut self,
        live: Live,
        interval: Duration,
        ends: Option<Instant>,
        lines: &LineReader,
        output: &mut impl Write,
    ) -> io::Result<SearchReport> {
        let mut simulations = 0_u32;
        loop {
            let next = Instant::now() + interval;
            let until = ends.map_or(next, |ends| ends.min(next));
            // A turn is searched to its end, whatever is typed ahead.
            let is_stopped = || !live.plays && lines.has_arrived();
            let session = self.session.as_mut().expect("it was checked");
            let report = session.analyze_live(simulations, MOST_WATCHED, until, &|| !is_stopped());
            simulations = report.simulations;
            let line = match live.form {
                Form::Whole => session.describe(&report),
                form => info(form, &report),
            };
            if !line.is_empty() {
                writeln!(output, "{line}")?;
            }
            output.flush()?;
            if is_stopped() || ends.is_some_and(|ends| Instant::now() >= ends) {
                return Ok(report);
            }
            // The search was over before its time: it finds nothing more.
            if Instant::now() + interval / 2 < next {
                if ends.is_none() {
                    lines.wait();
                }
                return Ok(report);
            }
        }
    }

    fn play_best(&mut self, report: SearchReport, taken: Duration) -> Answer {
        let session = self.session()?;
        let mover = session.to_move();
        let text = report.best.text.to_string();
        session.advance(&report.best);
        if let Some(mover) = mover {
            self.clock.spend(mover.index(), taken);
        }
        Ok(text)
    }
}

/// The colour, if there is one, and the interval in hundredths of a second. What other programs add
/// behind it, as `minmoves 5`, is ignored.
fn arguments(arguments: &[String]) -> Result<(Option<Colour>, Duration), String> {
    let colour = arguments.first().and_then(|first| Colour::read(first));
    let rest = &arguments[usize::from(colour.is_some())..];
    let rest = rest.strip_prefix(&["interval".to_owned()][..]).unwrap_or(rest);
    let interval = match rest.first() {
        None => INTERVAL,
        Some(word) => {
            let hundredths: u64 = word.parse().map_err(|_| SYNTAX.to_owned())?;
            if !INTERVALS.contains(&hundredths) {
                let (least, most) = (INTERVALS.start(), INTERVALS.end());
                return Err(format!("the interval must be between {least} and {most}"));
            }
            Duration::from_millis(10 * hundredths)
        }
    };
    Ok((colour, interval))
}

/// A line of `info` for each turn, best first.
fn info(form: Form, report: &SearchReport) -> String {
    let mut line = String::new();
    for (order, ranked) in report.turns.iter().enumerate() {
        let chance = if ranked.visits == 0 { 0.5 } else { ranked.wdl[0] + ranked.wdl[1] / 2.0 };
        let [chance, prior] = match form {
            Form::Kata => [chance, ranked.prior].map(|share| format!("{share:.4}")),
            _ => [chance, ranked.prior].map(|share| format!("{:.0}", 10_000.0 * share)),
        };
        let turn = &ranked.turn.text;
        let separator = if order == 0 { "" } else { " " };
        // Writing to a string cannot fail.
        let _ = write!(
            line,
            "{separator}info move {turn} visits {} winrate {chance} prior {prior} order {order} pv ",
            ranked.visits
        );
        match order {
            0 => {
                let texts: Vec<_> = report.line.iter().map(|turn| turn.text.as_str()).collect();
                line.push_str(&texts.join(" "));
            }
            _ => line.push_str(turn),
        }
    }
    line
}
