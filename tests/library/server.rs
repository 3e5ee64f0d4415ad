//! The server over HTTP: page, positions, players, the queue, error responses.

#![cfg(feature = "serve")]

use std::collections::BTreeSet;
use std::io::Read;
use std::time::{Duration, Instant};

use flate2::read::GzDecoder;
use rand::RngExt;
use serde_json::{Value, json};

use crate::base::rng::{Purpose, stream};
use crate::exact::solution::tests::solve_tic_tac_toe;
use crate::play::analysis;
use crate::registry;
use crate::server::{ServerSettings, Solutions, paths};
use crate::tests::common::folder::Folder;
use crate::tests::common::http::{Answer, Client, answer};
use crate::tests::common::served::{Served, settings, thinker};

/// The query of a game's start position.
fn start(game: &str, player: &str) -> Value {
    json!({ "game": game, "player": player })
}

/// Checks a value against a schema of the OpenAPI document.
#[track_caller]
fn check_schema(document: &Value, schema: &Value, value: &Value) {
    if let Some(name) = schema["$ref"].as_str() {
        let name = name.strip_prefix("#/components/schemas/").unwrap();
        let schema = &document["components"]["schemas"][name];
        assert!(schema.is_object(), "there is no schema {name}");
        return check_schema(document, schema, value);
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        check_schema(document, part, value);
    }
    if let Some(any) = schema["anyOf"].as_array() {
        let null = json!({ "type": "null" });
        let other = any.iter().find(|&schema| *schema != null).unwrap();
        assert!(any.contains(&null));
        if !value.is_null() {
            check_schema(document, other, value);
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        assert!(values.contains(value), "{value} is none of {values:?}");
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind.as_str()],
        Value::Array(kinds) => kinds.iter().map(|kind| kind.as_str().unwrap()).collect(),
        _ => Vec::new(),
    };
    assert!(kinds.is_empty() || kinds.contains(&kind_of(value, &kinds)), "{value}: no {kinds:?}");
    let required = schema["required"].as_array().filter(|_| value.is_object());
    for required in required.into_iter().flatten() {
        let name = required.as_str().unwrap();
        assert!(value.get(name).is_some(), "no `{name}` in {value}");
    }
    for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
        if let Some(value) = value.get(name) {
            check_schema(document, schema, value);
        }
    }
    if let Some(items) = value.as_array() {
        items.iter().for_each(|item| check_schema(document, &schema["items"], item));
    }
}

fn kind_of(value: &Value, wanted: &[&str]) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_u64() && wanted.contains(&"integer") => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Checks an answer against the OpenAPI document; `path` is written as there.
#[track_caller]
fn check_answer(client: Client, method: &str, path: &str, value: &Value) {
    let document = client.get("/api/openapi.json").json();
    let answer = &document["paths"][path][method]["responses"]["200"];
    check_schema(&document, &answer["content"]["application/json"]["schema"], value);
}

// ---- the page and the document ----

#[test]
fn the_page_has_its_headers_and_an_etag() {
    let server = Served::new(settings());
    let page = server.client.get("/");
    assert_eq!(page.status, 200);
    assert!(page.text().contains("<title>Tavoliere"), "{}", page.text());
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'self';") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));

    let tag = format!("If-None-Match: {}", page.header("etag").unwrap());
    let again = server.client.ask("GET /", &[&tag], b"");
    assert_eq!((again.status, again.body.len()), (304, 0));
    let other = server.client.ask("GET /", &["If-None-Match: \"00000000\""], b"");
    assert_eq!((other.status, other.body), (200, page.body));

    let same = server.client.get("/assets/index.html");
    assert_eq!(same.status, 200);
    for name in ["missing.js", "..%2fmod.rs", "%2e%2e", "index.html%00", "mod.rs", ".html"] {
        server.client.get(&format!("/assets/{name}")).refused(404, "no such file", None);
    }
}

#[test]
fn every_file_of_the_page_is_served() {
    let server = Served::new(settings());
    let folder = format!("{}/src/server/page", env!("CARGO_MANIFEST_DIR"));
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let answer = server.client.get(&format!("/assets/{name}"));
        assert_eq!((answer.status, answer.body), (200, std::fs::read(&path).unwrap()), "{name}");
    }
}

