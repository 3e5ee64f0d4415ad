//! Tests of `tavoliere ladder`: stored files, resumption, output and errors.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::cli::{self, Run, program, run, text, texts};
use crate::common::folder::Folder;

const GAME: [&str; 2] = ["--game", "connect_four"];
const PLAYERS: [&str; 4] = ["random", "uct?rollouts=5", "uct?rollouts=30", "alphabeta?depth=2"];

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Runs `tavoliere ladder` in this folder.
fn ladder(folder: &Path, args: &[&str]) -> Run {
    run(&[&["ladder", "--folder", path(folder)], args].concat())
}

/// Runs the usual ladder of these tests with a number of games; returns its JSON output.
fn usual(folder: &Path, games: &str) -> Value {
    let args = [&PLAYERS[..], &GAME, &["--games", games, "--json"]].concat();
    ladder(folder, &args).well().json().remove(0)
}

fn files(folder: &Path) -> [String; 2] {
    ["ladder.jsonl", "games.jsonl"].map(|name| fs::read_to_string(folder.join(name)).unwrap())
}

fn lay(folder: &Path, files: [&str; 2]) {
    fs::create_dir_all(folder).unwrap();
    for (name, text) in ["ladder.jsonl", "games.jsonl"].into_iter().zip(files) {
        fs::write(folder.join(name), text).unwrap();
    }
}

#[test]
fn a_ladder_that_is_cut_off_anywhere_resumes_to_the_same_files() {
    let folder = Folder::new();
    let whole = folder.file("whole");
    let result = usual(&whole, "160");
    let [log, games] = files(&whole);
    let lines = log.lines().count();
    assert!(lines > 85, "{lines} lines");
    for cut in (0..log.len()).step_by(log.len() / 12) {
        let boundary = log[..cut].rfind('\n').map_or(0, |at| at + 1);
        for (end, kept) in [(boundary, games.len()), (cut, games.len() * cut / log.len())] {
            // Games are written before the log, so there may be more of them, the last incomplete.
            let known = log[..end].matches("\"pair\"").count();
            let least = games.split_inclusive('\n').take(2 * known).map(str::len).sum();
            let torn = folder.file(&format!("cut{cut}-{end}-{kept}"));
            lay(&torn, [&log[..end], &games[..kept.max(least)]]);
            assert_eq!(usual(&torn, "160"), result, "cut at {end}");
            assert_eq!(files(&torn), [log.clone(), games.clone()], "cut at {end}");
        }
    }
}

#[test]
fn a_ladder_in_several_parts_is_the_same_as_at_once() {
    let folder = Folder::new();
    let [whole, parts] = ["whole", "parts"].map(|name| folder.file(name));
    let result = usual(&whole, "120");
    for games in ["2", "50", "51", "90"] {
        let part = usual(&parts, games);
        assert_eq!(part["games"], games.parse::<u64>().unwrap().next_multiple_of(2));
    }
    assert_eq!(usual(&parts, "120"), result);
    assert_eq!(files(&parts), files(&whole));
    // With fewer games than there are, or none, no games are played.
    assert_eq!(usual(&parts, "10"), result);
    let shown = ladder(&parts, &["--games", "0", "--json"]).well().json().remove(0);
    assert_eq!(shown, result);
    assert_eq!(files(&parts), files(&whole));
}

#[test]
fn a_ladder_does_not_depend_on_the_number_of_threads() {
    let folder = Folder::new();
    let played = |threads: &str| {
        let place = folder.file(threads);
        let args = [&["ladder", "--folder", path(&place)], &PLAYERS[..], &GAME].concat();
        let mut command = program(&[&args[..], &["--games", "100"]].concat());
        assert!(command.env("RAYON_NUM_THREADS", threads).output().unwrap().status.success());
        files(&place)
    };
    let alone = played("1");
    assert_eq!(alone, played("2"));
    assert_eq!(alone, played("5"));
}

