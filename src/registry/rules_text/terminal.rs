//! The rules as plain text, for a terminal.

use super::layout::{indented, wrapped};
use super::{Block, Diagram, OptionText, Rulebook, rulebooks};
use crate::games::picture::{Look, Piece};

/// The width of the text in characters.
pub(crate) const WIDTH: usize = 80;

/// The distance of boards from the left.
const INDENT: usize = 4;

/// The text without the marks of Markdown.
fn plain(text: &str) -> String {
    text.replace("**", "").replace('`', "")
}

/// What the sign of a piece is, as in `# is a hole`.
fn in_words(piece: &Piece) -> String {
    let name = piece.name.to_lowercase();
    let name = match piece.look {
        Look::Neutral => format!("the {name}"),
        Look::Hole => format!("a {name}"),
        Look::Black | Look::White => piece.name.to_owned(),
    };
    format!("{} is {name}", piece.symbol)
}

fn heading(title: &str) -> String {
    format!("\n{}\n{}\n\n", title, "-".repeat(title.chars().count()))
}

impl Rulebook {
    /// The rules as plain text of at most [`WIDTH`] columns.
    pub(crate) fn to_terminal(&self) -> String {
        let mut text = format!("{}\n{}\n\n", self.title, "=".repeat(self.title.chars().count()));
        text += &wrapped(&plain(&self.summary), "", WIDTH);
        text += &format!("\n{}", wrapped(&self.legend(), "", WIDTH));
        for section in &self.sections {
            text += &heading(&section.title);
            let blocks: Vec<String> = section.blocks.iter().map(block).collect();
            text += &blocks.join("\n");
        }
        text + &self.options_to_terminal() + &self.games_to_terminal()
    }

    /// What the signs of the family's text boards mean.
    fn legend(&self) -> String {
        let shown: String = self.games().map(|game| game.variant.game().symbols()).collect();
        let game = self.games().next().map(|game| game.variant.game());
        let pieces = game.map_or(&[][..], |game| game.pieces()).iter();
        let pieces = pieces.filter(|piece| shown.contains(piece.symbol));
        let signs: Vec<String> = pieces.map(in_words).collect();
        format!("On boards {}, and a dot is an empty cell.", signs.join(", "))
    }

    fn options_to_terminal(&self) -> String {
        let options: Vec<String> = self.options().iter().map(option).collect();
        if options.is_empty() {
            return String::new();
        }
        let how = "An option is set with --rule, as in --rule NAME=VALUE.";
        format!("{}{}\n{}", heading("Options"), wrapped(how, "", WIDTH), options.join("\n"))
    }

    fn games_to_terminal(&self) -> String {
        let mut text = heading("Names");
        for game in self.games() {
            text +=
                &wrapped(&format!("{}: {}", game.title, game.summary), &column(game.name), WIDTH);
        }
        text
    }
}

fn block(block: &Block) -> String {
    match block {
        Block::Paragraph(text) => wrapped(&plain(text), "", WIDTH),
        Block::List(items) => items.iter().map(|item| wrapped(&plain(item), "* ", WIDTH)).collect(),
        Block::Diagram(diagram) => drawn(diagram),
    }
}

fn drawn(diagram: &Diagram) -> String {
    let shown = diagram.of_text();
    let indent = " ".repeat(INDENT);
    let status = wrapped(&shown.status(), &indent, WIDTH);
    let caption = wrapped(&plain(&shown.caption), &indent, WIDTH);
    format!("{}\n{status}{caption}", indented(&shown.board, INDENT))
}

fn option(explained: &OptionText) -> String {
    let option = explained.option;
    let mut text = format!("{} = {}\n", option.name, explained.default_text());
    text += &wrapped(&plain(option.text), "  ", WIDTH);
    for choice in option.choices {
        text += &wrapped(&plain(choice.text), &format!("  {:<10} ", choice.value), WIDTH);
    }
    text
}

fn column(name: &str) -> String {
    format!("{name:<16}  ")
}

/// The families with their titles and games.
pub(crate) fn overview() -> String {
    let mut text = String::new();
    for rulebook in rulebooks() {
        let names: Vec<&str> = rulebook.games().map(|game| game.name).collect();
        text += &wrapped(&plain(&rulebook.summary), &column(&rulebook.title), WIDTH);
        text += &wrapped(&names.join(", "), &column(""), WIDTH);
        text.push('\n');
    }
    text + "tavoliere rules NAME prints the rules of a game.\n"
}
