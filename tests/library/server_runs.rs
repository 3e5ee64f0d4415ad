//! The server over HTTP: training runs, their games and metrics.

#![cfg(feature = "serve")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use rand::RngExt;
use serde_json::{Value, json};

use crate::base::json_log;
use crate::base::rng::{Purpose, stream};
use crate::games::Outcome;
use crate::nn::settings::NetworkSettings;
use crate::registry::{self, Variant};
use crate::runs::activity::{self, Activity};
use crate::runs::checkpoint::{Checkpoint, Run, RunInfo, RunState};
use crate::runs::metrics;
use crate::selfplay::record::{Choice, GameRecord, Header, RecordFile, Searched};
use crate::server::{Limits, Players, ServerSettings};
use crate::tests::common::finished::finished;
use crate::tests::common::folder::Folder;
use crate::tests::common::http::{head, line};
use crate::tests::common::running::Running;

fn neutron() -> Variant {
    registry::preset("neutron5").unwrap()
}

/// A random game with a search of the first action only. Game 1 begins elsewhere.
fn random_game(index: u64) -> GameRecord {
    let mut rng = stream(1, 0, index, Purpose::Playout);
    let position = (index == 1).then(|| "xxx../...xx/..*../oo.../..ooo x".to_owned());
    let start = neutron().position(position.as_deref()).unwrap();
    let (mut game, mut choices, mut legal) = (start, Vec::new(), Vec::new());
    while game.outcome().is_none() {
        game.legal_actions(&mut legal);
        let action = legal[rng.random_range(0..legal.len())];
        let value = [0.25, 0.25, 0.5];
        let search = Searched::new(&[(action, 1.0)], value, 0.0);
        choices.push(Choice { action, search: choices.is_empty().then_some(search) });
        game.play(action);
    }
    let outcome = game.outcome().unwrap();
    let plies = game.ply() - start.ply();
    GameRecord { index, position, ..finished(choices, outcome, plies) }
}

/// Creates a run with games and metrics as training does, and returns the games.
fn make_run(folder: &Path) -> Vec<GameRecord> {
    let info = RunInfo::new(&neutron(), 7, NetworkSettings::default());
    let (run, _lock) = Run::begin(folder, &info).unwrap();
    run.write_config("game = \"neutron5\"\niterations = 40\n").unwrap();
    let games: Vec<GameRecord> = (0..3).map(random_game).collect();
    let header = Header::new(&neutron(), 2, 7, 0);
    RecordFile { header, games: games.clone() }.write(&run.games_path(2)).unwrap();
    fs::write(folder.join("latest"), "000002\n").unwrap();
    fs::write(folder.join("best"), "000001\n").unwrap();
    append(folder, &[1, 2]);
    games
}

/// Appends a line of metrics for each of these iterations.
fn append(folder: &Path, iterations: &[u64]) {
    let line = |&iteration: &u64| metrics::line(iteration, "train", json!({ "loss": 0.5 }));
    let lines: Vec<Value> = iterations.iter().map(line).collect();
    json_log::append(&folder.join("metrics.jsonl"), &lines).unwrap();
}

/// Starts a server of a folder of runs, without players.
fn served(runs: &Path) -> Running {
    let settings = ServerSettings {
        host: "127.0.0.1".parse().unwrap(),
        port: 0,
        threads: 1,
        users: 1,
        time: Duration::from_secs(1),
        runs: runs.to_owned(),
        threefold: false,
        page: None,
        token: None,
        origins: Vec::new(),
        limits: Limits::new(50),
    };
    Running::new(settings, Players::new())
}

