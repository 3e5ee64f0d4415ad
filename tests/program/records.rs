//! Tests of `tavoliere records`: formats, the choice of games, errors.

use std::fs::{self, File};

use serde_json::json;

use crate::common::cli::{run, run_with};
use crate::common::folder::Folder;

/// The first nine turns of some games of Entropy.
const GAMES: [&str; 5] = [
    "A5-C3 A2-D2 B5-B2 B1-D3 C5-B5 D3-C4 E4-B1 E2-E4 A4-A3",
    "D5-B3 C1-A3 C5-D5 E1-B4 E4-C2 E2-D3 B5-C5 B4-D4 B3-C3",
    "A5-B4 A2-D2 D5-C4 C1-B2 A4-B3 B2-A3 B3-D3 B1-B3 E5-C3",
    "B5-B4 C1-C2 C5-D4 D1-C1 A4-B3 A2-B2 D5-C5 E2-C4 D4-D5",
    "B5-C4 E2-D2 C5-B4 B1-C2 B4-B5 D2-D3 A5-B4 C1-E3 A4-B3",
];

/// Returns games as `--format lines` writes them.
fn lines(games: &[&str]) -> String {
    let line = |game: &&str| {
        let moves: Vec<&str> = game.split(' ').collect();
        json!({ "game": "entropy", "rules": {}, "moves": moves, "winner": null }).to_string() + "\n"
    };
    games.iter().map(line).collect()
}

/// Returns games as `--format pgn` writes them.
fn pgn(games: &[&str]) -> String {
    let game = |game: &&str| {
        let moves: Vec<&str> = game.split(' ').collect();
        let rounds = (1..).zip(moves.chunks(2));
        let rounds: Vec<String> =
            rounds.map(|(number, turns)| format!("{number}. {}", turns.join(" "))).collect();
        format!("[Game \"entropy\"]\n[Result \"*\"]\n\n{} *\n", rounds.join(" "))
    };
    games.iter().map(game).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_command_changes_formats_and_chooses_games() {
    let folder = Folder::new();
    let path = folder.file("games.txt");
    fs::write(&path, lines(&GAMES)).unwrap();
    let path = path.to_str().unwrap();
    let records = |args: &[&str]| run(&[&["records"], args].concat()).well().stdout;

    assert_eq!(records(&[path]), pgn(&GAMES));
    assert_eq!(records(&[path, "--first", "2"]), pgn(&GAMES[..2]));
    assert_eq!(records(&[path, "--first", "20"]), pgn(&GAMES));
    assert_eq!(records(&[path, "--games", "2..3"]), pgn(&GAMES[1..3]));
    assert_eq!(
        records(&[path, path, "--games", "5..6"]),
        pgn(&[&GAMES[4..], &GAMES[..1]].concat())
    );
    assert_eq!(records(&[path, "--games", "..1", "--format", "lines"]).lines().count(), 1);
    let piped = run_with(&["records", "-", "--games", "4.."], pgn(&GAMES)).well().stdout;
    assert_eq!(piped, pgn(&GAMES[3..]));

    let output = folder.file("out.pgn");
    let written = records(&[path, "--output", output.to_str().unwrap()]);
    assert_eq!(
        (written.as_str(), fs::read_to_string(&output).unwrap()),
        ("5 games\n", pgn(&GAMES))
    );
}

#[test]
fn the_command_refuses_what_it_cannot_do() {
    let folder = Folder::new();
    let path = folder.file("games.pgn");
    fs::write(&path, "[Game \"susan\"] d3 *").unwrap();
    let path = path.to_str().unwrap();
    run(&["records"]).refused(2, "<INPUTS>");
    run(&["records", path, "--format", "sgf"])
        .refused(2, "the formats are pgn, abstractplay and lines");
    run(&["records", path, "--games", "3..2"]).refused(2, "A..B, as in 1..10");
    run(&["records", path, "--games", "0..2"]).refused(2, "A..B, as in 1..10");
    run(&["records", path, "--first", "0"]).refused(2, "must be 1 or more");
    run(&["records", path, "--first", "1", "--games", "1..1"]).refused(2, "cannot be used with");
    run(&["records", "-", "-"]).refused(2, "standard input (`-`) can be read only once");
    run(&["records", path, "--games", "2.."]).refused(1, "begins with game 2, but there are 1");
    run(&["records", path, "--format", "abstractplay"]).refused(1, "is not finished");
    run(&["records", "nowhere.pgn"]).refused(1, "cannot read nowhere.pgn");
    run_with(&["records", "-"], "[Game \"susan\"]\nd3 d3")
        .refused(1, "standard input: line 2, game 1: turn 2");
    let huge = folder.file("huge");
    File::create(&huge).unwrap().set_len((1 << 30) + 1).unwrap();
    run(&["records", huge.to_str().unwrap()])
        .refused(1, "larger than the limit of 1024 MiB; split it");
}
