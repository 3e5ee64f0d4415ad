//! JSON descriptions of the rules, for the panel of the page and the cards of the games.

use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::Value;

use crate::games::RuleOption;
use crate::registry::Listing;
use crate::registry::rules_text::{Block, OptionText, Rulebook, Shown, rulebooks};

/// A family of games in short.
#[derive(Serialize)]
struct Family<'a> {
    name: &'a str,
    title: &'a str,
    summary: &'a str,
    games: Vec<Member>,
    /// A position to draw.
    picture: Shown,
}

/// A game of a family.
#[derive(Serialize)]
struct Member {
    name: &'static str,
    title: &'static str,
    about: &'static str,
}

/// The rules of a family of games.
#[derive(Serialize)]
struct Rules<'a> {
    name: &'a str,
    title: &'a str,
    summary: &'a str,
    games: Vec<Member>,
    sections: Vec<Section<'a>>,
    options: Vec<Explained>,
}

#[derive(Serialize)]
struct Section<'a> {
    title: &'a str,
    blocks: Vec<Part<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Part<'a> {
    Paragraph { text: &'a str },
    List { items: &'a [String] },
    Position { position: Box<Shown> },
}

/// An option of the rules.
#[derive(Serialize)]
pub(crate) struct Explained {
    name: &'static str,
    text: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<Value>,
    choices: Vec<Choice>,
}

#[derive(Serialize)]
struct Choice {
    value: Value,
    text: &'static str,
}

impl From<&RuleOption> for Explained {
    fn from(option: &RuleOption) -> Self {
        let choices = option.choices.iter();
        Self {
            name: option.name,
            text: option.text,
            default: None,
            choices: choices.map(|it| Choice { value: it.json(), text: it.text }).collect(),
        }
    }
}

/// Returns all families of games as a JSON array, those of this project first.
///
/// # Errors
///
/// If a position of a text cannot be shown.
pub(crate) fn catalogue() -> Result<String> {
    let family = |rulebook: &'static Rulebook| -> Result<Family<'static>> {
        let first = rulebook.diagrams().next().context("every text has a diagram")?;
        Ok(Family {
            name: rulebook.name,
            title: &rulebook.title,
            summary: &rulebook.summary,
            games: rulebook.games().map(member).collect(),
            picture: first.shown().map_err(anyhow::Error::msg)?,
        })
    };
    let families = rulebooks().iter().map(family).collect::<Result<Vec<_>>>()?;
    Ok(serde_json::to_string(&families)?)
}

fn member(game: &Listing) -> Member {
    Member { name: game.name, title: game.title, about: game.summary }
}

/// Returns the rules of a family as a JSON object.
///
/// # Errors
///
/// As [`catalogue`].
pub(crate) fn describe(rulebook: &'static Rulebook) -> Result<String> {
    let part = |block: &'static Block| -> Result<Part<'static>> {
        Ok(match block {
            Block::Paragraph(text) => Part::Paragraph { text },
            Block::List(items) => Part::List { items },
            Block::Diagram(diagram) => {
                let position = diagram.shown().map_err(anyhow::Error::msg)?;
                Part::Position { position: Box::new(position) }
            }
        })
    };
    let mut sections = Vec::new();
    for section in &rulebook.sections {
        let blocks = section.blocks.iter().map(part).collect::<Result<_>>()?;
        sections.push(Section { title: &section.title, blocks });
    }
    let explained = |OptionText { option, default }: &OptionText| Explained {
        default: Some(default.clone()),
        ..option.into()
    };
    Ok(serde_json::to_string(&Rules {
        name: rulebook.name,
        title: &rulebook.title,
        summary: &rulebook.summary,
        games: rulebook.games().map(member).collect(),
        sections,
        options: rulebook.options().iter().map(explained).collect(),
    })?)
}
