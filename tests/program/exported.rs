//! Tests of `tavoliere export`, and of exported players in other programs.

#![cfg(feature = "net")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::common::cli::{ask, program, run, texts};
use crate::common::run::{PROGRAM, Setup};

/// The contents of `player.json`.
#[track_caller]
fn card(player: &Path) -> Value {
    serde_json::from_slice(&fs::read(player.join("player.json")).unwrap()).unwrap()
}

/// A small run, evaluated after each of its iterations.
fn trained(iterations: u64) -> Setup {
    let setup = Setup::new(&format!(
        "game = 'tic_tac_toe'\niterations = {iterations}\n\
         network = {{ channels = 4, blocks = 1 }}\n\
         selfplay = {{ games = 4, simulations = 4 }}\nlearner = {{ batch = 8 }}\n\
         evaluation = {{ every = 1, games = 2, simulations = 2, panel = ['random'] }}\n"
    ));
    setup.train(&[]).succeeded();
    setup
}

#[test]
fn a_run_is_exported_and_played_by_the_program() {
    let setup = trained(1);
    let [run_folder, out] = ["", "../player"].map(|name| setup.path(name).display().to_string());
    let line = run(&["export", &run_folder, "--output", &out]).well().stdout;
    assert!(line.contains("for tic_tac_toe"), "{line}");
    let query = json!({ "moves": ["b2"], "simulations": 50 });
    let own = ask(&["--player", &run_folder], &query);
    assert_eq!(ask(&["--player", &out], &query), own, "the search is the same");
    let training = &card(Path::new(&out))["training"];
    assert_eq!((&training["iteration"], &training["games"]), (&json!(1), &json!(4)));
    assert_eq!(training["rating"]["zero"], "random");

    // Export the exported player, in half precision and with another search.
    let half = setup.path("../half").display().to_string();
    let options = format!("{out}?simulations=77&c_puct=1.5");
    run(&["export", &options, "--output", &half, "--half", "--licence", "CC0"]).well();
    let card = card(Path::new(&half));
    assert_eq!(card["simulations"], 77);
    assert_eq!((&card["search"]["c_puct"], &card["licence"]), (&json!(1.5), &json!("CC0")));
    let score = run(&["match", &half, &run_folder, "--games", "4", "--json"]);
    assert_eq!(score.status, Some(0), "{}", score.stderr);

    run(&["export", &run_folder, "--output", &run_folder])
        .refused(2, "is not empty and holds no exported player; choose another --output");
    run(&["export", "uct", "--output", &out]).refused(2, "has no network");
    for option in ["level=2", "time=1s", "value_noise=1", "engine=portable", "book=off"] {
        let key = option.split('=').next().unwrap();
        run(&["export", &format!("{run_folder}?{option}"), "--output", &out])
            .refused(1, &format!("`{key}` cannot be exported"));
    }
    run(&["export", "no/such/run", "--output", &out]).refused(1, "no/such/run");
    run(&["match", &format!("{out}?device=cuda"), "random"]).refused(1, "runs on the CPU only");
    run(&["match", &format!("{run_folder}?c_puct=-1"), "random"])
        .refused(1, "the player option c_puct=-1: ");
    run(&["match", &format!("{out}?engine=burn"), "random"])
        .refused(1, "cannot use the engine `burn`");
}

#[test]
fn a_player_without_ratings_is_exported_with_a_warning() {
    let setup = trained(2);
    // No games join the two evaluations.
    let metrics = fs::read_to_string(setup.path("metrics.jsonl")).unwrap();
    let last = metrics.rfind("\"evaluation\"").map(|at| metrics[..at].rfind('\n').unwrap());
    let (before, line) = metrics.split_at(last.unwrap());
    let line = line.replace("\"random\"", "\"uct\"").replace("\"@1\"", "\"@0\"");
    fs::write(setup.path("metrics.jsonl"), format!("{before}{line}")).unwrap();
    let [run_folder, out] = ["", "../player"].map(|name| setup.path(name).display().to_string());
    let done = run(&["export", &run_folder, "--output", &out]);
    assert_eq!(done.status, Some(0), "{}", done.stderr);
    assert!(done.stderr.contains("warning: the player has no rating: "), "{}", done.stderr);
}

