//! `tavoliere play`: what a person types and reads.

use crate::common::cli::{run, run_with};
use crate::common::folder::Folder;

const GAME: [&str; 4] = ["play", "random", "--game", "tic_tac_toe"];

#[test]
fn colours_are_named_and_sides_chosen_by_them() {
    for (side, words) in [
        ("first", "You play Black (x); Black moves first."),
        ("black", "You play Black (x); Black moves first."),
        ("white", "You play White (o); Black moves first."),
        ("none", "It plays both sides; Black moves first."),
    ] {
        let shown = run_with(&[&GAME[..], &["--side", side]].concat(), "quit\n").well().stdout;
        assert!(shown.contains(words), "{shown}");
    }
    let shown = run_with(&GAME, "quit\n").well().stdout;
    assert!(shown.contains("Black (you) to move: "), "{shown}");
}

#[test]
fn chances_say_whose_they_are() {
    let args = ["play", "tic_tac_toe", "--simulations", "4"];
    let shown = run_with(&args, "hint\nb2\nquit\n").well().stdout;
    let hint = shown.lines().find(|line| line.contains("to move: ")).unwrap();
    assert!(hint.contains("(Black wins ") && hint.contains(" %, White wins "), "{hint}");
    let reply = shown.lines().find(|line| line.contains("White plays ")).unwrap();
    assert!(reply.contains("(White wins ") && reply.contains(" %, Black wins "), "{reply}");
}

#[test]
fn a_weak_level_gives_the_hints_of_the_full_player_and_no_values() {
    let position = ["--position", "......./......./......./...o.../...x.../...x... o"];
    let hint = |level: &[&str]| {
        let args = [&["play", "connect_four", "--side", "white"], &position[..], level].concat();
        let shown = run_with(&args, "hint\nquit\n").well().stdout;
        shown.lines().find(|line| line.contains("to move: ")).unwrap().to_owned()
    };
    let full = hint(&[]);
    for level in ["1", "beginner", "Casual"] {
        assert_eq!(hint(&["--level", level]), full);
    }
    for opponent in [&["tic_tac_toe", "--level", "1"][..], &["tic_tac_toe?level=1"]] {
        let args = [&["play"], opponent].concat();
        let shown = run_with(&args, "b2\nquit\n").well().stdout;
        let reply = shown.lines().find(|line| line.contains("White plays ")).unwrap();
        assert!(!reply.contains('%'), "{reply}");
    }
}

#[test]
fn commands_are_explained_and_slips_met_with_the_right_one() {
    let shown = run_with(&GAME, "help\nboard\nhnit\nz9\nrules\nquit\n").well().stdout;
    let rules = run(&["rules", "tic_tac_toe"]).well().stdout;
    for words in [rules.as_str(), "save FILE", "did you mean `hint`?", "`help` lists the commands"]
    {
        assert!(shown.contains(words), "no `{words}` in {shown}");
    }
    assert_eq!(shown.matches("3 . . .").count(), 2, "{shown}");
}

#[test]
fn a_game_is_saved_when_it_ends() {
    let folder = Folder::new();
    let file = folder.file("game.txt").display().to_string();
    let input = "b2\na1\nc3\na3\nc1\na2\nb1\nb3\nc2\n".repeat(2);
    let shown = run_with(&[&GAME[..], &["--save", &file]].concat(), input).well().stdout;
    assert!(shown.contains(&format!("saved in {file}\n")), "{shown}");
    run(&["records", &file, "--format", "lines"]).well();
}

#[test]
fn the_end_says_who_won() {
    // A random player does not see that it loses.
    let mut won = 0;
    for seed in 1..20 {
        let seed = seed.to_string();
        let args = [&GAME[..], &["--seed", &seed]].concat();
        let input = "b2\na1\nc3\na3\nc1\na2\nb1\nb3\nc2\n".repeat(2);
        let shown = run_with(&args, input).well().stdout;
        let last = shown.trim_end().lines().last().unwrap().to_owned();
        let ends = ["a draw", "Black wins: you win", "White wins: you lose"];
        assert!(ends.contains(&last.as_str()), "{last}");
        if last == ends[1] {
            won += 1;
            assert!(shown.contains("Black has three in a line."), "{shown}");
        }
    }
    assert!(won > 0);
}

#[test]
fn a_game_is_saved_as_a_record() {
    let folder = Folder::new();
    for name in ["game.txt", "game.jsonl"] {
        let file = folder.file(name).display().to_string();
        let input = format!("b2\nsave {file}\nsave {file}\nsave\nquit\n");
        let shown = run_with(&GAME, input).well().stdout;
        for words in ["saved in ", "is there already; name another file", "name a file, as in"] {
            assert!(shown.contains(words), "no `{words}` in {shown}");
        }
        let read = run(&["records", &file]).well().stdout;
        assert!(read.contains("b2"), "{read}");
    }
    let shown = run_with(&GAME, "save /nonexistent/game.txt\nquit\n").well().stdout;
    assert!(shown.contains("cannot write /nonexistent/game.txt"), "{shown}");
}

#[test]
fn a_game_begins_in_the_given_position() {
    let folder = Folder::new();
    let file = folder.file("game.jsonl");
    let text = folder.file("game.txt");
    let args = [&GAME[..], &["--position", "x../.o./... x"]].concat();
    let input = format!("undo\na1\nundo\nsave {}\nsave {}\nquit\n", text.display(), file.display());
    let shown = run_with(&args, input).well().stdout;
    for words in [
        "You play Black (x); Black moves first.",
        "3 x . .",
        "there is nothing to take back",
        "only a file .jsonl can hold",
        "saved in ",
    ] {
        assert!(shown.contains(words), "no `{words}` in {shown}");
    }
    let saved = std::fs::read_to_string(&file).unwrap();
    assert!(saved.contains(r#""position":"x../.o./... x""#), "{saved}");
    assert!(!text.exists());
    // Who is to move there moves first.
    let args = [&GAME[..], &["--position", "x../.../... o", "--side", "first"]].concat();
    let shown = run_with(&args, "quit\n").well().stdout;
    assert!(shown.contains("You play White (o); White moves first."), "{shown}");
}
