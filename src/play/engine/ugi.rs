//! The engine's part of UGI, the Universal Game Interface: a protocol in the manner of UCI, for any
//! game of two players.
//!
//! After the description of cutegames. `docs/formats.md` says what is supported. Only `quit` and
//! the end of the input end the session: what is wrong is told by `info string`.

use std::collections::VecDeque;
use std::io::{self, BufWriter, Read, Write};
use std::time::Duration;

use super::session::{Colour, MOST_WATCHED, Session};
use crate::base::clock::Instant;
use crate::base::line_reader::{InputLine, LineReader};
use crate::games::options;
use crate::play::players::{PlayerFactory, SearchReport};
use crate::registry::{self, Variant};

/// The longest line that is read as a command, in bytes.
const MAX_LINE: usize = 1 << 16;

/// The most commands that wait for the end of a search.
const MOST_LATER: usize = 1000;

/// The time from one line of `info` to the next.
const INTERVAL: Duration = Duration::from_millis(250);

/// The time of a search without any limit.
const USUAL: Duration = Duration::from_secs(1);

/// The share of the time that is left, and of an increment, that a turn gets.
const SHARE_OF_TIME: f64 = 1.0 / 25.0;
const SHARE_OF_INCREMENT: f64 = 0.8;

/// What is kept for the way of the answer.
const RESERVE: Duration = Duration::from_millis(50);

/// The longest time of a search, in milliseconds: a day.
const MOST_MILLISECONDS: u64 = 86_400_000;

/// An engine that speaks UGI.
pub(crate) struct UgiEngine<F> {
    factory: F,
    /// The time of a search without another limit.
    time: Option<Duration>,
    threefold: bool,
    session: Option<Session>,
    /// The number of the game.
    games: u64,
}

/// The limits of a search.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Go {
    nodes: Option<u32>,
    time: Option<Duration>,
    infinite: bool,
}

/// Times and increments of both players in milliseconds.
#[derive(Default)]
struct Clocks {
    left: [Option<u64>; 2],
    increments: [u64; 2],
}

/// The lines of the input, and those that came during a search.
struct Input {
    lines: LineReader,
    later: VecDeque<String>,
    is_over: bool,
}

impl Input {
    /// The next command; `None` at the end.
    fn next(&mut self) -> io::Result<Option<String>> {
        if let Some(line) = self.later.pop_front() {
            return Ok(Some(line));
        }
        if self.is_over {
            return Ok(None);
        }
        let line = self.lines.take()?;
        self.is_over = line.is_none();
        Ok(line.map(|line| text_of(&line)))
    }

    /// Whether something has arrived that was not looked at yet.
    fn has_news(&self) -> bool {
        !self.is_over && self.lines.has_arrived()
    }
}

fn text_of(InputLine { bytes, length }: &InputLine) -> String {
    match *length > MAX_LINE {
        // It is no command.
        true => format!("line of {length} bytes"),
        false => String::from_utf8_lossy(bytes).trim().to_owned(),
    }
}

impl<F: PlayerFactory> UgiEngine<F> {
    /// An engine without a game. `time` is the time of a search without another limit.
    pub(crate) fn new(factory: F, time: Option<Duration>, threefold: bool) -> Self {
        Self { factory, time, threefold, session: None, games: 0 }
    }

    /// Changes to another game.
    ///
    /// # Errors
    ///
    /// If the player does not support it; then nothing has changed.
    pub(crate) fn set_game(&mut self, game: Variant) -> anyhow::Result<()> {
        self.session = Some(Session::new(&self.factory, game, self.threefold)?);
        Ok(())
    }

    /// Answers commands until `quit` or the end of the input.
    ///
    /// # Errors
    ///
    /// If input or output fails, or there is no thread to read the input.
    pub(crate) fn converse(
        &mut self,
        input: impl Read + Send + 'static,
        output: impl Write,
    ) -> io::Result<()> {
        let mut output = BufWriter::new(output);
        let lines = LineReader::start(input, MAX_LINE)?;
        let mut input = Input { lines, later: VecDeque::new(), is_over: false };
        while let Some(line) = input.next()? {
            let words: Vec<&str> = line.split_whitespace().collect();
            let answered = match words[..] {
                [] => Ok(String::new()),
                ["quit", ..] => break,
                ["go", ref limits @ ..] => self.go(limits, &mut input, &mut output)?,
                [command, ref rest @ ..] => self.answer(command, rest),
            };
            match answered {
                Ok(text) => output.write_all(text.as_bytes())?,
                Err(reason) => writeln!(output, "info string {reason}")?,
            }
            output.flush()?;
        }
        output.flush()
    }

