//! A page without a server gets the answers that a server gives.

#![cfg(feature = "serve")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::answers::local::Local;
use crate::runs::analyst::Analyst;
use crate::tests::common::served::{Served, settings};

/// The files of a player that ships with the program.
fn files(name: &str) -> BTreeMap<String, Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("checkpoints/players").join(name);
    let read = |file: &str| Some((file.to_owned(), fs::read(folder.join(file)).ok()?));
    ["player.json", "model.safetensors", "levels.json"].into_iter().filter_map(read).collect()
}

fn asked(local: &mut Local, path: &str, body: &Value) -> (u16, Value) {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let answer = local.answer(path, body.as_bytes());
    (answer.status, serde_json::from_str(&answer.text).unwrap())
}

#[test]
fn answers_are_those_of_the_server() {
    let server = Served::new(settings());
    let mut local = Local::default();
    ["random", "uct"].into_iter().for_each(|name| local.add_plain(name).unwrap());
    let moves = json!(["A5-A2", "E3,D1-A4"]);
    let lines = json!({"format": "lines", "game": "neutron5", "moves": moves});
    let record = asked(&mut local, "/api/records/write", &lines).1;
    for (path, body) in [
        ("/api/games", json!(null)),
        ("/api/rules", json!(null)),
        ("/api/rules/susan", json!(null)),
        ("/api/position", json!({"game": "susan", "moves": ["a1"]})),
        ("/api/position", json!({"game": "susan", "moves": ["a1", "a1"]})),
        ("/api/position", json!({"game": "susn"})),
        ("/api/position", json!({"gme": "susan"})),
        ("/api/reply", json!({"game": "neutron5", "player": "random", "moves": moves, "seed": 3})),
        ("/api/reply", json!({"game": "neutron5", "player": "random", "moves": ["A5-A3"]})),
        ("/api/reply", json!({"game": "neutron5", "moves": moves})),
        ("/api/analysis", json!({"game": "neutron5", "player": "uct"})),
        ("/api/records/write", lines),
        ("/api/records/write", json!({"format": "chess", "game": "susan", "moves": []})),
        ("/api/records/read", record),
        ("/api/records/read", json!({"text": "nothing"})),
        ("/api/records/read", json!({})),
    ] {
        let found = asked(&mut local, path, &body);
        let expected = match body.is_null() {
            true => server.client.get(path),
            false => server.client.post(path, &body),
        };
        let text = serde_json::from_str(expected.text()).unwrap();
        assert_eq!(found, (expected.status, text), "{path} {body}");
    }
    for (path, status) in [("/api/rules/chess", 404), ("/api/nothing", 404), ("/api/runs", 200)] {
        assert_eq!(asked(&mut local, path, &Value::Null).0, status, "{path}");
    }
    assert_eq!(local.answer("/api/position", b"[").status, 400);
}

#[test]
fn players_given_by_their_files_play_as_they_are() {
    let mut local = Local::default();
    for name in ["neutron5", "tic_tac_toe"] {
        local.add_exported(name, files(name)).unwrap();
    }
    let (_, listed) = asked(&mut local, "/api/players", &Value::Null);
    let names: Vec<_> = listed.as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["neutron5", "tic_tac_toe"]);
    assert_eq!((&listed[0]["thinks"], &listed[0]["game"]), (&json!(true), &json!("neutron5")));
    let mut analyst = Analyst::load("neutron5", None, 1, 1).unwrap();
    for moves in [json!([]), json!(["A5-A2"]), json!(["A5-A2", "E3,D1-A4"])] {
        let query = json!({"moves": moves, "simulations": 60});
        let expected: Value =
            serde_json::from_str(&analyst.answer(query.to_string().as_bytes())).unwrap();
        let body = json!({
            "game": "neutron5", "player": "neutron5", "moves": moves, "simulations": 60,
        });
        let (status, mut found) = asked(&mut local, "/api/analysis", &body);
        found["id"] = json!(null);
        assert_eq!((status, found), (200, expected), "{moves}");
    }
    let reply = json!({"game": "neutron5", "player": "neutron5?level=1", "moves": ["A5-A2"]});
    let (status, reply) = asked(&mut local, "/api/reply", &reply);
    assert_eq!((status, reply["ply"].as_u64()), (200, Some(2)), "{reply}");
    for (body, words) in [
        (json!({"game": "susan", "player": "neutron5"}), "neutron5"),
        (json!({"game": "neutron5", "player": "nobody"}), "there is no player `nobody`"),
        (json!({"game": "neutron5", "player": "neutron5?level=99"}), "no such level"),
        (json!({"game": "neutron5", "player": "neutron5", "simulations": 0}), "between 1 and"),
        (
            json!({"game": "neutron5", "player": "neutron5", "simulations": 1_000_000}),
            "between 1 and",
        ),
    ] {
        let (status, refused) = asked(&mut local, "/api/analysis", &body);
        assert!(status == 400 && refused["error"].as_str().unwrap().contains(words), "{refused}");
    }
}

#[test]
fn damaged_players_are_refused() {
    let mut local = Local::default();
    let mut damaged = files("neutron5");
    damaged.get_mut("model.safetensors").unwrap()[5000] ^= 1;
    let mut missing = files("neutron5");
    missing.remove("player.json");
    for (files, words) in [(damaged, "model.safetensors"), (missing, "player.json")] {
        let error = format!("{:#}", local.add_exported("neutron5", files).unwrap_err());
        assert!(error.contains("the player `neutron5`") && error.contains(words), "{error}");
    }
    assert!(local.add_plain("nobody?x").is_err());
}
