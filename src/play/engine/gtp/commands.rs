//! The commands of the engine.

use std::time::Duration;

use super::Engine;
use super::clock::TimeSettings;
use super::live;
use super::protocol::Command;
use crate::games::options;
use crate::play::engine::session::{Answer, Colour, Session};
use crate::play::players::{POSITION, PlayerFactory, position_argument, position_of_argument};
use crate::registry;

/// Executes a command with these arguments.
type Action<F> = fn(&mut Engine<F>, &[String]) -> Answer;

pub(super) const SYNTAX: &str = "syntax error";
const NO_GAME: &str = "no game is set; set one with `tavoliere-game NAME`";

const NO_SGF: &str = "cannot load file: SGF has no positions of these games; begin in one with \
                      `tavoliere-position TEXT`, or play its turns";

/// The commands by their names.
struct Commands<F>(F);

impl<F: PlayerFactory> Commands<F> {
    const ALL: [(&'static str, Action<F>); 30] = [
        ("protocol_version", |_, _| Ok("2".to_owned())),
        ("name", |_, _| Ok("Tavoliere".to_owned())),
        ("version", |_, _| Ok(env!("CARGO_PKG_VERSION").to_owned())),
        ("list_commands", |_, _| {
            let names = Self::ALL.map(|(name, _)| name);
            Ok(names.into_iter().chain(live::COMMANDS).collect::<Vec<_>>().join("\n"))
        }),
        ("known_command", |_, arguments| {
            let is_known =
                |name: &String| Self::find(name).is_some() || live::COMMANDS.contains(&&**name);
            Ok(arguments.first().is_some_and(is_known).to_string())
        }),
        ("boardsize", Engine::set_size),
        ("clear_board", |engine, _| {
            engine.cleared += 1;
            engine.restart();
            Ok(String::new())
        }),
        ("komi", |_, arguments| match numbers::<f64>(arguments)?[..] {
            // These games have none, but controllers set it before they begin.
            [komi] if komi.is_finite() => Ok(String::new()),
            _ => Err(SYNTAX.to_owned()),
        }),
        ("play", Engine::play),
        ("genmove", Engine::generate),
        ("reg_genmove", Engine::suggest),
        ("undo", |engine, _| match engine.session()?.undo() {
            true => Ok(String::new()),
            false => Err("cannot undo".to_owned()),
        }),
        ("showboard", |engine, _| Ok(format!("\n{}", engine.session()?.board()))),
        ("time_settings", Engine::set_time),
        ("time_left", Engine::correct_time),
        ("final_score", Engine::score),
        ("loadsgf", |_, _| Err(NO_SGF.to_owned())),
        ("quit", |_, _| Ok(String::new())),
        ("gogui-rules_game_id", Engine::rules_game),
        ("gogui-rules_board_size", Engine::rules_size),
        ("gogui-rules_board", Engine::rules_board),
        ("gogui-rules_legal_moves", Engine::rules_legal),
        ("gogui-rules_side_to_move", Engine::rules_mover),
        ("gogui-rules_final_result", Engine::rules_result),
        ("gogui-analyze_commands", Engine::analyze_commands),
        ("tavoliere-game", Engine::change_game),
        (POSITION, Engine::set_position),
        ("tavoliere-legal_moves", Engine::legal_moves),
        ("tavoliere-analyze", Engine::analyze),
        ("tavoliere-cells", Engine::cell_numbers),
    ];

    fn find(name: &str) -> Option<Action<F>> {
        let mut all = Self::ALL.into_iter();
        all.find(|(known, _)| *known == name).map(|(_, action)| action)
    }
}

impl<F: PlayerFactory> Engine<F> {
    /// Executes a command and returns its answer.
    pub(super) fn execute(&mut self, command: &Command) -> Answer {
        match Commands::<F>::find(&command.name) {
            Some(action) => action(self, &command.arguments),
            None => Err("unknown command".to_owned()),
        }
    }

    pub(super) fn session(&mut self) -> Result<&mut Session, String> {
        self.session.as_mut().ok_or_else(|| NO_GAME.to_owned())
    }

    /// `boardsize 5`, or `boardsize 7 6` for columns and rows. The size must be that of the game;
    /// then the game begins anew.
    fn set_size(&mut self, arguments: &[String]) -> Answer {
        let size: Vec<usize> = numbers(arguments)?;
        let [width, height] = self.session()?.size();
        match size[..] {
            [] => return Err(SYNTAX.to_owned()),
            [columns] if columns == width => {}
            [columns, rows] if [columns, rows] == [width, height] => {}
            _ => return Err("unacceptable size".to_owned()),
        }
        self.restart();
        Ok(String::new())
    }