    /// The answer to a command that takes no time.
    fn answer(&mut self, command: &str, rest: &[&str]) -> Result<String, String> {
        match (command, rest) {
            ("ugi", _) => Ok(self.identity()),
            ("isready", _) => Ok("readyok\n".to_owned()),
            ("ugi_new_game" | "uginewgame", _) => {
                self.games += 1;
                let game = self.games;
                self.session()?.clear(game);
                Ok(String::new())
            }
            // There is no search.
            ("stop", _) => Ok(String::new()),
            ("setoption", ["name", "game", "value", name, rules @ ..]) => {
                self.change_game(name, rules).map(|()| String::new())
            }
            ("setoption", _) => Err("the only option is `game`, a name and its options".to_owned()),
            ("position", _) => self.set_position(rest).map(|()| String::new()),
            ("query", [what]) => self.query(what).map(|answer| format!("response {answer}\n")),
            _ => Err(format!("unknown command `{command}`")),
        }
    }

    fn identity(&self) -> String {
        let game = self.session.as_ref().map_or("none", Session::name);
        format!(
            "id name Tavoliere {}\nid author the Tavoliere developers\n\
             option name game type string default {game}\nugiok\n",
            env!("CARGO_PKG_VERSION")
        )
    }

    fn session(&mut self) -> Result<&mut Session, String> {
        let missing = "no game is set; set one with `setoption name game value NAME`";
        self.session.as_mut().ok_or_else(|| missing.to_owned())
    }

    fn change_game(&mut self, name: &str, rules: &[&str]) -> Result<(), String> {
        let rules = options(rules.iter().copied()).map_err(|error| error.to_string())?;
        let game = registry::find(name, &rules).map_err(|error| error.to_string())?;
        self.set_game(game).map_err(|error| format!("{error:#}"))
    }

    /// `position startpos|fen TEXT [moves M...]`. If something is wrong, nothing has changed.
    fn set_position(&mut self, words: &[&str]) -> Result<(), String> {
        let game = self.games;
        let session = self.session()?;
        let end = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
        let (start, moves) = (&words[..end], words.get(end + 1..).unwrap_or_default());
        let start = match start {
            ["startpos"] => None,
            ["fen", text @ ..] => Some(text.join(" ")),
            _ => return Err("expected `position startpos` or `position fen TEXT`".to_owned()),
        };
        session.check_line(start.as_deref(), moves)?;
        match start {
            None => session.clear(game),
            Some(text) => session.begin_in(&text, game)?,
        }
        for turn in moves {
            let mover = session.to_move().unwrap_or(Colour::Black);
            session.play(mover, turn);
        }
        Ok(())
    }

    fn query(&mut self, what: &str) -> Result<String, String> {
        let session = self.session()?;
        match what {
            "gameover" => Ok(session.to_move().is_none().to_string()),
            "p1turn" => Ok(session.is_first_to_move().to_string()),
            "result" => Ok(session.result().to_owned()),
            _ => Err(format!("unknown query `{what}`")),
        }
    }

    /// Searches within the limits, and answers with `bestmove`.
    fn go(
        &mut self,
        limits: &[&str],
        input: &mut Input,
        output: &mut impl Write,
    ) -> io::Result<Result<String, String>> {
        let usual = self.time;
        let begun = Instant::now();
        let found = self.session().and_then(|session| {
            let mover = session.to_move().ok_or("the game is over")?;
            let go = Go::read(limits, !session.is_first_to_move(), usual)?;
            Ok((session, mover, go))
        });
        let (session, mover, go) = match found {
            Ok(found) => found,
            Err(reason) => return Ok(Err(reason)),
        };
        if session.check_live(None).is_err() {
            // It has no search to tell of.
            let chosen = session.suggest(mover, go.time);
            return Ok(chosen.map(|turn| format!("bestmove {turn}\n")));
        }
        let report = search(session, go, begun, input, output)?;
        Ok(Ok(format!("bestmove {}\n", report.best.text)))
    }
}

/// Searches, telling what was found at intervals, until a limit is reached or `stop` arrives.
fn search(
    session: &mut Session,
    go: Go,
    begun: Instant,
    input: &mut Input,
    output: &mut impl Write,
) -> io::Result<SearchReport> {
    let ends = go.time.map(|time| begun + time);
    let mut simulations = 0_u32;
    loop {
        let next = Instant::now() + INTERVAL;
        let until = ends.map_or(next, |ends| ends.min(next));
        let most = go.nodes.unwrap_or(MOST_WATCHED).min(MOST_WATCHED);
        let before = simulations;
        let report = session.analyze_live(before, most, until, &|| !input.has_news());
        simulations = report.simulations;
        writeln!(output, "{}", info(&report, begun.elapsed()))?;
        output.flush()?;
        // All is certain, or the tree is full. News may interrupt a search before it has begun.
        let is_stuck = simulations == before && !input.has_news();
        let is_done = is_stuck || simulations >= most;
        let is_over = ends.is_some_and(|ends| Instant::now() >= ends) || (is_done && !go.infinite);
        if is_over || heed(input, output)? || (go.infinite && input.is_over) {
            return Ok(report);
        }
        if is_done {
            input.lines.wait();
        }
    }
}