#[test]
fn the_page_names_all_its_modules_at_once() {
    let folder = format!("{}/src/server/page", env!("CARGO_MANIFEST_DIR"));
    let names = std::fs::read_dir(&folder).unwrap().map(|it| it.unwrap().file_name());
    let names = names.map(|name| name.into_string().unwrap());
    let modules: BTreeSet<String> = names.filter(|name| name.ends_with(".js")).collect();
    let page = std::fs::read_to_string(format!("{folder}/index.html")).unwrap();
    let named = page.split("\"assets/").skip(1).filter_map(|rest| rest.split_once('"'));
    let named: Vec<&str> = named.map(|(name, _)| name).filter(|it| it.ends_with(".js")).collect();
    assert_eq!(named.len(), modules.len(), "each is named once");
    assert_eq!(named.into_iter().map(str::to_owned).collect::<BTreeSet<_>>(), modules);
}

#[test]
fn answers_are_compressed_for_those_who_accept_it() {
    let server = Served::new(settings());
    for path in ["/", "/assets/play.js", "/api/games"] {
        let plain = server.client.get(path);
        assert_eq!(plain.header("content-encoding"), None, "{path}");
        let packed = server.client.ask(&format!("GET {path}"), &["Accept-Encoding: br, gzip"], b"");
        assert_eq!(packed.header("content-encoding"), Some("gzip"), "{path}");
        assert_eq!(packed.header("vary"), Some("Accept-Encoding"), "{path}");
        assert_eq!(packed.header("content-type"), plain.header("content-type"), "{path}");
        let mut unpacked = Vec::new();
        GzDecoder::new(&packed.body[..]).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, plain.body, "{path}");
        assert!(packed.body.len() * 2 < plain.body.len(), "{path}");
    }
    let packed = server.client.ask("GET /", &["Accept-Encoding: gzip"], b"");
    let tag = packed.header("etag").unwrap();
    assert!(tag.starts_with("W/"), "{tag}");
    let again = server.client.ask(
        "GET /",
        &["Accept-Encoding: gzip", &format!("If-None-Match: {tag}")],
        b"",
    );
    assert_eq!((again.status, again.body.len()), (304, 0));
    let small = server.client.ask("GET /api/missing", &["Accept-Encoding: gzip"], b"");
    assert_eq!(small.header("content-encoding"), None);
}

