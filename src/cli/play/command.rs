//! What a person can type during a game.

use crate::base::spelling::nearest;

/// A line of input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Command<'a> {
    /// An empty line.
    Nothing,
    Board,
    Moves,
    Hint,
    Undo,
    Rules,
    Help,
    Quit,
    /// Saves the game in this file.
    Save(&'a str),
    /// Anything else: a turn.
    Turn(&'a str),
}

/// The commands, for `help`.
pub(super) const HELP: &str = "\
Type a turn as `moves` lists them, or:
  moves       list your turns
  hint        a good turn, and what it is worth
  undo        take back your last turn
  board       draw the board again
  rules       the rules of the game
  save FILE   save the game as a record; `tavoliere records` and the page read it
  quit        end the game";

const WORDS: [&str; 8] = ["moves", "hint", "undo", "board", "rules", "save", "help", "quit"];

impl<'a> Command<'a> {
    pub(super) fn read(line: &'a str) -> Self {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        match (word.to_ascii_lowercase().as_str(), rest.trim()) {
            ("", _) => Self::Nothing,
            ("board", "") => Self::Board,
            ("moves" | "turns", "") => Self::Moves,
            ("hint", "") => Self::Hint,
            ("undo", "") => Self::Undo,
            ("rules", "") => Self::Rules,
            ("help" | "?", "") => Self::Help,
            ("quit" | "exit", "") => Self::Quit,
            ("save", file) => Self::Save(unquoted(file)),
            _ => Self::Turn(line),
        }
    }
}

/// A name without the quotes around it, which a shell would take away.
fn unquoted(name: &str) -> &str {
    let inner = |quote| name.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(name)
}

/// The command that a line which is no turn may have meant.
pub(super) fn meant(line: &str) -> Option<&'static str> {
    nearest(&line.to_ascii_lowercase(), WORDS.into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands_or_turns() {
        for (line, command) in [
            ("  \n", Command::Nothing),
            ("QUIT", Command::Quit),
            ("?", Command::Help),
            ("save my game.txt ", Command::Save("my game.txt")),
            ("save", Command::Save("")),
            ("save \"my game.pgn\"", Command::Save("my game.pgn")),
            ("save 'a'", Command::Save("a")),
            ("save \"", Command::Save("\"")),
            ("undo 3", Command::Turn("undo 3")),
            ("E3, A1-D4", Command::Turn("E3, A1-D4")),
        ] {
            assert_eq!(Command::read(line), command);
        }
        assert_eq!(meant("hnit"), Some("hint"));
        assert_eq!(meant("A5-A2"), None);
    }
}
