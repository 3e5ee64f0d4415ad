//! Tests of `tavoliere solve`, and of the commands that use a solution.

use std::fs;

use serde_json::json;

use crate::common::cli::{ANSWER, ask, fields, run};
use crate::common::folder::Folder;

/// Solves tic-tac-toe into a folder, and returns its path.
fn solved(folder: &Folder) -> String {
    let path = folder.file("solution").to_str().unwrap().to_owned();
    run(&["solve", "tic_tac_toe", "--out", &path]).well();
    path
}

#[test]
fn tic_tac_toe_is_solved_and_rechecked() {
    let folder = Folder::new();
    let path = solved(&folder);
    let again = ["solve", "tic_tac_toe", "--out", &path, "--json", "--recheck", "500"];
    let answers = run(&again).well().json();
    let [about, checked] = &answers[..] else { panic!("{answers:?}") };
    assert_eq!([&about["positions"], &about["longest"]], [5478, 5]);
    let count = |field: &str| about[field].as_u64().unwrap();
    assert_eq!(count("won") + count("lost") + count("neither"), 5478);
    assert_eq!((&checked["agreed"], &checked["undecided"]), (&json!(500), &json!(0)));
    assert_eq!(checked["suites"], 26 + 29 + 40 + 430);
    assert!(checked["found"].as_u64().unwrap() > 200, "{checked}");
    let text = run(&["solve", "tic_tac_toe", "--out", &path]).well().stdout;
    assert!(text.contains("\n5478 positions, longest win or loss 5 turns\n"), "{text}");
}

#[test]
fn there_is_no_book_of_a_game_that_nobody_wins() {
    let folder = Folder::new();
    let (path, book) = (solved(&folder), folder.file("x.book"));
    let command = ["solve", "tic_tac_toe", "--out", &path, "--book", book.to_str().unwrap()];
    let run = run(&command);
    assert_eq!(run.status, Some(1), "{}", run.stderr);
    let words = "there is no book of tic_tac_toe: neither side can force a win";
    assert!(run.stderr.contains(words), "{}", run.stderr);
    assert!(!book.exists());
}

#[test]
fn a_solution_plays_analyses_and_measures() {
    let folder = Folder::new();
    let path = solved(&folder);
    let query = json!({"moves": ["a1", "b1", "a2"]});
    let answer = ask(&["--solution", &path], &query);
    let exact = &answer["exact"];
    assert_eq!(exact["turns"].as_array().unwrap().len(), 6);
    assert_eq!((&exact["value"], &exact["in"]), (&json!("loss"), &json!(4)));
    assert_eq!(exact["turns"][0], json!({"turn": "a3", "value": "loss", "in": 4}));
    assert_eq!(exact["turns"][5]["in"], 2);
    assert_eq!(fields(&answer).len(), ANSWER.len() + 1);
    let start = ask(&["--solution", &path], &json!({}));
    assert_eq!(
        (&start["exact"]["value"], &start["exact"]["in"]),
        (&json!("neither"), &json!(null))
    );
    let other = ask(&["--solution", &path], &json!({"game": "susan"}));
    assert!(other["error"].as_str().unwrap().contains("of tic_tac_toe"), "{other}");

    let player = format!("solution:{path}");
    let game = ["match", &player, "random", "--games", "20", "--json"];
    let result = run(&game).well().json();
    assert_eq!(result[0]["losses"], 0, "{result:?}");
    let exact = ["exact", &player, "perfect", "random", "--solution", &path];
    let reports = run(&[&exact[..], &["--positions", "300", "--json"]].concat()).well().json();
    for report in &reports[..2] {
        for (name, measure) in report["measures"].as_object().unwrap() {
            // The solver counts the turns in the same way.
            assert_eq!(measure["solved"], measure["positions"], "{name}: {report}");
        }
    }
    assert!(reports[2]["measures"]["kept"]["share"].as_f64().unwrap() < 0.9, "{reports:?}");
}

#[test]
fn who_wins_comes_first() {
    let folder = Folder::new();
    let solve = |game: &[&str], name: &str| {
        run(&[&["solve"], game, &["--out", &folder.file(name).display().to_string()]].concat())
    };
    let said = solve(&["tic_tac_toe"], "a").well().stdout;
    let lines: Vec<&str> = said.lines().take(2).collect();
    assert_eq!(lines[0], "tic_tac_toe: neither side can force a win, after any first turn");
    assert_eq!(lines[1], "5478 positions, longest win or loss 5 turns");
    let json = solve(&["tic_tac_toe", "--json"], "a").well().json().remove(0);
    assert_eq!(json["start"]["value"], "neither");
    assert_eq!(json["start"]["best"].as_array().unwrap().len(), 9);
}

#[test]
fn positions_of_a_class_are_drawn_alone() {
    let folder = Folder::new();
    let path = solved(&folder);
    let exact =
        ["exact", "perfect", "--solution", &path, "--positions", "200", "--json", "--class"];
    let measures = |class: &str| {
        let report = run(&[&exact[..], &[class]].concat()).well().json().remove(0);
        let measures = report["measures"].as_object().unwrap().clone();
        move |name: &str| measures.get(name).map(|measure| measure["positions"].as_u64().unwrap())
    };
    let only = measures("neither_only");
    let names = ["neither_only_kept", "neither_kept", "kept", "win_kept", "loss_longest"];
    assert_eq!(names.map(only), [Some(200), Some(200), Some(200), None, None]);
    let both = measures("loss,neither");
    assert!(both("loss_longest") > Some(0) && both("neither_kept") > both("neither_only_kept"));
    assert_eq!(both("win_shortest"), None);
    // No game of tic-tac-toe is so long.
    run(&[&exact[..], &["win_late"]].concat()).refused(1, "has no such positions");
    run(&[&exact[..], &["won"]].concat()).refused(2, "there are win, win_late, loss, neither");
    run(&["exact", "perfect", "--class", "win"]).refused(2, "--solution");
}