#[test]
fn the_page_can_be_served_from_a_folder() {
    let folder = std::env::temp_dir().join(format!("tavoliere-page-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("index.html"), "<p>one").unwrap();
    std::fs::write(folder.join("new.js"), "let two").unwrap();
    let server = Served::new(ServerSettings { page: Some(folder.clone()), ..settings() });
    assert_eq!(server.client.get("/").text(), "<p>one");
    let module = server.client.get("/assets/new.js");
    assert_eq!(module.header("content-type"), Some("text/javascript; charset=utf-8"));
    std::fs::write(folder.join("index.html"), "<p>changed").unwrap();
    assert_eq!(server.client.get("/").text(), "<p>changed");
    server.client.get("/assets/..%2f..%2findex.html").refused(404, "no such file", None);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_openapi_document_lists_exactly_the_routes() {
    let server = Served::new(settings());
    let document = server.client.get("/api/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], env!("CARGO_PKG_VERSION"));
    let documented = document["paths"].as_object().unwrap().iter().flat_map(|(path, methods)| {
        methods.as_object().unwrap().keys().map(move |method| (method.clone(), path.clone()))
    });
    let routes = paths().into_iter().map(|(method, path)| (method.to_owned(), path.to_owned()));
    assert_eq!(documented.collect::<BTreeSet<_>>(), routes.collect::<BTreeSet<_>>());
}

// ---- games, players, positions ----

#[test]
fn all_games_and_players_are_listed() {
    let server = Served::new(settings());
    let games = server.client.get("/api/games").json();
    check_answer(server.client, "get", "/api/games", &games);
    let names = games.as_array().unwrap().iter().map(|game| game["name"].as_str().unwrap());
    assert!(names.eq(registry::all().iter().map(|game| game.name)));
    let susan = &games[0];
    assert_eq!((&susan["shape"], &susan["first"]), (&json!("hexagon"), &json!("x")));
    assert_eq!(susan["cells"].as_array().unwrap().len(), 61);
    assert_eq!(susan["cells"][0], json!({ "name": "e9", "x": 2.0, "y": 0.0 }));
    let drops = games.as_array().unwrap().iter().filter(|game| game["drop"] == json!(true));
    assert!(drops.map(|game| &game["name"]).eq([&json!("connect_four")]));

    let players = server.client.get("/api/players").json();
    check_answer(server.client, "get", "/api/players", &players);
    let thinker = json!({
        "name": "thinker", "title": "The player thinker", "game": null, "rules": null,
        "kind": "trained", "thinks": true, "simulations": 50, "levels": [], "facts": null,
    });
    assert_eq!(players[0], thinker);
}

/// The answer of `tavoliere analyze` without a player.
fn by_rules(query: &Value) -> Value {
    serde_json::from_str(&analysis::answer_rules(query.to_string().as_bytes(), None)).unwrap()
}

/// Returns a position of the server, after checking it against `tavoliere analyze`.
#[track_caller]
fn check_position(client: Client, query: &Value) -> Value {
    let position = client.post("/api/position", query).json();
    check_answer(client, "post", "/api/position", &position);
    let expected = by_rules(query);
    for field in ["board", "to_move", "ply", "outcome", "winner"] {
        assert_eq!(position[field], expected[field], "{field} of {query}");
    }
    let legal: Vec<&Value> =
        position["legal"].as_array().unwrap().iter().map(|it| &it["turn"]).collect();
    assert_eq!(legal, expected["legal"].as_array().unwrap().iter().collect::<Vec<_>>());
    position
}

#[test]
fn positions_of_every_game_equal_those_of_analyze() {
    let server = Served::new(settings());
    for game in registry::all() {
        let mut rng = stream(5, 0, 0, Purpose::Playout);
        let (mut moves, mut path) = (Vec::<Value>::new(), json!([]));
        for _ in 0..12 {
            let position =
                check_position(server.client, &json!({ "game": game.name, "moves": moves }));
            assert_eq!((&position["moves"], &position["last"]), (&json!(moves), &path));
            let legal = position["legal"].as_array().unwrap();
            let Some(last) = legal.len().checked_sub(1) else { break };
            let turn = &legal[rng.random_range(0..=last)];
            moves.push(turn["turn"].clone());
            path = turn["path"].clone();
        }
    }
}

#[test]
fn games_have_titles_and_explained_options() {
    let server = Served::new(settings());
    let games = server.client.get("/api/games").json();
    let find =
        |name: &str| games.as_array().unwrap().iter().find(|game| game["name"] == name).unwrap();
    let neutron = find("neutron5_hole1");
    assert_eq!(neutron["title"], "Neutron 5x5, one hole each");
    assert_eq!(neutron["family"], "neutron");
    let option = |name: &str| {
        let options = neutron["options"].as_array().unwrap();
        options.iter().find(|option| option["name"] == name).unwrap()
    };
    assert_eq!(option("holes")["choices"][1], json!({ "value": 1, "text": "One each." }));
    assert_eq!(option("max_plies")["choices"], json!([]));
}

#[test]
fn rules_are_told_for_games_and_families() {
    let server = Served::new(settings());
    let families = server.client.get("/api/rules").json();
    check_answer(server.client, "get", "/api/rules", &families);
    assert_eq!(families[1]["games"][0]["title"], "Neutron 5x5");
    for game in registry::all() {
        let rules = server.client.get(&format!("/api/rules/{}", game.name)).json();
        check_answer(server.client, "get", "/api/rules/{name}", &rules);
        assert_eq!(rules["name"], game.family());
        let blocks = rules["sections"].as_array().unwrap().iter();
        let blocks = blocks.flat_map(|section| section["blocks"].as_array().unwrap());
        let shown = blocks.filter(|block| block["kind"] == "position").map(|it| &it["position"]);
        for shown in shown {
            let query = json!({
                "game": shown["game"], "rules": shown["rules"], "moves": shown["moves"],
            });
            let position = server.client.post("/api/position", &query).json();
            for field in ["board", "squares", "to_move", "last", "outcome", "ending"] {
                assert_eq!(shown[field], position[field], "{field} of {query}");
            }
        }
    }
    server.client.get("/api/rules/susen").refused(404, "did you mean `susan`?", None);
}

#[test]
fn positions_tell_why_the_game_ended() {
    let server = Served::new(ServerSettings { threefold: true, ..settings() });
    let ending = |game: &str, moves: &[&str]| {
        let query = json!({ "game": game, "moves": moves });
        let position = server.client.post("/api/position", &query).json();
        check_answer(server.client, "post", "/api/position", &position);
        position["ending"].clone()
    };
    let home = json!({ "reason": "Black brought the neutron to White's home row", "cells": [22] });
    assert_eq!(ending("neutron5", &["C5-A3", "C5"]), home);
    // Cells are indices into the cells of the hexagon, not of the square that contains it.
    let corner = json!({ "reason": "Black surrounded a stone of White's", "cells": [56] });
    assert_eq!(ending("susan", &["b2", "a1", "a2", "e5", "b1"]), corner);
    let shuttle = ["A4-B4", "A2-B2", "B4-A4", "B2-A2"].repeat(2);
    assert_eq!(ending("entropy", &shuttle[..7]), json!(null));
    let third = json!({ "reason": "The position occurred for the third time", "cells": [] });
    assert_eq!(ending("entropy", &shuttle), third);
}

#[test]
fn turns_are_read_leniently_and_written_exactly() {
    let server = Served::new(settings());
    let query = json!({ "game": "neutron5", "moves": [" a5-a2", "e3,A1-d4 "] });
    let position = check_position(server.client, &query);
    assert_eq!(position["moves"], json!(["A5-A2", "E3,A1-D4"]));
    assert_eq!(position["squares"], ".xxxxo........*...x..oooo");
    assert_eq!(position["last"], json!([14, 0, 18]));
    assert_eq!((&position["hand"], &position["game"]), (&Value::Null, &json!("neutron5")));
    let hand =
        check_position(server.client, &json!({ "game": "checkers_gomoku", "moves": ["d4"] }));
    assert_eq!(hand["hand"], json!({ "x": 11, "o": 12 }));
    let rules = json!({ "game": "neutron5", "rules": { "forbid": "own" } });
    let rules = check_position(server.client, &rules);
    assert_eq!(rules["rules"]["forbid"], "own");
}

#[test]
fn a_finished_game_has_no_turns() {
    let server = Served::new(settings());
    let over = json!({ "game": "tic_tac_toe", "moves": ["a1", "b1", "a2", "b2", "a3"] });
    let position = check_position(server.client, &over);
    let expected = (&Value::Null, &json!("x"), &json!("P1"), &json!([]));
    let found =
        (&position["to_move"], &position["outcome"], &position["winner"], &position["legal"]);
    assert_eq!(found, expected);
    let asked = json!({ "game": "tic_tac_toe", "moves": over["moves"], "player": "thinker" });
    let mut rules = by_rules(&over);
    rules.as_object_mut().unwrap().remove("id");
    assert_eq!(server.client.post("/api/analysis", &asked).json(), rules);
    server.client.post("/api/reply", &asked).refused(400, "the game is over", None);
}

#[test]
fn records_are_written_and_read_back() {
    let server = Served::new(settings());
    for (moves, formats, outcome) in [
        (json!(["a1", "b1", "a2", "b2", "a3"]), &["pgn", "abstractplay", "lines"][..], json!("x")),
        (json!(["a1", "b1"]), &["pgn", "lines"], Value::Null),
    ] {
        for format in formats {
            let game = json!({
                "game": "tic_tac_toe", "moves": moves, "format": format,
                "tags": { "Black": "somebody" },
            });
            let written = server.client.post("/api/records/write", &game).json();
            check_answer(server.client, "post", "/api/records/write", &written);
            let read = server.client.post("/api/records/read", &written).json();
            check_answer(server.client, "post", "/api/records/read", &read);
            let found = json!([read["game"], read["moves"], read["outcome"], read["games"]]);
            assert_eq!(found, json!(["tic_tac_toe", moves, outcome, 1]), "{format}");
            assert_eq!(read["tags"]["Black"], "somebody", "{format}: {read}");
        }
    }
    let write = |field: &str, value: Value| {
        let mut game = json!({ "game": "tic_tac_toe", "moves": ["a1"], "format": "pgn" });
        game[field] = value;
        server.client.post("/api/records/write", &game)
    };
    write("format", json!("sgf")).refused(400, "the formats are pgn, abstractplay and lines", None);
    write("format", Value::Null).refused(400, "`format`: invalid type", None);
    write("tags", json!({ "a b": "c" })).refused(400, "`a b` cannot name a tag", None);
    write("tags", json!([])).refused(400, "`tags`: invalid type", None);
    write("moves", json!(["a1", "a1"])).refused(400, "not a legal turn", Some(1));
    write("format", json!("abstractplay")).refused(400, "not finished", None);
    let read = |body: Value| server.client.post("/api/records/read", &body);
    read(json!({})).refused(400, "`text` is missing", None);
    read(json!({ "text": "" })).refused(400, "it contains no games", None);
    read(json!({ "text": "nonsense" })).refused(400, "", None);
    read(json!({ "text": "x".repeat(1 << 20) })).refused(413, "larger than 1048576 bytes", None);
}

// ---- players ----

#[test]
fn an_analysis_equals_that_of_analyze() {
    let server = Served::new(settings());
    for game in registry::all() {
        let query = json!({ "game": game.name, "simulations": 80, "top": 3 });
        let line = query.to_string();
        let variant = registry::preset(game.name).unwrap();
        let expected = analysis::answer_player(line.as_bytes(), &variant, &mut thinker());
        let mut expected: Value = serde_json::from_str(&expected).unwrap();
        expected.as_object_mut().unwrap().remove("id");
        let mut asked = query;
        asked["player"] = "thinker".into();
        let answer = server.client.post("/api/analysis", &asked).json();
        assert_eq!(answer, expected, "{}", game.name);
        check_answer(server.client, "post", "/api/analysis", &answer);
        assert!(answer["best"].is_string() && answer["turns"].as_array().unwrap().len() <= 3);
    }
}

#[test]
fn players_reply_in_every_game() {
    let server = Served::new(settings());
    for game in registry::all() {
        for player in ["thinker", "random", "uct", "alphabeta"] {
            let reply = server.client.post("/api/reply", &start(game.name, player)).json();
            check_answer(server.client, "post", "/api/reply", &reply);
            assert_eq!(reply["moves"], json!([reply["turn"]]), "{} of {player}", game.name);
            assert_eq!(reply["value"].is_object(), player == "thinker");
            let after = json!({ "game": game.name, "moves": reply["moves"] });
            let position = check_position(server.client, &after);
            for (field, value) in position.as_object().unwrap() {
                assert_eq!(reply[field], *value, "{field}");
            }
        }
    }
}

#[test]
fn answers_do_not_depend_on_earlier_requests() {
    let server = Served::new(ServerSettings { threads: 1, ..settings() });
    let ask = |moves: Value| {
        let query = json!({ "game": "neutron5", "moves": moves, "player": "thinker" });
        server.client.post("/api/analysis", &query).json()
    };
    let first = ask(json!(["A5-A2"]));
    let turn = first["best"].clone();
    let second = ask(json!(["A5-A2", turn]));
    assert_eq!(ask(json!(["A5-A2"])), first);
    assert_eq!(ask(json!(["A5-A2", turn])), second);
    assert_eq!(first["simulations"], 50, "the player's default number");
    let random = |seed: u64| {
        let query = json!({ "game": "susan", "player": "random", "seed": seed });
        server.client.post("/api/reply", &query).json()["turn"].clone()
    };
    assert_eq!(random(1), random(1));
    let drawn: BTreeSet<String> = (0..20).map(|seed| random(seed).to_string()).collect();
    assert!(drawn.len() > 5, "{drawn:?}");
}

#[test]
fn a_player_that_panics_does_not_stop_the_server() {
    let server = Served::new(ServerSettings { threads: 1, ..settings() });
    for _ in 0..3 {
        let answer = server.client.post("/api/reply", &start("susan", "broken"));
        answer.refused(500, "the search failed", None);
    }
    server.client.post("/api/reply", &start("susan", "random")).json();
}

#[test]
fn the_third_occurrence_is_a_draw_if_the_server_says_so() {
    let shuttle = ["A4-B4", "A2-B2", "B4-A4", "B2-A2"];
    let moves: Vec<&str> = shuttle.iter().cycle().take(8).copied().collect();
    let query = |turns: usize| json!({ "game": "entropy", "moves": moves[..turns] });
    for threefold in [false, true] {
        let server = Served::new(ServerSettings { threefold, ..settings() });
        let position = |turns| server.client.post("/api/position", &query(turns)).json();
        assert_eq!(position(7)["outcome"], Value::Null);
        let third = position(8);
        let expected = if threefold { json!("draw") } else { Value::Null };
        assert_eq!([&third["outcome"], &third["winner"]], [&expected, &expected]);
        assert_eq!(third["legal"].as_array().unwrap().is_empty(), threefold);
        assert_eq!(third["to_move"].is_null(), threefold);
        let mut reply = query(8);
        reply["player"] = json!("random");
        let answer = server.client.post("/api/reply", &reply);
        match threefold {
            true => answer.refused(400, "the game is over", None),
            false => assert_eq!(answer.json()["ply"], 9),
        }
    }
}

#[test]
fn a_player_that_needs_too_long_is_stopped() {
    let server =
        Served::new(ServerSettings { threads: 1, time: Duration::from_millis(400), ..settings() });
    let late = server.client.post("/api/reply", &start("connect_four", "perfect"));
    late.refused(503, "the time is too short", None);
    assert_eq!(late.header("retry-after"), Some("1"));
    let begun = Instant::now();
    let reply = server.client.post("/api/reply", &start("tic_tac_toe", "perfect")).json();
    assert_eq!(reply["ply"], 1);
    assert!(begun.elapsed() < Duration::from_secs(5), "the thread is free again");
    server.client.post("/api/reply", &start("susan", "perfect")).refused(
        400,
        "perfect plays",
        None,
    );
}

#[test]
fn an_analysis_has_the_exact_values_of_a_solution() {
    let folder = Folder::new();
    let mut solutions = Solutions::default();
    solutions.add(&solve_tic_tac_toe(&folder)).unwrap();
    assert!(solutions.add(&folder.file("none")).is_err());
    let server = Served::with_solutions(settings(), solutions);
    let analysis = |game: &str, moves: &[&str]| {
        let query = json!({ "game": game, "moves": moves, "player": "thinker" });
        let answer = server.client.post("/api/analysis", &query).json();
        check_answer(server.client, "post", "/api/analysis", &answer);
        answer["exact"].clone()
    };
    let start = analysis("tic_tac_toe", &[]);
    assert_eq!((&start["value"], &start["in"]), (&json!("neither"), &Value::Null));
    assert_eq!(start["turns"].as_array().unwrap().len(), 9);
    // b1 in answer to b2 loses.
    let lost = analysis("tic_tac_toe", &["b2", "b1", "a1"]);
    assert_eq!((&lost["value"], &lost["in"]), (&json!("loss"), &json!(4)));
    assert_eq!(lost["turns"][0]["in"], 4, "the longest loss first");
    assert_eq!(analysis("susan", &[]), Value::Null);
}

// ---- the queue ----

/// Sends `count` requests at once for the longest search possible.
fn ask_at_once(client: Client, count: usize) -> Vec<std::io::BufReader<std::net::TcpStream>> {
    let query = json!({ "game": "susan", "player": "slow", "simulations": 100_000 }).to_string();
    (0..count).map(|_| client.send("POST /api/analysis", &[], query.as_bytes())).collect()
}

#[test]
fn fifty_users_are_answered_in_time_and_the_next_is_refused() {
    // On a machine that is busy with other work, three seconds may be too short for all.
    let tried = [3, 6, 12, 24].map(Duration::from_secs);
    let found: Vec<_> = tried.into_iter().map_while(|time| fifty_users(time).err()).collect();
    assert!(found.len() < tried.len(), "{found:?}");
}

/// Fifty users ask at once for searches that have `time`. Returns what was wrong with their answers.
fn fifty_users(time: Duration) -> Result<(), String> {
    let server = Served::new(ServerSettings { time, ..settings() });
    server.shut(true);
    let begun = Instant::now();
    let asked = ask_at_once(server.client, 50);
    std::thread::sleep(time / 10);
    let refused = server.client.post("/api/analysis", &start("susan", "thinker"));
    server.client.post("/api/position", &json!({ "game": "susan" })).json();
    server.shut(false);
    let answers: Vec<Answer> = asked.into_iter().map(answer).collect();
    let taken = begun.elapsed();
    if refused.status != 503 || answers.iter().any(|answer| answer.status != 200) {
        let statuses = answers.iter().map(|answer| answer.status).collect::<Vec<_>>();
        return Err(format!("{} {statuses:?}", refused.status));
    }
    refused.refused(503, "the server is busy", None);
    assert_eq!(refused.header("retry-after"), Some(&*time.as_secs().to_string()));
    let made = |answer: &Answer| answer.json()["simulations"].as_u64().unwrap();
    let simulations: Vec<u64> = answers.iter().map(made).collect();
    // The two searches that ran while the gate was shut have used up their share.
    let least = simulations.iter().filter(|&&made| made < 5).count();
    // A late answer would not have the status 200, however slowly it is read here.
    if taken > 2 * time || least > 2 {
        return Err(format!("after {taken:?}, shares are not fair: {simulations:?}"));
    }
    Ok(())
}

#[test]
fn one_user_has_all_the_time_until_others_wait() {
    let time = Duration::from_secs(6);
    let server = Served::new(ServerSettings { threads: 1, time, ..settings() });
    let begun = Instant::now();
    let mut alone = ask_at_once(server.client, 1);
    std::thread::sleep(Duration::from_millis(1500));
    let others = ask_at_once(server.client, 5);
    answer(alone.remove(0)).json();
    let taken = begun.elapsed();
    // It had more than a sixth of the time, but not all.
    assert!(Duration::from_millis(1400) < taken && taken < Duration::from_secs(4), "{taken:?}");
    others.into_iter().for_each(|other| drop(answer(other).json()));
}

#[test]
fn a_request_may_shorten_the_time_limit_only() {
    let time = Duration::from_secs(1);
    let server = Served::new(ServerSettings { time, ..settings() });
    let none = json!({ "game": "susan", "player": "slow", "time_ms": 0 });
    assert_eq!(server.client.post("/api/analysis", &none).json()["simulations"], 1);
    for (asked, most) in [(300, 900), (60_000, 1900)] {
        let begun = Instant::now();
        let query = json!({ "game": "susan", "player": "slow", "time_ms": asked });
        let answer = server.client.post("/api/analysis", &query).json();
        let taken = begun.elapsed();
        assert!(taken < Duration::from_millis(most), "{taken:?} for {asked} ms");
        assert!(taken > Duration::from_millis(200), "it uses the time: {taken:?}");
        assert!(answer["simulations"].as_u64().unwrap() > 1);
    }
}

#[test]
fn a_client_that_disconnects_frees_its_place() {
    let server = Served::new(ServerSettings { users: 2, threads: 1, ..settings() });
    server.shut(true);
    let mut asked = ask_at_once(server.client, 2);
    std::thread::sleep(Duration::from_millis(300));
    let one_more = || server.client.post("/api/reply", &start("susan", "random"));
    one_more().refused(503, "busy", None);
    // The first runs, the second waits.
    drop(asked.pop());
    std::thread::sleep(Duration::from_millis(300));
    let mut accepted = ask_at_once(server.client, 1);
    std::thread::sleep(Duration::from_millis(300));
    one_more().refused(503, "busy", None);
    drop(asked.pop());
    drop(accepted.pop());
    std::thread::sleep(Duration::from_millis(300));
    server.shut(false);
    assert_eq!(one_more().json()["ply"], 1);
}

// ---- error responses ----

#[test]
fn errors_say_what_is_wrong_with_a_request() {
    let server = Served::new(settings());
    let post =
        |path: &str, body: &str| server.client.ask(&format!("POST {path}"), &[], body.as_bytes());
    for path in ["/api/position", "/api/analysis", "/api/reply"] {
        post(path, "{").refused(400, "the body is not a JSON object", None);
        post(path, "[1]").refused(400, "the body is not a JSON object", None);
        post(path, "\u{0}\u{1}").refused(400, "the body is not a JSON object", None);
        let large = json!({ "game": "susan", "moves": vec!["d3"; 20_000] }).to_string();
        post(path, &large).refused(413, "larger than 65536 bytes", None);
    }
    for (body, words, at) in [
        (json!({ "moves": [] }), "the query has no `game`", None),
        (json!({ "game": "conect_four" }), "did you mean `connect_four`?", None),
        (json!({ "game": "neutron5", "rules": { "size": 3 } }), "unknown option `size`", None),
        (
            json!({ "game": "neutron5", "moves": ["A5-A2", "Z9"] }),
            "`Z9` is not a legal turn",
            Some(1),
        ),
        (json!({ "game": "neutron5", "moves": "A5-A2" }), "invalid type", None),
        (json!({ "game": "neutron5", "move": [] }), "unknown field `move`", None),
    ] {
        server.client.post("/api/position", &body).refused(400, words, at);
    }
    for (body, words) in [
        (json!({ "game": "susan" }), "`player` is missing"),
        (json!({ "game": "susan", "player": 3 }), "`player` is missing or not a string"),
        (json!({ "game": "susan", "player": "nobody" }), "there is no player `nobody`"),
        (json!({ "game": "susan", "player": "uct" }), "`uct` cannot analyse positions"),
        (
            json!({ "game": "susan", "player": "thinker", "simulations": 100_001 }),
            "between 1 and 100000",
        ),
        (
            json!({ "game": "susan", "player": "thinker", "simulations": 0 }),
            "must be between 1 and 100000, is 0",
        ),
        (json!({ "game": "susan", "player": "thinker", "simulations": -1 }), "invalid value"),
        (json!({ "game": "susan", "player": "thinker", "time_ms": 1.5 }), "invalid type"),
        (
            json!({ "game": "susan", "player": "thinker", "encode": true, "begun": [9999] }),
            "`begun`",
        ),
    ] {
        server.client.post("/api/analysis", &body).refused(400, words, None);
    }
    let bad = json!({ "game": "susan", "player": "random", "moves": ["d3", "d3"] });
    server.client.post("/api/reply", &bad).refused(400, "not a legal turn", Some(1));
    server.client.get("/api/nothing").refused(404, "no such path", None);
    server.client.get("/api/analysis").refused(405, "does not allow the method", None);
    for path in ["/api/runs/%ff", "/api/runs/%ff/events", "/api/runs/a/games/%ff", "/assets/%c3"] {
        server.client.get(path).refused(400, "the path is not UTF-8", None);
    }
    server.client.ask("DELETE /api/games", &[], b"").refused(
        405,
        "does not allow the method",
        None,
    );
}

#[test]
fn malformed_requests_do_not_stop_the_server() {
    let server = Served::new(settings());
    for bytes in [&b"\x16\x03\x01\x02"[..], b"GET\r\n\r\n", b"GET / HTTP/1.1\r\nHost: \xff\r\n\r\n"]
    {
        let mut connection = std::net::TcpStream::connect(server.client.0).unwrap();
        std::io::Write::write_all(&mut connection, bytes).unwrap();
        connection.shutdown(std::net::Shutdown::Write).unwrap();
        let _ = connection.read_to_end(&mut Vec::new());
    }
    assert_eq!(server.client.get("/").status, 200);
}
