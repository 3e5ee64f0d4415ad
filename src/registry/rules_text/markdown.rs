//! The rules as pages of the documentation, with a picture for each diagram.

use super::layout::wrapped;
use super::{Block, Diagram, Rulebook, rulebooks, svg};

/// The width of lines in characters.
const WIDTH: usize = 100;

/// A note at the top of every page.
const NOTE: &str =
    "<!-- made by `tavoliere rules --write docs/rules`; edit src/registry/rules_text -->";

/// What the list of games ends with.
const FOOT: [&str; 2] = [
    "The program prints the same texts: `tavoliere rules susan`. On the page they are behind the \
     button *Rules*.",
    "In all games a position may occur any number of times. That the third occurrence is a draw is \
     not a rule but an agreement: `--threefold` of `match`, `play`, `engine` and `serve`.",
];

/// The files of `docs/rules`: their names and contents.
pub(crate) fn pages() -> Vec<(String, String)> {
    let mut files = vec![("README.md".to_owned(), contents())];
    for rulebook in rulebooks() {
        files.push((format!("{}.md", rulebook.name), rulebook.to_markdown()));
        for (index, diagram) in rulebook.diagrams().enumerate() {
            files.push((picture(rulebook, index), svg::picture(&diagram.of_text())));
        }
    }
    files
}

fn picture(rulebook: &Rulebook, index: usize) -> String {
    format!("{}-{}.svg", rulebook.name, index + 1)
}

fn contents() -> String {
    let mut text = format!("# Rules of the games\n\n{NOTE}\n\n");
    for rulebook in rulebooks() {
        let link = format!("[{}]({}.md): {}", rulebook.title, rulebook.name, rulebook.summary);
        text += &wrapped(&link, "* ", WIDTH);
    }
    text.push('\n');
    for paragraph in FOOT {
        text += &wrapped(paragraph, "", WIDTH);
        text.push('\n');
    }
    text.trim_end().to_owned() + "\n"
}

impl Rulebook {
    fn to_markdown(&self) -> String {
        let mut text =
            format!("# {}\n\n{NOTE}\n\n{}", self.title, wrapped(&self.summary, "", WIDTH));
        let mut pictures = 0..;
        for section in &self.sections {
            text += &format!("\n## {}\n", section.title);
            for block in &section.blocks {
                text.push('\n');
                text += &match block {
                    Block::Paragraph(text) => wrapped(text, "", WIDTH),
                    Block::List(items) => items.iter().map(|it| wrapped(it, "* ", WIDTH)).collect(),
                    Block::Diagram(diagram) => {
                        let index = pictures.next().unwrap_or_default();
                        drawn(diagram, &picture(self, index))
                    }
                };
            }
        }
        text + &self.options_to_markdown() + &self.games_to_markdown()
    }

    fn options_to_markdown(&self) -> String {
        let options = self.options();
        if options.is_empty() {
            return String::new();
        }
        let mut text = "\n## Options\n\nOptions are set by `--rule NAME=VALUE`, in a config under `[rules]`, or on the page.\n\n".to_owned();
        text += "| option | default | meaning |\n|---|---|---|\n";
        for text_of_option in options {
            let (option, default) = (text_of_option.option, text_of_option.default_text());
            let choices = option.choices.iter();
            let choices: String =
                choices.map(|it| format!("<br>`{}`: {}", it.value, it.text)).collect();
            text += &format!("| `{}` | `{default}` | {}{choices} |\n", option.name, option.text);
        }
        text
    }

    fn games_to_markdown(&self) -> String {
        let mut text = "\n## Names\n\n| name | title | |\n|---|---|---|\n".to_owned();
        for game in self.games() {
            text += &format!("| `{}` | {} | {} |\n", game.name, game.title, game.summary);
        }
        text
    }
}

fn drawn(diagram: &Diagram, picture: &str) -> String {
    let shown = diagram.of_text();
    let alternative = shown.status();
    let caption = wrapped(&format!("{} {}", shown.status(), shown.caption), "", WIDTH);
    format!("![{alternative}]({picture})\n\n{caption}")
}