#[test]
fn runs_are_listed_and_reported() {
    let folder = Folder::new();
    make_run(&folder.file("one"));
    fs::create_dir(folder.file("no run")).unwrap();
    fs::create_dir(folder.file("damaged")).unwrap();
    fs::write(folder.file("damaged/run.json"), "{").unwrap();
    let server = served(&folder.file(""));
    let runs = server.client.get("/api/runs").json();
    let rules = neutron().options();
    let one = json!({
        "name": "one", "game": "neutron5", "rules": rules, "iterations": 2, "planned": 40,
        "phase": "idle", "problem": "its checkpoint 2 has no file checksums.json",
    });
    assert_eq!((&runs[0]["name"], &runs[0]["game"]), (&json!("damaged"), &Value::Null));
    assert!(runs[0]["problem"].as_str().unwrap().contains("run.json is damaged"), "{runs}");
    assert_eq!(runs.as_array().unwrap()[1..], *std::slice::from_ref(&one));
    let report = server.client.get("/api/runs/one").json();
    for (field, value) in one.as_object().unwrap() {
        assert_eq!(report[field], *value);
    }
    assert_eq!((&report["seed"], &report["best"]), (&json!(7), &json!(1)));
    assert_eq!(report["metrics"].as_array().unwrap().len(), 2);
    assert_eq!(
        (&report["metrics"][1]["iteration"], &report["metrics"][1]["loss"]),
        (&json!(2), &json!(0.5))
    );
    server.client.get("/api/runs/damaged").refused(500, "is damaged", None);
    let none = served(Path::new("no such folder"));
    assert_eq!(none.client.get("/api/runs").json(), json!([]));
}

#[test]
fn config_and_changes_of_a_run_are_reported() {
    let folder = Folder::new();
    make_run(&folder.file("one"));
    let text = "game = \"neutron5\"\niterations = 30\n";
    fs::write(folder.file("one/config-000001.toml"), text).unwrap();
    let server = served(&folder.file(""));
    let report = server.client.get("/api/runs/one").json();
    assert!(report["config"].as_str().unwrap().contains("iterations = 40"), "{report}");
    let changed = json!([{ "after": 1, "keys": { "iterations": [30, 40] } }]);
    assert_eq!((&report["settings_changed"], &report["player"]), (&changed, &Value::Null));
    server.client.get("/api/runs/none").refused(404, "there is no run `none`", None);
    server.client.get("/api/runs/none/progress").refused(404, "there is no run `none`", None);
}

#[test]
fn what_a_run_is_doing_is_reported() {
    let folder = Folder::new();
    make_run(&folder.file("one"));
    let run = Run::open(&folder.file("one")).unwrap();
    let alarms = json!({ "alarms": ["draw_death"] });
    let state = RunState {
        iteration: 2,
        steps: 3,
        games: 3,
        positions: 3,
        seconds: 60.0,
        metrics: vec![metrics::line(2, "learn", alarms)],
    };
    run.commit(&Checkpoint { state, weights: Vec::new(), optimizer: Vec::new() }).unwrap();
    let server = served(&folder.file(""));
    let progress = || server.client.get("/api/runs/one/progress").json();
    let idle = progress();
    let fields = ["phase", "iteration", "done", "iterations", "goal", "seconds", "seconds_left"];
    let told = |progress: &Value| fields.map(|field| progress[field].clone());
    let null = Value::Null;
    let expected =
        [json!("idle"), null.clone(), null.clone(), json!(2), json!(40), json!(60.0), null];
    assert_eq!(told(&idle), expected);
    assert_eq!((&idle["best"], &idle["alarms"][0]["name"]), (&json!(1), &json!("draw_death")));
    assert!(idle["alarms"][0]["hint"].as_str().unwrap().contains("search.draw_value"), "{idle}");
    let phase = "selfplay".to_owned();
    let workers = json!([{
        "host": "desktop", "engine": "avx2", "threads": 8, "games_per_s": 12.5, "silent": 2.0,
    }]);
    let cluster = json!({ "workers": workers, "tasks": 7, "waiting": 0.5 });
    let activity = Activity {
        phase,
        iteration: 3,
        goal: 10,
        done: 5,
        total: 64,
        time: activity::now(),
        cluster: serde_json::from_value(cluster.clone()).unwrap(),
    };
    fs::write(folder.file("one/activity.json"), serde_json::to_vec(&activity).unwrap()).unwrap();
    let expected =
        [json!("selfplay"), json!(3), json!(5), json!(2), json!(10), json!(60.0), json!(240.0)];
    assert_eq!(told(&progress()), expected);
    assert_eq!(progress()["cluster"], cluster);
    assert_eq!(server.client.get("/api/runs").json()[0]["phase"], "selfplay");
}

