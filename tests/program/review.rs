//! `tavoliere review`: what the turns of a game cost.

use std::fs;

use crate::common::cli::{run, run_with};
use crate::common::folder::Folder;

/// White overlooks that Black threatens three in a line.
const GAME: &str = "[Game \"tic_tac_toe\"]\n\n1. a1 b2 2. b1 c3 3. c1 *\n";

fn review(options: &[&str], game: &str) -> crate::common::cli::Run {
    run_with(&[&["review", "-"], options].concat(), game)
}

#[test]
fn mistakes_are_named_with_better_turns() {
    let said = review(&[], GAME).well().stdout;
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "tic_tac_toe, 5 turns, Black wins");
    // White answers the corner well, and then lets Black have three in a line.
    assert_eq!(lines[1], "   4. White: c3??  costs 50 %; better was c1 (50 % instead of 0 %)");
    assert_eq!(lines[2], "          inaccuracies  mistakes  blunders  mean cost");
    assert_eq!(lines[3], "  Black              0         0         0        0 %");
    assert_eq!(lines[4], "  White              0         0         1       25 %");
    assert_eq!(lines.len(), 5, "{said}");
}

#[test]
fn several_games_are_objects_and_one_is_a_picture() {
    let folder = Folder::new();
    let twice = GAME.repeat(2);
    let games = review(&["--json", "--simulations", "100"], &twice).well().json();
    assert_eq!(games.len(), 2);
    assert_eq!(games[0]["turns"], games[1]["turns"]);
    let fourth = &games[0]["turns"][3];
    assert_eq!((&fourth["best"], &fourth["mistake"]), (&"c1".into(), &"blunder".into()));
    assert_eq!(games[0]["scores"].as_array().unwrap().len(), 6);
    assert_eq!(games[0]["summary"][1]["blunders"], 1);
    let picture = folder.file("game.svg").display().to_string();
    review(&["--picture", &picture], GAME).well();
    assert!(fs::read_to_string(&picture).unwrap().contains("expected score of Black"));
    review(&["--picture", &picture], &twice).refused(2, "draws a single game, and there are 2");
}

#[test]
fn what_cannot_be_reviewed_says_why() {
    review(&["--player", "random"], GAME).refused(2, "has no search");
    review(&["--player", "nobody"], GAME).refused(1, "cannot load the player `nobody`");
    review(&["--player", "connect_four"], GAME).refused(2, "plays connect_four, not tic_tac_toe");
    review(&[], "[Game \"tic_tac_toe\"]\n\n1. a1 a1\n").refused(1, "a1");
    run(&["review", "/nope"]).refused(1, "cannot read /nope");
}
