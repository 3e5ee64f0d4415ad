//! The rules of the games for people: one text for each family, from which come the panel of the
//! page, `tavoliere rules` and the pages in `docs/rules`.
//!
//! A text is Markdown of a few kinds of blocks: a title, sections, paragraphs, lists, and diagrams.
//! A diagram is a fenced block that names a game, its options and the turns that lead to the
//! position, then shows the board. The paragraph directly below it is its caption:
//!
//! ````text
//! ```position neutron5
//! turns A5-A2 E3,A1-D4
//! mark E3
//!
//!   A B C D E
//! ...
//! ```
//! What the diagram shows.
//! ````
//!
//! To add the text of a game that ships, write `NAME.md` and add its line to [`SOURCES`]. Other
//! games bring [theirs](Listing::rules_text).

mod diagram;
mod layout;
mod markdown;
mod source;
mod svg;
mod terminal;

pub(crate) use diagram::{Diagram, Shown};
pub(crate) use markdown::pages;
#[cfg(test)]
pub(crate) use terminal::WIDTH;
pub(crate) use terminal::overview;

use std::sync::LazyLock;

use serde_json::Value;

use super::{GameError, Listing, Variant, all, preset};
use crate::base::spelling::nearest;
use crate::games::RuleOption;

macro_rules! sources {
    ($($name:literal),*) => {
        &[$( ($name, include_str!(concat!($name, ".md"))) ),*]
    };
}

/// The families and their texts, in the order in which people see them.
const SOURCES: &[(&str, &str)] = sources!(
    "susan",
    "neutron",
    "coneutron",
    "entropy",
    "checkers_gomoku",
    "breakthrough",
    "connect_four",
    "tic_tac_toe"
);

/// The rules of a family of games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Rulebook {
    /// The name of the family.
    pub name: &'static str,
    /// Its name for people.
    pub title: String,
    /// The text before the first section.
    pub summary: String,
    /// The sections.
    pub sections: Vec<Section>,
}

/// A part of the rules under a heading.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Section {
    /// The heading.
    pub title: String,
    /// The contents.
    pub blocks: Vec<Block>,
}

/// A part of a section. In texts, `` `signs` `` and `**stress**` are marked as in Markdown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Block {
    /// A paragraph.
    Paragraph(String),
    /// A list.
    List(Vec<String>),
    /// A position.
    Diagram(Diagram),
}

static RULEBOOKS: LazyLock<Vec<Rulebook>> = LazyLock::new(|| {
    let read = |(name, text): (&'static str, String)| {
        source::read(name, &text).unwrap_or_else(|error| panic!("{name}.md: {error}"))
    };
    texts().into_iter().map(read).collect()
});

/// The families of the table and their texts, those with a text in [`SOURCES`] first.
fn texts() -> Vec<(&'static str, String)> {
    let mut families: Vec<&'static str> = SOURCES.iter().map(|(name, _)| *name).collect();
    families.extend(all().iter().map(Listing::family));
    let mut texts: Vec<(&'static str, String)> = Vec::new();
    for family in families {
        let is_new = texts.iter().all(|(name, _)| *name != family);
        if let Some(text) = text_of(family).filter(|_| is_new) {
            texts.push((family, text));
        }
    }
    texts
}

/// The text of a family: that of one of its games, or the one in [`SOURCES`], or what the table
/// says. `None` if the table has no such family.
fn text_of(family: &str) -> Option<String> {
    let mut games = all().iter().filter(|game| game.family() == family);
    let first = games.clone().next()?;
    let own = games.find_map(|game| game.rules_text);
    let shipped = SOURCES.iter().find(|(name, _)| *name == family).map(|(_, text)| *text);
    let text = own.or(shipped).map(str::to_owned);
    Some(text.unwrap_or_else(|| format!("# {}\n\n{}.\n", first.title, first.summary)))
}

/// Checks the text of a game.
///
/// # Errors
///
/// What is wrong with it.
pub(crate) fn check(game: &Listing) -> Result<(), String> {
    let text = game.rules_text.unwrap_or_default();
    if text.is_empty() {
        return Ok(());
    }
    let rulebook = source::read(game.family(), text)?;
    rulebook.diagrams().zip(1..).try_for_each(|(diagram, number)| {
        check_diagram(diagram).map_err(|error| format!("diagram {number}: {error}"))
    })
}

fn check_diagram(diagram: &Diagram) -> Result<(), String> {
    let shown = diagram.shown()?;
    if diagram.board == shown.board {
        return Ok(());
    }
    let turns = diagram.turns.join(" ");
    Err(format!("the board after `turns {turns}` is another one; write\n\n{}\n", shown.board))
}

/// The rules of all families.
pub(crate) fn rulebooks() -> &'static [Rulebook] {
    &RULEBOOKS
}

/// The rules of a family, or of the family of a game.
///
/// # Errors
///
/// If there is no such family or game.
pub(crate) fn rulebook(name: &str) -> Result<&'static Rulebook, GameError> {
    let family = all().iter().find(|game| game.name == name).map(Listing::family);
    let is_wanted = |rulebook: &&Rulebook| rulebook.name == family.unwrap_or(name);
    let names = || all().iter().map(|game| game.name).chain(rulebooks().iter().map(|it| it.name));
    rulebooks().iter().find(is_wanted).ok_or_else(|| GameError::Unknown {
        name: name.chars().take(40).collect(),
        hint: nearest(name, names()),
    })
}

/// An option of a family's rules.
#[derive(Clone, Debug)]
pub(crate) struct OptionText {
    /// Its explanation.
    pub option: RuleOption,
    /// Its value in the family's first game.
    pub default: Value,
}

impl OptionText {
    /// The default as it is written after `OPTION=`.
    fn default_text(&self) -> String {
        self.default.as_str().map_or_else(|| self.default.to_string(), str::to_owned)
    }
}

impl Rulebook {
    /// The games of the family, in the order of the table.
    pub(crate) fn games(&self) -> impl Iterator<Item = &'static Listing> {
        all().iter().filter(|game| game.family() == self.name)
    }

    /// The options of the family's games, with the values that they have in the first one.
    pub(crate) fn options(&self) -> Vec<OptionText> {
        let first = self.games().next().and_then(|game| preset(game.name).ok());
        first.map_or_else(Vec::new, |variant| options(&variant))
    }

    /// The diagrams.
    pub(crate) fn diagrams(&self) -> impl Iterator<Item = &Diagram> {
        self.sections.iter().flat_map(|section| &section.blocks).filter_map(|block| match block {
            Block::Diagram(diagram) => Some(diagram),
            _ => None,
        })
    }
}

fn options(variant: &Variant) -> Vec<OptionText> {
    let values = variant.options();
    let explained = |option: &RuleOption| OptionText {
        option: *option,
        default: values.get(option.name).cloned().unwrap_or_default(),
    };
    variant.game().options().iter().map(explained).collect()
}