#[test]
fn a_player_comes_with_its_config_and_the_curve_of_its_ratings() {
    let setup = trained(3);
    let export = |player: &str, output: &str| {
        let output = setup.path(output).display().to_string();
        run(&["export", player, "--output", &output]).well();
        let texts = ["config.toml", "curve.svg"]
            .map(|name| fs::read_to_string(Path::new(&output).join(name)).ok());
        let files = card(Path::new(&output))["files"].clone();
        (output, texts, files)
    };
    let run_folder = setup.path("").display().to_string();
    let (out, [config, curve], files) = export(&run_folder, "../player");
    assert_eq!(config, fs::read_to_string(setup.path("config.toml")).ok());
    let curve = curve.unwrap();
    assert!(curve.starts_with("<svg") && curve.contains("Elo") && curve.contains("random"));
    assert_eq!(files["curve.svg"]["bytes"], curve.len());
    // Exporting an exported player copies them; files of a replaced player are removed.
    let (again, texts, _) = export(&out, "../again");
    assert_eq!(texts, [config.clone(), Some(curve)]);
    let levels = Path::new(&again).join("levels.json");
    fs::write(&levels, "those of the old player").unwrap();
    let first = export(&format!("{run_folder}@1"), "../again");
    assert!(!levels.exists());
    assert_eq!(first.1, [config, None], "one evaluation is no curve");
    assert!(first.2.is_object() && first.2.get("curve.svg").is_none());
    // A file that the card lists must exist.
    fs::remove_file(Path::new(&again).join("config.toml")).unwrap();
    let output = setup.path("../third").display().to_string();
    run(&["export", &again, "--output", &output]).refused(1, "config.toml");
    run(&["match", &again, "random", "--games", "2"]).well();
}

/// All files of a folder, which has no others in it.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    entries.map(|path| (name(&path), fs::read(&path).unwrap())).collect()
}

#[cfg(unix)]
#[test]
fn an_export_that_fails_anywhere_leaves_the_old_player() {
    let setup = trained(2);
    let place = setup.path("../players");
    let player = place.join("player");
    let [run_folder, out] = [&setup.path(""), &player].map(|path| path.display().to_string());
    run(&["export", &run_folder, "--output", &out]).well();
    fs::write(player.join("notes.txt"), "mine").unwrap();
    let before = files(&player);
    let largest = before.values().map(Vec::len).max().unwrap() as u32 / 512 + 2;
    let mut failures = 0;
    for blocks in 0..largest {
        let again = program(&["export", &format!("{run_folder}@1"), "--output", &out, "--half"]);
        let done = crate::common::run::limited(blocks, &again);
        if done.status != Some(0) {
            failures += 1;
            done.failed(1, &["cannot write"]);
            assert_eq!(files(&player), before, "{blocks} blocks");
            assert_eq!(fs::read_dir(&place).unwrap().count(), 1, "{blocks} blocks");
        }
    }
    assert!(failures > 3, "{failures}");
    // The new one replaces it, apart from what is not its own.
    run(&["export", &run_folder, "--output", &out, "--half"]).well();
    assert_eq!(card(&player)["precision"], "half");
    assert_eq!(fs::read_to_string(player.join("notes.txt")).unwrap(), "mine");
    assert_eq!(fs::read_dir(&place).unwrap().count(), 1);
}

#[test]
fn an_export_that_is_killed_anywhere_leaves_a_whole_player() {
    let setup = trained(2);
    let player = setup.path("../player");
    let [run_folder, out] = [&setup.path(""), &player].map(|path| path.display().to_string());
    run(&["export", &run_folder, "--output", &out]).well();
    let whole = |half: bool| {
        let args = ["export", &run_folder, "--output", &out];
        run(&[&args[..], if half { &["--half"] } else { &[] }].concat()).well();
        files(&player)
    };
    let [full, half] = [whole(false), whole(true)];
    let begun = std::time::Instant::now();
    whole(false);
    let time = begun.elapsed();
    for moment in 0..20 {
        let mut child =
            program(&["export", &run_folder, "--output", &out, "--half"]).spawn().unwrap();
        std::thread::sleep(time * moment / 16);
        child.kill().unwrap();
        child.wait().unwrap();
        let found = files(&player);
        assert!(found == full || found == half, "{:?}", found.keys());
        assert_eq!(whole(false), full);
    }
    let left_over = fs::read_dir(setup.path("..")).unwrap().map(|it| it.unwrap().file_name());
    let left_over = left_over.filter(|name| name.to_str().unwrap().starts_with('.')).count();
    assert_eq!(left_over, 0);
}