#[cfg(feature = "net")]
#[test]
fn what_a_search_proves_is_so() {
    let folder = Folder::new();
    let path = solved(&folder);
    let exact = ["exact", "tic_tac_toe", "--solution", &path, "--positions", "400"];
    let options = ["--simulations", "1,100", "--require", "claims>=100%", "--json"];
    let reports = run(&[&exact[..], &options].concat()).well().json();
    let claims = |report: usize| reports[report]["measures"]["claims"]["positions"].as_u64();
    assert!(claims(1) > claims(0) && claims(1).unwrap() > 300, "{reports:?}");
}

#[test]
fn who_wins_is_proven_of_any_game() {
    let found = run(&["solve", "neutron5", "--proof", "--memory", "64M", "--json"]).well().json();
    let [found] = &found[..] else { panic!("{found:?}") };
    assert_eq!((&found["winner"], &found["decided"]), (&json!("White"), &json!(true)));
    let text = run(&["solve", "breakthrough6", "--proof", "--visits", "20000"]).well().stdout;
    assert!(text.starts_with("breakthrough6: not decided; a proof needs at least"), "{text}");
    run(&["solve", "susan", "--proof", "--book", "x"]).refused(2, "--book");
    run(&["solve", "susan", "--visits", "5"]).refused(2, "--proof");
    run(&["solve", "susan", "--proof", "--visits", "0"]).refused(2, "must be 1 or more");
}

#[test]
fn what_cannot_be_solved_or_used_is_refused() {
    let folder = Folder::new();
    let path = folder.file("none").to_str().unwrap().to_owned();
    run(&["solve", "susan", "--out", &path]).refused(1, "susan cannot be solved");
    let holes = ["solve", "neutron5_hole1", "--out", &path];
    run(&holes).refused(1, "positions with holes are not numbered");
    let little = ["solve", "neutron5", "--memory", "1G", "--out", &path];
    run(&little).refused(1, "raise --memory");
    run(&["solve", "neutron5", "--memory", "lots"]).refused(2, "write it as in 12G");
    assert!(!folder.file("none").exists());
    let player = format!("solution:{path}");
    run(&["match", &player, "random"]).refused(1, "is not there");
    let path = solved(&folder);
    let wrong = ["exact", "random", "--solution", &path, "--positions", "few"];
    run(&wrong).refused(2, "it is a number");
    let values = folder.file("solution/values");
    let mut bytes = fs::read(&values).unwrap();
    bytes[7] ^= 1;
    fs::write(&values, bytes).unwrap();
    let exact =
        ["exact", "random", "--solution", &path, "--positions", "5", "--game", "tic_tac_toe"];
    run(&exact).refused(1, "is damaged at byte 0");
}

#[test]
fn a_damaged_solution_is_solved_again() {
    let folder = Folder::new();
    let path = solved(&folder);
    let solution = folder.file("solution");
    let whole = ["values", "solution"].map(|name| fs::read(solution.join(name)).unwrap());
    let flipped = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        *bytes.last_mut().unwrap() ^= 4;
        bytes
    };
    let short = |bytes: &[u8]| bytes[..bytes.len() - 1].to_vec();
    let damages = [
        ("values", Some(flipped(&whole[0]))),
        ("values", Some(short(&whole[0]))),
        ("values", None),
        ("solution", Some(flipped(&whole[1]))),
        ("solution", Some(short(&whole[1]))),
    ];
    for (name, damaged) in damages {
        match damaged {
            Some(bytes) => fs::write(solution.join(name), bytes).unwrap(),
            None => fs::remove_file(solution.join(name)).unwrap(),
        }
        let spec = format!("solution:{path}");
        run(&["match", &spec, "random", "--games", "2"]).refused(1, name);
        let again = run(&["solve", "tic_tac_toe", "--out", &path]);
        assert_eq!(again.status, Some(0), "{}", again.stderr);
        assert!(again.stderr.contains("solved again"), "{}", again.stderr);
        let mended = ["values", "solution"].map(|name| fs::read(solution.join(name)).unwrap());
        assert!(mended == whole, "{name}");
    }
    // Somebody else's file is not removed.
    fs::write(solution.join("solution"), "mine").unwrap();
    run(&["solve", "tic_tac_toe", "--out", &path]).refused(1, "is not a tavoliere");
    assert_eq!(fs::read(solution.join("solution")).unwrap(), b"mine");
}

#[test]
fn what_a_killed_solve_left_beside_its_solution_is_removed() {
    let folder = Folder::new();
    let path = solved(&folder);
    let left = folder.file("solution").join("unfinished");
    fs::create_dir(&left).unwrap();
    fs::write(left.join("level-00001"), "left").unwrap();
    run(&["solve", "tic_tac_toe", "--out", &path]).well();
    assert!(!left.exists());
}
