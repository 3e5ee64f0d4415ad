//! Pictures of boards agree with boards as text and with the turns, for every game of the table.

use std::collections::HashSet;

use rand::RngExt;
use serde_json::json;

use crate::base::rng::{Purpose, stream};
use crate::games::picture::{Labels, Picture, Shape, cell_names, squares};
use crate::games::{Turn, legal_turns};
use crate::registry::{self, Variant};

/// The distance between rows of hexagons.
const ROW: f32 = 0.866_025_4;

/// The character of a text board at the coordinates of the picture, `None` for a space or outside.
fn sign_at<G: Picture>(board: &str, labels: &Labels, x: f32, y: f32) -> Option<char> {
    let row = if G::SHAPE == Shape::Hexagon { y / ROW } else { y };
    // Some boards have a line of labels above.
    let all = labels.columns.iter().chain(&labels.rows);
    let above = if all.into_iter().any(|label| label.y < 0.0) { 1.0 } else { 0.0 };
    let (row, column) = (row + above, 2.0 * x + 2.0);
    let is_whole = |number: f32| (number - number.round()).abs() < 1e-3;
    assert!(is_whole(row) && is_whole(column), "{x} {y}");
    board.lines().nth(row.round() as usize)?.chars().nth(column.round() as usize)
}

/// All cells and labels are at the same coordinates in the text, and the text has nothing else.
fn check_board<G: Picture>(variant: &Variant<G>, game: &G) {
    let (board, labels) = (game.to_string(), G::labels(&variant.rules));
    let drawn = squares(game);
    assert_eq!(drawn.len(), G::cells().len());
    for (cell, symbol) in G::cells().into_iter().zip(drawn.chars()) {
        let [x, y] = G::centre(cell);
        assert_eq!(sign_at::<G>(&board, &labels, x, y), Some(symbol), "cell {cell}\n{board}");
    }
    let mut beside = 0;
    for label in labels.columns.iter().chain(&labels.rows) {
        let found = sign_at::<G>(&board, &labels, label.x, label.y);
        assert_eq!(found, Some(label.text), "{label:?}\n{board}");
        beside += 1;
    }
    let hand = game.hand().map(|[x, o]| format!("\nhand x={x} o={o}"));
    let hand = hand.unwrap_or_default();
    assert!(board.ends_with(&hand), "{board}");
    let signs = board.strip_suffix(&hand).unwrap().chars().filter(|sign| !sign.is_whitespace());
    assert_eq!(signs.count(), drawn.len() + beside, "{board}");
}

/// The cells that a turn names, found independently of the picture: the parts between separators.
fn named_cells<'a>(text: &'a str, names: &[String]) -> Vec<&'a str> {
    let parts = text.split(['-', ',', '@', 'x']);
    parts.filter(|part| names.iter().any(|name| name == part)).collect()
}

/// The path of a turn is the cells that it names. All paths differ.
fn check_paths<G: Picture>(names: &[String], turns: &[Turn]) {
    let mut paths = HashSet::new();
    for turn in turns {
        let path = G::path(names, turn);
        let cells: Vec<&str> = path.iter().map(|&cell| names[cell].as_str()).collect();
        if G::DROPS {
            assert_eq!(cells.len(), 1);
            assert_eq!(cells[0].split('/').next(), Some(turn.text.as_str()));
        } else {
            assert_eq!(cells, named_cells(&turn.text, names), "{}", turn.text);
            assert_eq!(path.is_empty(), ["pass", "swap"].contains(&turn.text.as_str()));
        }
        assert!(paths.insert(path), "{} is not the only one of its path", turn.text);
    }
}

fn check_games<G: Picture>(variant: &Variant<G>) {
    let names = cell_names::<G>(&variant.rules);
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
    let mut rng = stream(11, 0, 0, Purpose::Playout);
    for _ in 0..5 {
        let mut game = variant.initial();
        check_board(variant, &game);
        for _ in 0..60 {
            let turns = legal_turns(&game);
            let Some(last) = turns.len().checked_sub(1) else { break };
            check_paths::<G>(&names, &turns);
            let turn = &turns[rng.random_range(0..=last)];
            turn.play_on(&mut game);
            check_board(variant, &game);
        }
    }
}

/// The nearest cells are at distance 1 in the picture.
fn check_distances<G: Picture>() {
    let centres: Vec<[f32; 2]> = G::cells().into_iter().map(G::centre).collect();
    for (index, [x, y]) in centres.iter().enumerate() {
        let distance = |[u, v]: &[f32; 2]| (x - u).hypot(y - v);
        let others = centres.iter().enumerate().filter(|(other, _)| *other != index);
        let nearest = others.map(|(_, centre)| distance(centre)).fold(f32::INFINITY, f32::min);
        assert!((nearest - 1.0).abs() < 1e-3, "{nearest}");
    }
}

macro_rules! pictures {
    ($($name:ident,)*) => { $(
        #[test]
        fn $name() {
            with_variant!(registry::preset(stringify!($name)).unwrap(), variant => {
                check_games(&variant);
            });
        }
    )* };
}

for_every_game!(pictures);

#[test]
fn options_change_names_labels_and_turns() {
    for (game, rules) in [
        ("susan", json!({ "notation": "linhart", "pie": "on" })),
        ("checkers_gomoku", json!({ "capture": "optional", "per_move": "per_line" })),
        ("neutron5", json!({ "holes": 1 })),
    ] {
        let variant = registry::find(game, rules.as_object().unwrap()).unwrap();
        with_variant!(variant, variant => check_games(&variant));
    }
}

#[test]
fn neighbours_lie_at_distance_one() {
    for listing in registry::GAMES {
        let variant = registry::preset(listing.name).unwrap();
        fn check<G: Picture>(_: &Variant<G>) {
            check_distances::<G>();
        }
        with_variant!(&variant, variant => check(variant));
    }
}
