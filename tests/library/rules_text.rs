//! The rules for people: texts, diagrams, explanations of options, and the pages made of them.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Map, Value};

use crate::games::parse_turn;
use crate::registry::rules_text::{Block, WIDTH, overview, pages, rulebook, rulebooks};
use crate::registry::{self, Variant};

#[test]
fn every_game_has_rules_and_all_texts_have_games() {
    for game in registry::all() {
        assert_eq!(rulebook(game.name).unwrap().name, game.family());
        assert!(!game.title.is_empty() && !game.title.contains('_'), "{}", game.name);
    }
    let titles: BTreeSet<&str> = registry::all().iter().map(|game| game.title).collect();
    assert_eq!(titles.len(), registry::all().len(), "titles differ");
    assert!(rulebooks().iter().all(|rulebook| rulebook.games().count() > 0));
    let error = rulebook("susen").unwrap_err().to_string();
    assert!(error.contains("did you mean `susan`?"), "{error}");
}

#[test]
fn every_text_has_what_a_reader_needs() {
    for rulebook in rulebooks() {
        let titles: Vec<&str> = rulebook.sections.iter().map(|it| it.title.as_str()).collect();
        for needed in ["Where it comes from", "The board", "A turn", "How the game ends"] {
            assert!(titles.contains(&needed), "{}: no section {needed}", rulebook.name);
        }
        assert!(!rulebook.summary.is_empty());
        let diagrams = rulebook.diagrams().count();
        assert!(diagrams >= 2, "{}: {diagrams} diagrams", rulebook.name);
    }
}

#[test]
fn diagrams_show_the_positions_that_their_turns_lead_to() {
    for rulebook in rulebooks() {
        for (index, diagram) in rulebook.diagrams().enumerate() {
            let place = format!("{}, diagram {}", rulebook.name, index + 1);
            let shown = diagram.shown().unwrap_or_else(|error| panic!("{place}: {error}"));
            assert_eq!(diagram.board, shown.board, "{place}");
            assert_eq!(diagram.turns, shown.moves, "{place}: turns as they are written");
            assert!(!shown.caption.is_empty(), "{place}: no caption");
            let game = registry::all().iter().find(|game| game.name == diagram.game).unwrap();
            assert_eq!(game.family(), rulebook.name, "{place}");
            assert_eq!(shown.ending.is_some(), shown.outcome.is_some(), "{place}");
        }
    }
}

/// Turns and cells in a caption that cannot be right there are the likeliest mistakes.
#[test]
fn turns_that_a_caption_calls_by_their_whole_text_are_legal_unless_it_says_otherwise() {
    let claims = [
        ("susan", 0, "e5", true),
        ("neutron", 1, "A5", true),
        ("neutron", 3, "B2,A1-A5", false),
        ("neutron", 3, "A5", true),
        ("neutron", 3, "C5", true),
        ("neutron", 3, "E3,A1-E5", true),
        ("neutron", 3, "E3,B1-B4", true),
        ("neutron", 3, "E3,C1-A3", true),
        ("neutron", 4, "D2,A3-C5", false),
        ("neutron", 4, "D2,B5-C5", false),
        ("neutron", 4, "D2,E5-A1", false),
        ("neutron", 5, "A5-B4", true),
        ("coneutron", 1, "A1", true),
        ("entropy", 0, "C5-B4", true),
        ("entropy", 0, "C5-B5", true),
        ("entropy", 0, "B2-B4", false),
        ("entropy", 1, "pass", true),
        ("checkers_gomoku", 0, "d1", false),
        ("checkers_gomoku", 0, "d1xh2", true),
        ("checkers_gomoku", 1, "e1-e2", true),
        ("checkers_gomoku", 1, "g1-f1", false),
        ("checkers_gomoku", 1, "g1-f1xb8", true),
        ("breakthrough", 0, "b3xa4", true),
        ("breakthrough", 0, "b3-c4", true),
        ("breakthrough", 0, "f3-e4", true),
        ("breakthrough", 0, "f3-f4", false),
        ("connect_four", 0, "4", false),
        ("connect_four", 1, "6", true),
        ("tic_tac_toe", 0, "a2", true),
    ];
    for (family, index, turn, expected) in claims {
        let diagram = rulebook(family).unwrap().diagrams().nth(index).unwrap();
        let variant = diagram.variant().unwrap();
        let position = variant.replay(&diagram.turns, |_| ()).unwrap();
        let legal = parse_turn(&position, turn).is_ok();
        assert_eq!(legal, expected, "{family}, diagram {}: {turn}", index + 1);
    }
}

#[test]
fn a_text_for_a_terminal_fits_and_has_no_marks() {
    let texts = rulebooks().iter().map(|rulebook| rulebook.to_terminal());
    for text in texts.chain([overview()]) {
        for line in text.lines() {
            assert!(line.chars().count() <= WIDTH && line == line.trim_end(), "{line}");
        }
        assert!(!text.contains('`') && !text.contains("**"), "{text}");
    }
}

#[test]
fn texts_have_no_broken_marks() {
    let check = |text: &str| {
        assert!(text.matches('`').count().is_multiple_of(2), "{text}");
        assert!(text.matches("**").count().is_multiple_of(2), "{text}");
    };
    for rulebook in rulebooks() {
        check(&rulebook.summary);
        for block in rulebook.sections.iter().flat_map(|section| &section.blocks) {
            match block {
                Block::Paragraph(text) => check(text),
                Block::List(items) => items.iter().for_each(|item| check(item)),
                Block::Diagram(diagram) => check(&diagram.caption),
            }
        }
    }
}

fn check_options(variant: &Variant) {
    let values = variant.options();
    let names: Vec<&str> = variant.game().options().iter().map(|option| option.name).collect();
    let set: BTreeSet<&str> = names.iter().copied().collect();
    let expected: BTreeSet<&str> = values.keys().map(String::as_str).collect();
    assert_eq!(set, expected, "{}: explain the options of the struct", variant.name);
    for option in variant.game().options() {
        let accepts = |value: Value| {
            let changes = Map::from_iter([(option.name.to_owned(), value)]);
            variant.overridden(&changes).is_ok()
        };
        assert!(option.text.ends_with('.'), "{}", option.text);
        let choices: Vec<Value> = option.choices.iter().map(|choice| choice.json()).collect();
        let value = &values[option.name];
        assert!(choices.is_empty() || choices.contains(value), "{}: {value}", option.name);
        assert!(
            option
                .choices
                .iter()
                .all(|choice| accepts(choice.json()) && choice.text.ends_with('.'))
        );
        assert_eq!(choices.is_empty(), accepts(999.into()), "{}: all values", option.name);
    }
}

#[test]
fn every_option_is_explained_with_all_its_values() {
    for game in registry::all() {
        let variant = registry::preset(game.name).unwrap();
        check_options(&variant);
    }
}

#[test]
fn the_pages_of_the_documentation_are_up_to_date() {
    let folder = format!("{}/docs/rules", env!("CARGO_MANIFEST_DIR"));
    let hint = "run `tavoliere rules --write docs/rules`";
    let mut known = BTreeSet::new();
    for (name, content) in pages() {
        let found = fs::read_to_string(format!("{folder}/{name}")).unwrap_or_default();
        assert!(found == content, "docs/rules/{name} is not up to date: {hint}");
        known.insert(name);
    }
    let files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
    let files: BTreeSet<String> = files.map(|name| name.into_string().unwrap()).collect();
    assert_eq!(files, known, "docs/rules has other files than those that are made");
}
