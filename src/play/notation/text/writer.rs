//! Writes games in the text format.

use std::fmt::Write;

use crate::play::notation::Transcript;
use crate::play::notation::transcript::{option_texts, result_name};
use crate::search::Wdl;

/// The most columns of a line of turns.
const WIDTH: usize = 80;

/// Writes the games, separated by blank lines.
pub(crate) fn write(games: &[Transcript]) -> String {
    let games: Vec<String> = games.iter().map(write_game).collect();
    games.join("\n")
}

fn write_game(game: &Transcript) -> String {
    let mut text = String::new();
    let result = result_name(game.outcome());
    for (name, value) in heading(game, result) {
        let value = value.replace('\\', r"\\").replace('"', r#"\""#);
        writeln!(text, "[{name} \"{value}\"]").expect("strings can be written to");
    }
    let mut wrapped = Wrapped { text: text + "\n", column: 0 };
    for (index, (turn, value)) in game.moves().iter().zip(game.values()).enumerate() {
        match index % 2 {
            0 => wrapped.push(&format!("{}. {turn}", index / 2 + 1)),
            _ => wrapped.push(turn),
        }
        if let Some(value) = value {
            wrapped.push(&comment(*value));
        }
    }
    wrapped.push(result);
    wrapped.text + "\n"
}

/// The tags: first the game, its rules, the players and the result, then the others, sorted by
/// name.
fn heading<'a>(game: &'a Transcript, result: &'a str) -> Vec<(&'a str, String)> {
    let rules = option_texts(game).join(" ");
    let rules = (!rules.is_empty()).then_some(("Rules", rules));
    let player = |name| game.tag(name).map(|value| (name, value.to_owned()));
    let others = game.tags().iter().filter(|(name, _)| !["P1", "P2"].contains(&name.as_str()));
    [("Game", game.game().to_owned())]
        .into_iter()
        .chain(rules)
        .chain(player("P1"))
        .chain(player("P2"))
        .chain([("Result", result.to_owned())])
        .chain(others.map(|(name, value)| (name.as_str(), value.clone())))
        .collect()
}

fn comment([win, draw, loss]: Wdl) -> String {
    format!("{{{win:.3}/{draw:.3}/{loss:.3}}}")
}

/// Words wrapped into lines.
struct Wrapped {
    text: String,
    column: usize,
}

impl Wrapped {
    fn push(&mut self, word: &str) {
        let fits = self.column + 1 + word.len() <= WIDTH;
        match (self.column, fits) {
            (0, _) => {}
            (_, true) => {
                self.text.push(' ');
                self.column += 1;
            }
            (_, false) => {
                self.text.push('\n');
                self.column = 0;
            }
        }
        self.text.push_str(word);
        self.column += word.len();
    }
}
