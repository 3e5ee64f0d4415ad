//! External engines that speak the Go Text Protocol, version 2, as opponents.
//!
//! A spec such as `gtp:gnugo --mode gtp`, or `gtp?timeout=10s:COMMAND`, names a command. Its
//! process is started before the match and receives every turn. If it makes an error or does not
//! answer in time, it loses the current game, and a new process plays the next game.

mod client;
mod connection;
mod name;
mod process;
#[cfg(any(test, feature = "fuzzing"))]
mod script;

pub use name::External;
pub use process::stop_engines;

use anyhow::{Result, anyhow, ensure};

use self::client::{Client, GameSetup};
use super::{Chosen, Forfeit, Player};
use crate::games::{Text, parse_turn};
use crate::registry::{Position, Variant};

/// The command that sets up the position in which a game begins.
pub(crate) const POSITION: &str = "tavoliere-position";

/// The letter that stands for `#` in the argument of that command, as `#` would begin a comment:
/// `h`, as in hole, or the first letter that is no symbol of the game. `None` in games without `#`.
fn letter_of_hole(symbols: &str) -> Option<char> {
    let letters = ['h'].into_iter().chain('a'..='z');
    let free = letters.into_iter().find(|letter| !symbols.contains(*letter));
    free.filter(|_| symbols.contains('#'))
}

/// A position as the argument of that command, in a game whose boards have these symbols.
pub(crate) fn position_argument(text: &str, symbols: &str) -> String {
    match letter_of_hole(symbols) {
        Some(letter) => text.replace('#', &letter.to_string()),
        None => text.to_owned(),
    }
}

/// The position of an argument that [`position_argument`] may have written.
pub(crate) fn position_of_argument(argument: &str, symbols: &str) -> String {
    let Some(letter) = letter_of_hole(symbols) else { return argument.to_owned() };
    let (board, rest) = argument.split_once(' ').unwrap_or((argument, ""));
    let board = board.replace([letter, letter.to_ascii_uppercase()], "#");
    format!("{board} {rest}").trim_end().to_owned()
}

/// A player that is an external engine.
struct Engine {
    external: External,
    setup: GameSetup,
    variant: Variant,
    /// The process; `None` after a failure.
    client: Option<Client>,
    /// The position that games begin in; `None` for the start.
    start: Option<Position>,
    /// The turns on the engine's board; `None` if the board must be set up anew.
    board: Option<Vec<Text>>,
}

impl External {
    /// Starts the engine and sets up the game.
    ///
    /// # Errors
    ///
    /// If it cannot be started, does not speak the protocol, or does not support this game.
    pub fn player(&self, variant: &Variant) -> Result<Box<dyn Player>> {
        let setup = GameSetup::new(variant);
        let client = Client::start(self, &setup).map_err(|reason| anyhow!("{reason}"))?;
        let (external, variant) = (self.clone(), *variant);
        let client = Some(client);
        Ok(Box::new(Engine { external, setup, variant, client, start: None, board: None }))
    }
}

/// A player whose engine has written `output`, whatever it is told. When it fails it cannot be
/// started again.
///
/// # Errors
///
/// As [`External::player`].
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn scripted(output: &[u8], variant: &Variant) -> Result<Box<dyn Player>, String> {
    let external = External::read(":/no/such/engine").ok().flatten().ok_or("a command line")?;
    let (setup, script) = (GameSetup::new(variant), script::Script::new(output));
    let client = Some(Client::over(Box::new(script), external.timeout, &setup)?);
    let variant = *variant;
    Ok(Box::new(Engine { external, setup, variant, client, start: None, board: None }))
}

impl Player for Engine {
    fn unit(&self) -> Option<&'static str> {
        None
    }

    fn begin_game(&mut self, _: u64) {
        self.board = None;
    }

    fn start_from(&mut self, position: &Position) -> Result<()> {
        self.board = None;
        self.start = (*position != self.variant.initial()).then_some(*position);
        if self.start.is_none() {
            return Ok(());
        }
        let client = self.client().map_err(anyhow::Error::msg)?;
        client.begin_turn();
        let knows = client.knows(POSITION).map_err(|reason| anyhow!("{}", self.fail(&reason)))?;
        ensure!(
            knows,
            "the engine `{}` can begin games at their start only: it does not know the command \
             {POSITION}",
            self.external.words.join(" ")
        );
        Ok(())
    }

    fn choose_while(
        &mut self,
        position: &Position,
        moves: &[Text],
        _: &dyn Fn() -> bool,
    ) -> Result<Chosen, Forfeit> {
        let answer = self.ask(position, moves).map_err(|reason| self.fail(&reason))?;
        if answer.eq_ignore_ascii_case("resign") {
            // The state of the engine's board after a resignation is unknown.
            self.board = None;
            return Err(Forfeit::Resigned);
        }
        let turn = parse_turn(position, &answer)
            .map_err(|error| self.fail(&format!("it played an illegal turn: {error}")))?;
        self.board.get_or_insert_default().push(turn.text);
        Ok(Chosen { turn, work: 0 })
    }
}

impl Engine {
    /// Sets up the position on the engine's board and generates a turn. Returns the response.
    fn ask(&mut self, position: &Position, moves: &[Text]) -> Result<String, String> {
        let (start, initial) = (self.start, self.variant.initial());
        let board = self.board.take();
        let symbols = self.variant.game().symbols();
        let client = self.client()?;
        client.begin_turn();
        let known = board.filter(|known| moves.starts_with(known));
        let known = match known {
            Some(known) => known.len(),
            None => {
                client.send("clear_board")?;
                if let Some(start) = &start {
                    let text = position_argument(&start.position_text(), symbols);
                    client.send(&format!("{POSITION} {text}"))?;
                }
                0
            }
        };
        let mut at = start.unwrap_or(initial);
        for (index, text) in moves.iter().enumerate() {
            if index >= known {
                client.send(&format!("play {} {text}", colour(&at)))?;
            }
            let turn = parse_turn(&at, text).map_err(|error| error.to_string())?;
            turn.play_on(&mut at);
        }
        let answer = client.send(&format!("genmove {}", colour(position)));
        self.board = Some(moves.to_vec());
        answer
    }

    /// The connection to the engine, which is started again after a failure.
    fn client(&mut self) -> Result<&mut Client, String> {
        match &mut self.client {
            Some(client) => Ok(client),
            none => Ok(none.insert(Client::start(&self.external, &self.setup)?)),
        }
    }

    /// Ends the process, whose state after a failure is unknown.
    fn fail(&mut self, reason: &str) -> Forfeit {
        self.board = None;
        let last_errors = self.client.take().map(Client::last_errors).unwrap_or_default();
        Forfeit::Failed(format!("{reason}{last_errors}").replace('\n', " / "))
    }
}

/// The colour to move, as the protocol writes it.
fn colour(position: &Position) -> char {
    if position.to_move().colour(position.first()) == 'x' { 'b' } else { 'w' }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hole_is_a_letter_that_no_piece_has() {
        let there_and_back = |text: &str, symbols: &str, argument: &str| {
            assert_eq!(position_argument(text, symbols), argument);
            assert_eq!(position_of_argument(argument, symbols), text);
        };
        there_and_back("#x/.o x ply=3", "xo.#", "hx/.o x ply=3");
        there_and_back("hx/.o x hand=1,1", "xoh.", "hx/.o x hand=1,1");
        there_and_back("h#/.a o", "xoah.#", "hb/.a o");
        assert_eq!(position_of_argument("Hx/.o o", "xo.#"), "#x/.o o");
    }
}