#[test]
fn games_of_an_iteration_are_replayed() {
    let folder = Folder::new();
    let games = make_run(&folder.file("one"));
    let server = served(&folder.file(""));
    let list = server.client.get("/api/runs/one/games/2").json();
    assert_eq!(list.as_array().unwrap().len(), games.len());
    for (game, listed) in games.iter().zip(list.as_array().unwrap()) {
        // White moves first.
        let outcome = match game.outcome {
            Outcome::Draw => ["draw", "draw"],
            Outcome::Win(side) if side == neutron().initial().to_move() => ["o", "P1"],
            Outcome::Win(_) => ["x", "P2"],
        };
        let expected = json!({
            "index": game.index, "turns": game.plies, "outcome": outcome[0], "resigned": false,
        });
        assert_eq!(*listed, expected);
        let replay = server.client.get(&format!("/api/runs/one/games/2/{}", game.index)).json();
        let moves: Vec<_> = game.turns(&neutron()).into_iter().map(|(text, _)| text).collect();
        assert_eq!((&replay["moves"], &replay["game"]), (&json!(moves), &json!("neutron5")));
        assert_eq!(json!([replay["outcome"], replay["winner"]]), json!(outcome));
        assert_eq!(replay["position"], json!(game.position));
        let values = replay["values"].as_array().unwrap();
        assert_eq!(values.len(), moves.len());
        assert_eq!(values[0], json!({ "win": 0.25, "draw": 0.25, "loss": 0.5 }));
        assert!(values[1..].iter().all(Value::is_null));
    }
    for (path, words) in [
        ("2/3", "has no game 3"),
        ("3", "no games of iteration 3"),
        ("x", "must be numbers"),
        ("-1", "must be numbers"),
        ("2/..", "must be numbers"),
        ("..%2f..%2f2", "must be numbers"),
    ] {
        let path = format!("/api/runs/one/games/{path}");
        server.client.get(&path).refused(404, words, None);
    }
    fs::write(folder.file("one/games/000004.games"), "no such file").unwrap();
    let path = "/api/runs/one/games/4";
    server.client.get(path).refused(404, "no games of iteration 4", None);
    fs::write(folder.file("one/latest"), "000004\n").unwrap();
    server.client.get(path).refused(500, "is not a tavoliere", None);
}

#[test]
fn names_of_runs_cannot_leave_the_folder() {
    let folder = Folder::new();
    make_run(&folder.file("outside"));
    fs::create_dir(folder.file("runs")).unwrap();
    make_run(&folder.file("runs/one"));
    let server = served(&folder.file("runs"));
    for name in ["..%2foutside", "..", "%2e%2e", "one%2f..%2fone", "one%00", "C:%5c", ".", "%2f"] {
        for path in ["", "/events", "/games/2", "/games/2/0"] {
            let answer = server.client.get(&format!("/api/runs/{name}{path}"));
            assert_eq!(answer.status, 404, "{name}{path}: {}", answer.text());
        }
    }
    assert_eq!(server.client.get("/api/runs/../runs/one").status, 404);
}