    fn play(&mut self, arguments: &[String]) -> Answer {
        let (colour, rest) = colour(arguments)?;
        let [turn] = rest else { return Err(SYNTAX.to_owned()) };
        match self.session()?.play(colour, turn) {
            true => Ok(String::new()),
            false => Err("illegal move".to_owned()),
        }
    }

    fn generate(&mut self, arguments: &[String]) -> Answer {
        let (colour, _) = colour(arguments)?;
        let time = self.allotment(colour);
        let generated = self.session()?.generate(colour, time);
        if generated.answer.is_ok() {
            self.clock.spend(colour.index(), generated.taken);
        }
        generated.answer
    }

    /// `reg_genmove COLOR`: a turn that is not played; the clock does not run.
    fn suggest(&mut self, arguments: &[String]) -> Answer {
        let (colour, _) = colour(arguments)?;
        let time = self.allotment(colour);
        self.session()?.suggest(colour, time)
    }

    pub(super) fn allotment(&self, colour: Colour) -> Option<Duration> {
        self.clock.allotment(colour.index()).or(self.time)
    }

    /// `time_settings MAIN PERIOD TURNS`, times in seconds.
    fn set_time(&mut self, arguments: &[String]) -> Answer {
        let [main, period, turns] = numbers(arguments)?[..] else { return Err(SYNTAX.to_owned()) };
        self.clock.set(TimeSettings { main: seconds(main), period: seconds(period), turns });
        Ok(String::new())
    }

    /// `time_left COLOR TIME TURNS`.
    fn correct_time(&mut self, arguments: &[String]) -> Answer {
        let (colour, rest) = colour(arguments)?;
        let [time, turns] = numbers(rest)?[..] else { return Err(SYNTAX.to_owned()) };
        self.clock.correct(colour.index(), seconds(time), turns);
        Ok(String::new())
    }

    /// The winner, without a margin, which these games do not have.
    fn score(&mut self, _: &[String]) -> Answer {
        let score = match self.session()?.winner()? {
            Some(Colour::Black) => "B+",
            Some(Colour::White) => "W+",
            None => "0",
        };
        Ok(score.to_owned())
    }

    /// `tavoliere-game NAME [OPTION=VALUE]...`
    fn change_game(&mut self, arguments: &[String]) -> Answer {
        let (name, rules) = arguments.split_first().ok_or(SYNTAX)?;
        let rules = options(rules.iter().map(String::as_str)).map_err(|error| error.to_string())?;
        let game = registry::find(name, &rules).map_err(|error| error.to_string())?;
        self.set_game(game).map_err(|error| format!("{error:#}"))?;
        Ok(String::new())
    }

    /// `tavoliere-position TEXT` begins the game in a position; without a text it tells the one on
    /// the board.
    fn set_position(&mut self, arguments: &[String]) -> Answer {
        if arguments.is_empty() {
            let session = self.session()?;
            return Ok(position_argument(&session.position_text(), session.symbols()));
        }
        let symbols = self.session()?.symbols();
        self.restart_in(&position_of_argument(&arguments.join(" "), symbols))?;
        Ok(String::new())
    }

    fn legal_moves(&mut self, arguments: &[String]) -> Answer {
        let (colour, _) = colour(arguments)?;
        let turns = self.session()?.legal(colour);
        Ok(turns.iter().map(|turn| turn.as_str()).collect::<Vec<_>>().join(" "))
    }

    fn analyze(&mut self, _: &[String]) -> Answer {
        let mover = self.session()?.to_move();
        let time = mover.and_then(|colour| self.allotment(colour));
        Ok(self.session()?.analyze(time))
    }
}

/// Returns the colour in the first argument, and the other arguments.
fn colour(arguments: &[String]) -> Result<(Colour, &[String]), String> {
    let (first, rest) = arguments.split_first().ok_or(SYNTAX)?;
    Ok((Colour::read(first).ok_or(SYNTAX)?, rest))
}

fn numbers<T: std::str::FromStr>(arguments: &[String]) -> Result<Vec<T>, String> {
    let read = |text: &String| text.parse().map_err(|_| SYNTAX.to_owned());
    arguments.iter().map(read).collect()
}

fn seconds(count: u32) -> Duration {
    Duration::from_secs(count.into())
}