#[test]
fn players_are_added_without_playing_anything_again() {
    let folder = Folder::new();
    let place = folder.file("ladder");
    usual(&place, "100");
    let [before, games] = files(&place);
    let more = ladder(&place, &["uct?rollouts=80", "--games", "132", "--json"]);
    // A single active player has no opponent.
    more.refused(2, "at least two");
    let named =
        [&["uct?rollouts=80", "uct?rollouts=30"][..], &["--games", "132", "--json"]].concat();
    let found = ladder(&place, &named).well().json().remove(0);
    let [log, all] = files(&place);
    assert!(log.starts_with(&before) && all.starts_with(&games));
    assert_eq!(
        (found["games"].as_u64(), found["players"].as_array().unwrap().len()),
        (Some(132), 5)
    );
    let new =
        found["players"].as_array().unwrap().iter().find(|it| it["name"] == "uct?rollouts=80");
    assert_eq!(new.unwrap()["games"], 32, "only the named players play");
    // Without names all players play.
    let all = ladder(&place, &["--games", "200", "--json"]).well().json().remove(0);
    assert_eq!(all["games"], 200);
}

#[test]
fn the_recorded_games_add_up_to_the_reported_results() {
    let folder = Folder::new();
    let place = folder.file("ladder");
    let found = usual(&place, "64");
    let [_, games] = files(&place);
    let games: Vec<Value> = games.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(games.len(), 64);
    for player in found["players"].as_array().unwrap() {
        let name = text(player, "name");
        let won = |side: &str| {
            let won = |game: &&Value| game[side] == name && game["winner"] == side;
            games.iter().filter(won).count() as u64
        };
        assert_eq!(player["wins"], won("P1") + won("P2"), "{name}");
        let sum: u64 =
            ["wins", "draws", "losses"].iter().map(|it| player[it].as_u64().unwrap()).sum();
        assert_eq!(player["games"], sum);
    }
    let met = found["results"].as_array().unwrap();
    let count = |key: &str| met.iter().map(|it| it[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!(count("wins") + count("draws") + count("losses"), 64);
    let query = json!({ "game": "connect_four", "moves": texts(&games[9], "moves") });
    assert_eq!(cli::ask(&[], &query)["winner"], games[9]["winner"]);
}

#[test]
fn the_list_is_shown_as_text_json_and_csv() {
    let folder = Folder::new();
    let (place, csv) = (folder.file("ladder"), folder.file("list.csv"));
    let found = usual(&place, "160");
    let players = found["players"].as_array().unwrap();
    assert_eq!(players[3]["name"], "random", "{found}");
    assert!(players[3]["los"].is_null() && players[0]["los"].as_f64() > Some(0.5));
    let elo = |player: &Value, key: &str| player["elo"][key].as_f64().unwrap();
    assert!(players.windows(2).all(|two| elo(&two[0], "value") >= elo(&two[1], "value")));
    assert_eq!((elo(&players[3], "low"), elo(&players[3], "high")), (0.0, 0.0), "the anchor");
    let args = ["--games", "0", "--anchor", "uct?rollouts=5", "--csv", path(&csv)];
    let shown = ladder(&place, &args).well();
    let lines = shown.lines();
    assert_eq!(lines[0], "connect_four, 160 games of 4 players, the rating of uct?rollouts=5 is 0");
    assert!(lines[1].starts_with("rank  player") && lines[5].contains("random"), "{lines:?}");
    assert!(lines[6].starts_with("the first move is worth"), "{lines:?}");
    let list = fs::read_to_string(&csv).unwrap();
    let rows: Vec<Vec<&str>> = list.lines().map(|line| line.split(',').collect()).collect();
    assert!(rows.iter().all(|row| row.len() == rows[0].len()) && rows.len() == 5, "{list}");
    assert_eq!(rows[0][..3], ["rank", "name", "elo"]);
    let anchored = rows.iter().find(|row| row[1] == "uct?rollouts=5").unwrap();
    assert_eq!(anchored[2].parse::<f64>().unwrap(), 0.0);
}

/// The log of a ladder of tic-tac-toe between `players` players, in which these pairs were played,
/// scheduled one by one: two players, the number of the opening, and the winners of both games.
fn log_of(players: usize, pairs: &[([usize; 2], usize, [&str; 2])]) -> String {
    let mut lines = vec![json!({ "ladder": {
        "format": 3, "game": "tic_tac_toe", "rules": {}, "rules_version": 1, "opening": 3,
        "seed": 1, "decided": false, "balanced": false,
    } })];
    let player =
        |player: usize| json!({ "name": player.to_string(), "checksum": "0", "training": null });
    lines.extend((0..players).map(|number| json!({ "player": player(number) })));
    for ([first, second], opening, winners) in pairs {
        lines.push(json!({ "round": [
            { "first": first, "second": second, "opening": opening, "pairs": 1 },
        ] }));
        lines.push(json!({ "pair": {
            "first": first, "second": second, "opening": opening, "winners": winners,
        } }));
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[cfg(unix)]
#[test]
fn a_folder_starts_no_program_that_the_command_line_does_not_name() {
    let folder = Folder::new();
    let (place, touched) = (folder.file("ladder"), folder.file("touched"));
    let engine = format!("gtp?timeout=60000ms:touch {}", touched.display());
    ladder(&place, &["random", "uct?rollouts=5", "--game", "connect_four", "--games", "4"]).well();
    let [log, games] = files(&place);
    let entry = json!({ "name": engine, "checksum": "00000000", "training": null });
    let log = format!("{log}{}\n", json!({ "player": entry }));
    lay(&place, [&log, &games]);
    for most in [&["--games", "40"][..], &["--time", "1s"], &[]] {
        let refused = ladder(&place, most);
        refused.refused(2, &format!("its player `{engine}`"));
        assert!(refused.stderr.contains("name the players that shall play"), "{}", refused.stderr);
    }
    assert_eq!(files(&place), [log, games]);
    // It can be shown, and the others can play.
    assert!(ladder(&place, &["--games", "0"]).well().stdout.contains(&engine));
    let others = ladder(&place, &["random", "uct?rollouts=5", "--games", "6", "--json"]);
    assert_eq!(others.json()[0]["games"], 6, "{}", others.stderr);
    assert!(!touched.exists());
    // If it is named, it is started.
    ladder(&place, &[&engine, "random", "--games", "8"]).refused(2, "before it answered");
    assert!(touched.exists());
}

#[test]
fn names_with_control_characters_are_refused() {
    let folder = Folder::new();
    let place = folder.file("ladder");
    let log = log_of(2, &[([0, 1], 0, ["P1", "P2"])]);
    for (from, to) in [("\"name\":\"1\"", "\"name\":\"\\u001b[2J\""), ("tic_tac_toe", "tic\\u0007")]
    {
        lay(&place, [&log.replacen(from, to, 1), ""]);
        ladder(&place, &["--games", "0"]).refused(1, "has control characters");
    }
}

#[test]
fn intransitive_results_and_unconnected_players_cause_warnings() {
    let folder = Folder::new();
    // Both games are won by the first player of the two, or by the second.
    let (forwards, backwards) = (["P1", "P2"], ["P2", "P1"]);
    let pairs = |two: [usize; 2], count: usize, winners: [&'static str; 2]| {
        (0..count).map(move |opening| (two, opening, winners)).collect::<Vec<_>>()
    };
    let ring =
        [pairs([0, 1], 20, forwards), pairs([1, 2], 20, forwards), pairs([0, 2], 20, backwards)];
    let place = folder.file("ring");
    lay(&place, [&log_of(3, &ring.concat()), ""]);
    let shown = ladder(&place, &["--games", "0"]).well().stdout;
    assert!(shown.contains("warning: one rating per player does not explain"), "{shown}");
    assert!(shown.contains("Elo around the cycle"), "{shown}");
    let apart = [pairs([0, 1], 2, forwards), pairs([2, 3], 2, forwards)];
    let place = folder.file("apart");
    lay(&place, [&log_of(4, &apart.concat()), ""]);
    let shown = ladder(&place, &["--games", "0"]).well().stdout;
    assert!(shown.contains("warning: no games join 2, 3 with 0"), "{shown}");
    let found = ladder(&place, &["--games", "0", "--json"]).well().json().remove(0);
    assert!(found["players"][3]["elo"].is_null() && found["players"][3]["rank"].is_null());
}

#[test]
fn a_ladder_ends_when_all_openings_are_played() {
    let folder = Folder::new();
    let args = ["random", "uct?rollouts=2", "--game", "tic_tac_toe", "--opening", "1"];
    let run = ladder(&folder.file("ladder"), &[&args[..], &["--games", "100"]].concat());
    assert_eq!(run.status, Some(0));
    assert!(
        run.stderr.contains("all different openings of 1 turns have been played"),
        "{}",
        run.stderr
    );
    assert!(run.stdout.starts_with("tic_tac_toe, 18 games of 2 players"), "{}", run.stdout);
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_it_and_the_same_command_resumes() {
    let folder = Folder::new();
    let place = folder.file("ladder");
    let args = |games| [&PLAYERS[..], &GAME, &["--games", games, "--json"]].concat();
    let args_of_all = [&["ladder", "--folder", path(&place)], &args("4000")[..]].concat();
    let child = program(&args_of_all).spawn().unwrap();
    let log = place.join("ladder.jsonl");
    while fs::metadata(&log).map_or(0, |log| log.len()) < 4000 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let killed =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains("the same command resumes"), "{said}");
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    let games = shown["games"].as_u64().unwrap();
    assert!((20..4000).contains(&games), "{games}");
    let [played, _] = files(&place);
    let more = (games + 20).to_string();
    assert_eq!(ladder(&place, &args(&more)).well().json()[0]["games"], games + 20);
    let whole = folder.file("whole");
    ladder(&whole, &args(&more)).well();
    assert_eq!(files(&whole), files(&place));
    assert!(files(&whole)[0].starts_with(&played));
}

#[test]
fn a_limit_of_time_is_respected() {
    let folder = Folder::new();
    let begun = std::time::Instant::now();
    let args = ["uct?time=5ms", "random", "--game", "connect_four", "--time", "300ms", "--json"];
    let found = ladder(&folder.file("ladder"), &args).well().json().remove(0);
    assert!(found["games"].as_u64().unwrap() >= 2 && begun.elapsed().as_secs() < 20);
}

// ---- pictures ----

#[test]
fn pictures_are_drawn_in_both_formats_and_shades() {
    let folder = Folder::new();
    let place = folder.file("ladder");
    usual(&place, "64");
    let [svg, png, dark] = ["a.svg", "a.png", "b.png"].map(|name| folder.file(name));
    for kind in ["--picture", "--matrix"] {
        let both = ["--games", "0", kind, path(&svg), kind, path(&png)];
        ladder(&place, &both).well();
        ladder(&place, &["--games", "0", "--dark", kind, path(&dark)]).well();
        let text = fs::read_to_string(&svg).unwrap();
        assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"), "{text}");
        assert_eq!(text.matches("<text ").count(), text.matches("</text>").count());
        for words in ["alphabeta?depth=2", "prefers-color-scheme:dark", "connect_four"] {
            assert!(text.contains(words), "no {words} in {text}");
        }
        let grounds = [&png, &dark].map(|file| {
            let picture = tiny_skia::Pixmap::decode_png(&fs::read(file).unwrap()).unwrap();
            let corner = picture.pixel(0, 0).unwrap();
            let painted = picture.pixels().iter().filter(|&&pixel| pixel != corner).count();
            assert!(painted > 5000, "{painted} pixels of {kind}");
            corner.red()
        });
        assert!(grounds[0] > 200 && grounds[1] < 50, "{grounds:?}");
    }
}

// ---- refusals ----

#[test]
fn invalid_arguments_are_refused() {
    let folder = Folder::new();
    let place = folder.file("ladder");
    usual(&place, "16");
    let before = files(&place);
    let fresh = folder.file("fresh");
    let cases: &[(&Path, &[&str], &str)] = &[
        (&fresh, &[], "name the players of a new one"),
        (&fresh, &["--games", "0"], "there is no ladder in"),
        (&fresh, &["random", "uct"], "say which by --game"),
        (&fresh, &["random", "random", "--game", "susan"], "at least two different players"),
        (&fresh, &["randm", "uct", "--game", "susan"], "did you mean `random`?"),
        (&fresh, &["nowhere@*", "uct", "--game", "susan"], "there is no run in nowhere"),
        (&fresh, &["nowhere@3..x", "uct", "--game", "susan"], "`x` is not the number"),
        (&fresh, &["perfect", "random", "--game", "susan"], "tic_tac_toe and connect_four only"),
        (&fresh, &["random", "uct", "--game", "susan", "--rule", "pie"], "OPTION=VALUE"),
        (&fresh, &["random", "uct", "--rule", "pie=on"], "--game"),
        (&fresh, &["random", "uct", "--games", "9", "--time", "9s"], "--time"),
        (&fresh, &["random", "uct", "--picture", "a.gif"], "neither FILE.svg nor FILE.png"),
        (&place, &["random", "uct", "--game", "susan"], "was started with game \"connect_four\""),
        (&place, &["random", "uct", "--seed", "2"], "was started with seed 1, not 2"),
        (&place, &["random", "uct", "--opening", "4"], "was started with opening 3, not 4"),
        (
            &place,
            &["random", "uct", "--decided"],
            "was started with decided openings false, not true",
        ),
        (
            &place,
            &["random", "uct", "--balanced"],
            "was started with balanced openings false, not true",
        ),
        (&place, &["random", "uct?rollouts=9", "--games", "0"], "rollouts=9 has not entered"),
        (&place, &["--games", "0", "--anchor", "uct"], "--anchor uct is not one of the players"),
    ];
    for (place, args, words) in cases {
        println!("{args:?}");
        ladder(place, args).refused(2, words);
    }
    assert_eq!(files(&place), before);
    let nowhere = ladder(&place, &["--games", "0", "--csv", "/nowhere/at/all"]);
    nowhere.refused(1, "cannot write /nowhere/at/all");
}

#[test]
fn a_player_that_has_changed_is_refused() {
    let folder = Folder::new();
    let place = folder.file("ladder");
    usual(&place, "16");
    let [log, games] = files(&place);
    let entry = log.lines().find(|line| line.contains("rollouts=30")).unwrap();
    let checksum = &entry[entry.find("checksum\":\"").unwrap() + 11..][..8];
    lay(&place, [&log.replace(checksum, "12345678"), &games]);
    let again = ladder(&place, &[&PLAYERS[..], &GAME, &["--games", "40"]].concat());
    again.refused(2, "the player `uct?rollouts=30` has changed since it entered");
    assert!(again.stderr.contains("before 12345678"), "{}", again.stderr);
}

#[test]
fn a_damaged_log_is_refused_and_left_alone() {
    let folder = Folder::new();
    let place = folder.file("ladder");
    usual(&place, "16");
    let [log, games] = files(&place);
    let lines: Vec<&str> = log.split_inclusive('\n').collect();
    let without = |line: usize| [&lines[..line], &lines[line + 1..]].concat().concat();
    for (damaged, words) in [
        (log.replacen("P1", "P7", 1), "is damaged"),
        (without(0), "expected the header of a ladder"),
        (without(8), "line 9 of"),
        (
            log.replacen("\"format\":3", "\"format\":9", 1),
            "has format 9, this program reads format 3",
        ),
        (log.replacen("\"rules_version\":1", "\"rules_version\":99", 1), "version 99"),
    ] {
        lay(&place, [&damaged, &games]);
        let run = ladder(&place, &["--games", "40"]);
        assert!(run.stderr.contains(words), "no `{words}` in {}", run.stderr);
        assert!(!run.stderr.contains("panicked") && run.status != Some(0));
        assert_eq!(files(&place), [damaged, games.clone()]);
    }
}

#[test]
fn two_processes_do_not_play_in_one_folder() {
    let folder = Folder::new();
    let place = folder.file("ladder");
    // Its first game takes longer than this test.
    let slow = ["random", "uct?time=10m", "--game", "tic_tac_toe", "--games", "4"];
    let slow = [&["ladder", "--folder", path(&place)], &slow[..]].concat();
    let mut first = program(&slow).spawn().unwrap();
    while !fs::read_to_string(place.join("ladder.jsonl")).is_ok_and(|log| log.contains("round")) {
        assert_eq!(first.try_wait().unwrap(), None, "it plays");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let args = ["random", "uct?rollouts=2", "--game", "tic_tac_toe", "--games", "4"];
    let second = ladder(&place, &args);
    first.kill().unwrap();
    first.wait().unwrap();
    second.refused(2, "another process is playing in");
    ladder(&place, &args).well();
}

#[test]
fn the_help_has_examples() {
    let help = run(&["ladder", "--help"]).well().stdout;
    for words in ["RUN@0..40/5", "--games 0", "--picture", "docs/evaluation.md"] {
        assert!(help.contains(words), "no {words} in {help}");
    }
}

// ---- trained players ----

#[cfg(feature = "net")]
mod trained {
    use super::*;

    const CONFIG: &str = "game = \"tic_tac_toe\"\niterations = 2\n[network]\nchannels = 8\n\
        blocks = 1\nvalue_hidden = 8\n[selfplay]\ngames = 8\nbatch = 8\nsimulations = 4\n\
        [learner]\nbatch = 16\n";

    /// Trains a run in this folder with this seed.
    fn train(folder: &Path, seed: u64) {
        let config = folder.with_extension("toml");
        fs::write(&config, format!("seed = {seed}\n{CONFIG}")).unwrap();
        let trained = run(&["train", path(&config), "--run", path(folder)]);
        assert_eq!(trained.status, Some(0), "{}", trained.stderr);
    }

    #[test]
    fn checkpoints_are_rated_over_the_time_of_training() {
        let folder = Folder::new();
        let (place, svg) = (folder.file("ladder"), folder.file("a.svg"));
        let net = folder.file("net");
        train(&net, 1);
        let net = path(&net);
        let [all, second] = [format!("{net}@*"), format!("{net}@0..2/2?simulations=3")];
        let args = ["random", &all, &second, &format!("policy:{net}"), "--simulations", "2"];
        let args = [&args[..], &["--games", "150", "--picture", path(&svg), "--json"]].concat();
        let found = ladder(&place, &args).well().json().remove(0);
        let players = found["players"].as_array().unwrap();
        assert_eq!((players.len(), found["games"].as_u64()), (7, Some(150)));
        let seconds = |name: &str| {
            let player = players.iter().find(|it| it["name"] == name).unwrap();
            player["seconds"].as_f64().unwrap()
        };
        assert_eq!(seconds(&format!("{net}@0")), 0.0);
        assert!(seconds(&format!("{net}@2")) > seconds(&format!("{net}@1")));
        assert_eq!(seconds(&format!("policy:{net}@2")), seconds(&format!("{net}@2?simulations=3")));
        let picture = fs::read_to_string(&svg).unwrap();
        for words in ["seconds of training", ">net<", ">net?simulations=3<", ">policy:net<"] {
            assert!(picture.contains(words), "no {words} in {picture}");
        }
        // It also resumes in the middle of a batched match.
        let [log, games] = files(&place);
        let torn = folder.file("torn");
        lay(&torn, [&log[..log.len() / 2], &games]);
        assert_eq!(ladder(&torn, &args).well().json().remove(0), found);
        assert_eq!(files(&torn), [log, games]);
    }

    #[test]
    fn other_weights_or_settings_under_the_same_name_are_refused() {
        let folder = Folder::new();
        let (place, net) = (folder.file("ladder"), folder.file("net"));
        train(&net, 1);
        let name = format!("{}/@1", path(&net));
        let args = |simulations| ["random", &name, "--games", "4", "--simulations", simulations];
        ladder(&place, &args("2")).well();
        ladder(&place, &args("3")).refused(2, "simulations are different");
        fs::remove_dir_all(&net).unwrap();
        train(&net, 2);
        ladder(&place, &args("2")).refused(2, "net@1` has changed since it entered");
        let game = [&args("2")[..], &["--game", "susan"]].concat();
        ladder(&place, &game).refused(2, "plays tic_tac_toe, not susan");
    }
}