/// All turns of a position, built from the actions that `analyze` returns.
fn turns_by_actions(game: &str, moves: &[&str]) -> Vec<String> {
    let (mut turns, mut open) = (Vec::new(), vec![Vec::new()]);
    while let Some(begun) = open.pop() {
        let query = json!({ "game": game, "moves": moves, "begun": begun, "encode": true });
        for action in ask(&[], &query)["encoding"]["actions"].as_array().unwrap() {
            match action["turn"].as_str() {
                Some(turn) => turns.push(turn.to_owned()),
                None => open.push([begun.as_slice(), &[action["action"].clone()]].concat()),
            }
        }
    }
    turns.sort_unstable();
    turns
}

#[test]
fn analyze_encodes_positions_for_other_programs() {
    for moves in [&[][..], &["A5-A2"]] {
        let query = json!({ "game": "neutron5", "moves": moves, "encode": true });
        let answer = ask(&[], &query);
        assert_eq!(turns_by_actions("neutron5", moves), texts(&answer, "legal"));
        let games = run(&["games", "--json"]).well().json();
        let game = games.iter().find(|game| game["game"] == "neutron5").unwrap();
        let size = |field: &str| game[field].as_u64().unwrap() as usize;
        let observation = answer["encoding"]["observation"].as_array().unwrap();
        assert_eq!(observation.len(), size("planes") * size("height") * size("width"));
        assert!(observation.iter().all(Value::is_number), "{answer}");
    }
    let ask = |query: Value| ask(&["--game", "tic_tac_toe"], &query);
    assert!(ask(json!({ "moves": [] })).get("encoding").is_none());
    let error = |query: Value| ask(query)["error"].as_str().unwrap().to_owned();
    assert!(error(json!({ "begun": [99], "encode": true })).contains("99 is not a legal action"));
    assert!(
        error(json!({ "begun": [4], "encode": true }))
            .contains("is a complete turn; put it into `moves`")
    );
}

/// Lets a script of this project play a game with an exported network, by the Python that
/// `TAVOLIERE_PYTHON` names.
fn play_raw(player: &str) -> String {
    let python = std::env::var("TAVOLIERE_PYTHON").unwrap_or_else(|_| "python3".into());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/play_raw.py");
    let output =
        Command::new(python).arg(script).args([player, "--program", PROGRAM]).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{stdout}{stderr}");
    stdout
}

#[test]
#[ignore = "needs Python with onnxruntime, by TAVOLIERE_PYTHON or python3"]
fn python_plays_with_an_exported_network() {
    for game in ["neutron5", "susan", "checkers_gomoku"] {
        let setup = Setup::new(&format!(
            "game = '{game}'\niterations = 1\n\
             network = {{ channels = 12, blocks = 3, global_pooling = true, value_hidden = 9 }}\n\
             selfplay = {{ games = 2, simulations = 4 }}\nlearner = {{ batch = 16 }}\n"
        ));
        setup.train(&[]).succeeded();
        let player = setup.path("../player").display().to_string();
        let trained = setup.run().display().to_string();
        run(&["export", &trained, "--output", &player, "--half"]).well();
        let printed = play_raw(&player);
        let lines: Vec<&str> = printed.lines().collect();
        assert!(["won", "drawn", "lost"].contains(&lines[1]), "{printed}");
        // `analyze` confirms the result.
        let moves: Vec<&str> = lines[0].split(' ').collect();
        let answer = ask(&["--game", game], &json!({ "moves": moves }));
        let expected = match answer["winner"].as_str().unwrap() {
            "P1" => "won",
            "P2" => "lost",
            _ => "drawn",
        };
        assert_eq!(lines[1], expected);
    }
}