/// Looks at what arrived during a search. Returns whether it stops.
fn heed(input: &mut Input, output: &mut impl Write) -> io::Result<bool> {
    while input.has_news() {
        let Some(line) = input.lines.take()? else {
            input.is_over = true;
            break;
        };
        match text_of(&line).as_str() {
            "stop" => return Ok(true),
            "isready" => {
                writeln!(output, "readyok")?;
                output.flush()?;
            }
            "quit" => {
                input.later.push_back("quit".to_owned());
                return Ok(true);
            }
            // Nothing that is sent grows without bound.
            _ if input.later.len() >= MOST_LATER => return Ok(true),
            other => input.later.push_back(other.to_owned()),
        }
    }
    Ok(false)
}

impl Go {
    /// Reads limits such as `movetime 500`, `nodes 100`, `infinite` or those of clocks. `second`
    /// tells that the second player is to move; `usual` is the time without any limit.
    fn read(words: &[&str], second: bool, usual: Option<Duration>) -> Result<Self, String> {
        let mut go = Self::default();
        let mut clocks = Clocks::default();
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            if word == "infinite" {
                go.infinite = true;
                continue;
            }
            let number = words.next().and_then(|text| text.parse::<u64>().ok());
            let number = number.filter(|&number| number <= MOST_MILLISECONDS);
            let number = number.ok_or_else(|| {
                format!("`{word}` needs a whole number from 0 to {MOST_MILLISECONDS}")
            })?;
            match word {
                "movetime" => go.time = Some(Duration::from_millis(number)),
                "nodes" => go.nodes = Some(number.clamp(1, u64::from(u32::MAX)) as u32),
                // A tree that grows where it is promising has no depth that could be set.
                "depth" => {}
                "p1time" => clocks.left[0] = Some(number),
                "p2time" => clocks.left[1] = Some(number),
                "p1inc" => clocks.increments[0] = number,
                "p2inc" => clocks.increments[1] = number,
                _ => return Err(format!("unknown limit `{word}`")),
            }
        }
        let is_free = !go.infinite && go.nodes.is_none();
        let own = clocks.allotment(usize::from(second));
        go.time = go.time.or(own).or(is_free.then_some(usual.unwrap_or(USUAL)));
        Ok(go)
    }
}

impl Clocks {
    /// The time for a turn of a player whose clock runs.
    fn allotment(&self, player: usize) -> Option<Duration> {
        let (left, increment) = (self.left[player]? as f64, self.increments[player] as f64);
        let wanted = SHARE_OF_TIME * left + SHARE_OF_INCREMENT * increment;
        // Never more than what is left after the way of the answer.
        let most = (left - RESERVE.as_secs_f64() * 1e3).max(1.0);
        Some(Duration::from_secs_f64(wanted.clamp(1.0, most) / 1e3))
    }
}

/// What a search has found so far.
fn info(report: &SearchReport, time: Duration) -> String {
    let line: Vec<&str> = report.line.iter().map(|turn| turn.text.as_str()).collect();
    let [win, _, loss] = report.value;
    format!(
        "info depth {} score cp {} nodes {} time {} pv {}",
        line.len(),
        centipawns(win - loss),
        report.simulations,
        time.as_millis(),
        line.join(" ")
    )
}

/// A value from -1 to 1 in hundredths of a pawn, as lc0 tells it, at most 12,800.
fn centipawns(value: f32) -> i32 {
    let pawns = 90.0 * (1.563_754_2 * f64::from(value)).tan();
    pawns.clamp(-12_800.0, 12_800.0).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        let read = |text: &str, second| {
            let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
            Go::read(&words, second, None)
        };
        let time = |milliseconds| Some(Duration::from_millis(milliseconds));
        let go = Go::default();
        for (text, second, expected) in [
            ("", false, Go { time: Some(USUAL), ..go }),
            ("movetime 300", false, Go { time: time(300), ..go }),
            ("nodes 0", false, Go { nodes: Some(1), ..go }),
            ("infinite", false, Go { infinite: true, ..go }),
            ("depth 4", false, Go { time: Some(USUAL), ..go }),
            // A 25th of 10 s, and 0.8 of 1 s.
            ("p1time 10000 p2time 5000 p1inc 1000 p2inc 0", false, Go { time: time(1200), ..go }),
            ("p1time 10000 p2time 5000 p1inc 1000 p2inc 0", true, Go { time: time(200), ..go }),
            // Less than what is left.
            ("p1time 100 p2time 100 p1inc 5000", false, Go { time: time(50), ..go }),
            ("p1time 0 p2time 100", false, Go { time: time(1), ..go }),
        ] {
            assert_eq!(read(text, second), Ok(expected), "{text}");
        }
        for wrong in ["movetime", "movetime x", "nodes -1", "speed 3", "p1time 99999999999"] {
            assert!(read(wrong, false).is_err(), "{wrong}");
        }
    }

    #[test]
    fn values_are_pawns() {
        assert_eq!([0.0, 1.0, -1.0, 0.5].map(centipawns), [0, 12_780, -12_780, 89]);
    }
}