#[cfg(unix)]
#[test]
fn links_that_leave_the_folder_are_not_followed() {
    use std::os::unix::fs::symlink;

    let folder = Folder::new();
    make_run(&folder.file("outside"));
    make_run(&folder.file("runs/one"));
    symlink(folder.file("outside"), folder.file("runs/link")).unwrap();
    symlink(folder.file("runs/one"), folder.file("runs/inner")).unwrap();
    for file in ["metrics.jsonl", "games/000002.games"] {
        fs::remove_file(folder.file("runs/one").join(file)).unwrap();
        symlink(folder.file("outside").join(file), folder.file("runs/one").join(file)).unwrap();
    }
    let server = served(&folder.file("runs"));
    server.client.get("/api/runs/link").refused(404, "there is no run `link`", None);
    server.client.get("/api/runs/link/games/2").refused(404, "there is no run", None);
    assert_eq!(
        server.client.get("/api/runs/inner").json()["seed"],
        7,
        "this link stays inside the folder"
    );
    assert_eq!(server.client.get("/api/runs/one").json()["metrics"], json!([]));
    server.client.get("/api/runs/one/events").refused(404, "there is no run", None);
    server.client.get("/api/runs/one/games/2").refused(404, "no games of iteration 2", None);
    let names: Vec<Value> = server.client.get("/api/runs").json().as_array().unwrap().clone();
    assert!(names.iter().all(|run| run["name"] != "link"), "{names:?}");
}

// ---- events ----

/// Opens the events of a run, those after number `last` if it is given.
fn listen(server: &Running, last: Option<u64>) -> BufReader<TcpStream> {
    let last = last.map(|last| format!("Last-Event-ID: {last}"));
    let headers: Vec<&str> = last.iter().map(String::as_str).collect();
    let mut connection = server.client.send("GET /api/runs/one/events", &headers, b"");
    let (status, headers) = head(&mut connection);
    assert_eq!(status, 200);
    assert!(headers.contains(&("content-type".into(), "text/event-stream".into())), "{headers:?}");
    connection
}

/// Returns number and iteration of the next event.
fn event(connection: &mut BufReader<TcpStream>) -> (u64, u64) {
    let (mut id, mut kind) = (0, String::new());
    loop {
        let line = line(connection);
        if let Some(text) = line.strip_prefix("id: ") {
            id = text.parse().unwrap();
        } else if let Some(text) = line.strip_prefix("event: ") {
            text.clone_into(&mut kind);
        } else if let Some(text) = line.strip_prefix("data: ") {
            let data: Value = serde_json::from_str(text).unwrap();
            assert!(data["loss"] == json!(0.5) && data["phase"] == json!("train"), "{data}");
            let after = (kind == "metrics", id > 0);
            // The server sends the data after the other fields of an event.
            assert_eq!(after, (true, true), "{line}");
            return (id, data["iteration"].as_u64().unwrap());
        }
    }
}

#[test]
fn events_are_the_existing_lines_and_then_new_ones() {
    let folder = Folder::new();
    make_run(&folder.file("one"));
    let mut server = served(&folder.file(""));
    let mut all = listen(&server, None);
    let mut later = listen(&server, Some(1));
    assert_eq!([event(&mut all), event(&mut all)], [(1, 1), (2, 2)]);
    assert_eq!(event(&mut later), (2, 2));

    append(&folder.file("one"), &[3]);
    assert_eq!((event(&mut all), event(&mut later)), ((3, 3), (3, 3)));
    // An unfinished line is not an event, nor is its rest, but it counts as a line.
    let file = fs::OpenOptions::new().append(true).open(folder.file("one/metrics.jsonl"));
    file.unwrap().write_all(b"{\"iteration\": 4").unwrap();
    std::thread::sleep(Duration::from_millis(700));
    append(&folder.file("one"), &[5, 6]);
    assert_eq!([event(&mut all), event(&mut all)], [(5, 5), (6, 6)]);

    // When the server stops, the stream ends.
    server.stop();
    let mut rest = String::new();
    while all.read_line(&mut rest).unwrap() > 0 {}
    assert!(!rest.contains("data:"), "{rest}");
}

#[test]
fn events_can_start_before_the_file_exists() {
    let folder = Folder::new();
    make_run(&folder.file("one"));
    fs::remove_file(folder.file("one/metrics.jsonl")).unwrap();
    let server = served(&folder.file(""));
    let mut connection = listen(&server, None);
    append(&folder.file("one"), &[1]);
    assert_eq!(event(&mut connection), (1, 1));
    server.client.get("/api/runs/two/events").refused(404, "there is no run `two`", None);
}
