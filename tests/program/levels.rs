//! Levels of trained players: options of player specs, `play --level` and the server's list.

use serde_json::Value;

use crate::common::cli::{program, run};
#[cfg(all(unix, feature = "serve"))]
use crate::common::{http::Client, serving::serve};

/// A player in the repository that plays fast.
const PLAYER: &str = "tic_tac_toe";

/// A player in the repository of a game with many openings.
const NEUTRON: &str = "neutron5";

/// A match as JSON, without its times, on this number of threads.
fn played(first: &str, second: &str, threads: &str) -> Value {
    let args = ["match", first, second, "--games", "60", "--json"];
    let output = program(&args).env("RAYON_NUM_THREADS", threads).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let mut found: Value = serde_json::from_slice(&output.stdout).unwrap();
    for player in found["players"].as_array_mut().unwrap() {
        player["seconds_per_turn"] = Value::Null;
    }
    found
}

#[test]
fn a_higher_level_is_stronger_and_games_do_not_depend_on_threads() {
    let [weakest, strongest] = [1, 4].map(|level| format!("{NEUTRON}?level={level}"));
    let found = played(&strongest, &weakest, "1");
    assert!(found["score"].as_f64().unwrap() > 0.55, "{found}");
    assert_eq!(found, played(&strongest, &weakest, "2"));
}

#[test]
fn noise_weakens_a_player_and_differs_by_game() {
    let noisy = format!("{NEUTRON}?simulations=1&temperature=3&value_noise=2");
    let found = played(&format!("{NEUTRON}?simulations=20"), &noisy, "2");
    assert!(found["score"].as_f64().unwrap() > 0.7, "{found}");
    assert!(found["wins"].as_u64().unwrap() < 60, "not all of its games are alike: {found}");
}

#[test]
fn wrong_levels_and_noise_are_refused() {
    for (options, words) in [
        ("level=99", "there is no level `99`. Levels: 1 "),
        ("level=begginer", "did you mean Beginner?"),
    ] {
        let player = format!("{PLAYER}?{options}");
        run(&["match", &player, "random"]).refused(2, words);
    }
    for (options, words) in [
        ("level=1&simulations=5", "level=1 and simulations exclude each other"),
        ("level=1&c_puct=2", "level=1 and c_puct exclude each other"),
        ("temperature=-1", "temperature must be between 0 and 100, is -1"),
        ("value_noise=NaN", "value_noise must be between 0 and 100, is NaN"),
        ("temperature=warm", "temperature=warm: not a number"),
    ] {
        let player = format!("{PLAYER}?{options}");
        run(&["match", &player, "random"]).refused(2, words);
    }
    run(&["play", PLAYER, "--level", "99"]).refused(2, "--level: there is no level `99`");
    let spec = format!("{PLAYER}?level=99");
    for command in [&["play", &spec][..], &["match", &spec, "random"], &["exact", &spec]] {
        run(command).refused(2, "there is no level `99`");
    }
    run(&["play", "uct", "--game", "susan", "--level", "1"]).refused(2, "--level: only a trained");
}

#[test]
fn levels_are_listed_the_weakest_first() {
    let shown = run(&["play", "neutron5", "--level", "list"]).well();
    let lines = shown.lines();
    assert!(lines.len() >= 4 && lines[0].starts_with("1  Beginner"), "{lines:?}");
    let elo = |line: &&str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.iter().rev().nth(1).unwrap().parse::<i32>().unwrap()
    };
    let rated: Vec<i32> = lines.iter().map(elo).collect();
    assert!(rated.is_sorted(), "{rated:?}");
}

#[cfg(all(unix, feature = "serve"))]
#[test]
fn the_server_lists_levels_and_plays_at_them() {
    use serde_json::json;

    let (child, address) = serve(&["--player", PLAYER, "--threads", "1"]);
    let client = Client(address);
    let players = client.get("/api/players").json();
    let players = players.as_array().unwrap();
    let trained = players.iter().find(|player| player["name"] == PLAYER).unwrap();
    assert_eq!(trained["levels"][0]["level"], 1);
    assert_eq!(trained["levels"][0]["name"], "Beginner");
    let uct = players.iter().find(|player| player["name"] == "uct").unwrap();
    assert_eq!(uct["levels"], json!([]));
    let query = |player: &str| json!({ "game": PLAYER, "player": player, "seed": 3 });
    let at_level = format!("{PLAYER}?level=1");
    let reply = client.post("/api/reply", &query(&at_level)).json();
    assert_eq!(reply["ply"], 1);
    assert_eq!(reply, client.post("/api/reply", &query(&at_level)).json());
    for name in [format!("{PLAYER}?level=0"), format!("{PLAYER}?level=99"), "uct?level=1".into()] {
        client.post("/api/reply", &query(&name)).refused(400, "has no level", None);
    }
    let words = "there is no player `tic_tac_toe?level=x`";
    client.post("/api/reply", &query(&format!("{PLAYER}?level=x"))).refused(400, words, None);
    crate::common::serving::interrupt(child);
}
