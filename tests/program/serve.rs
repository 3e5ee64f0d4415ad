//! Tests of `tavoliere serve`: it listens, answers, and stops at a signal.

#![cfg(all(unix, feature = "serve"))]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::common::cli::{self, run};
use crate::common::folder::Folder;
use crate::common::http::{Answer, Client};
use crate::common::serving::{interrupt, serve, stop};

#[test]
fn the_program_serves_until_it_is_interrupted() {
    ["-INT", "-TERM"].into_iter().for_each(served_until);
}

/// Serves, answers, and stops at this signal.
fn served_until(signal: &str) {
    let folder = Folder::new();
    let runs = folder.file("").display().to_string();
    let (child, address) =
        serve(&["--runs", &runs, "--player", "uct?rollouts=50", "--threads", "1"]);
    let client = Client(address);
    let players = client.get("/api/players").json();
    // Those that ship with the program are trained.
    let plain = |player: &&Value| player["kind"] == "plain";
    let facts = players.as_array().unwrap().iter().filter(plain).map(|player| {
        let of = |field: &str| player[field].as_str().unwrap_or("all").to_owned();
        (of("name"), of("game"), of("title"))
    });
    let expected = [
        ("uct?rollouts=50", "all", "UCT (rollouts=50)"),
        ("uct", "all", "UCT (rollouts=1000)"),
        ("alphabeta", "all", "Alpha-beta (nodes=10000)"),
        ("random", "all", "Random"),
        ("perfect", "connect_four", "Perfect"),
        ("perfect", "tic_tac_toe", "Perfect"),
    ];
    let expected = expected.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned()));
    assert_eq!(facts.collect::<Vec<_>>(), expected);
    assert_eq!(players[0]["name"], expected[0].0, "that of the command line comes first");
    let query = json!({ "game": "entropy", "player": "uct?rollouts=50" });
    assert_eq!(client.post("/api/reply", &query).json()["ply"], 1);
    client.get("/api/nothing").refused(404, "no such path", None);
    stop(child, signal);
}

/// Starts `tavoliere serve` in a process that may open so many files.
#[cfg(target_os = "linux")]
fn serve_with_files(files: u32, runs: &Path) -> (std::process::Child, std::net::SocketAddr) {
    let program = env!("CARGO_BIN_EXE_tavoliere");
    let script =
        format!("ulimit -n {files}; exec \"$0\" serve --port 0 --player uct --runs \"$1\"");
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).arg(program).arg(runs);
    crate::common::serving::started(command)
}

#[cfg(target_os = "linux")]
#[test]
fn idle_clients_do_not_use_up_the_files_of_the_process() {
    let folder = Folder::new();
    for files in [128, 32] {
        let (child, address) = serve_with_files(files, &folder.file(""));
        let connect = |_| std::net::TcpStream::connect(address).unwrap();
        let idle: Vec<_> = (0..300).map(connect).collect();
        for _ in 0..10 {
            Client(address).get("/api/players").json();
            assert_eq!(Client(address).get("/api/runs").json(), json!([]));
        }
        drop(idle);
        interrupt(child);
    }
}

/// The memory of a process, in MiB.
#[cfg(target_os = "linux")]
fn memory(child: &std::process::Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<u64>().unwrap() >> 10
}

#[cfg(target_os = "linux")]
#[test]
fn clients_that_do_not_read_take_no_memory() {
    let folder = Folder::new();
    let made = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/run");
    std::fs::create_dir(folder.file("one")).unwrap();
    for file in ["run.json", "config.toml", "latest"] {
        std::fs::copy(made.join(file), folder.file("one").join(file)).unwrap();
    }
    let line = format!("{{\"iteration\": 1, \"phase\": \"learn\", \"x\": \"{:1000}\"}}\n", "");
    std::fs::write(folder.file("one/metrics.jsonl"), line.repeat(10_000)).unwrap();
    let runs = folder.file("").display().to_string();
    let (child, address) = serve(&["--runs", &runs, "--player", "uct"]);
    let client = Client(address);
    client.get("/api/runs").json();
    let before = memory(&child);
    let paths = ["/api/runs/one", "/api/runs/one/events"];
    let asked: Vec<_> = (0..100)
        .map(|number| client.send(&format!("GET {}", paths[number % 2]), &[], b""))
        .collect();
    for mut connection in asked {
        assert!(!connection.fill_buf().unwrap().is_empty());
        let grown = memory(&child).saturating_sub(before);
        assert!(grown < 64, "{grown} MiB");
        std::mem::forget(connection);
    }
    client.get("/api/runs").json();
    interrupt(child);
}

#[test]
fn a_token_is_asked_for_and_said_only_if_it_is_random() {
    let folder = Folder::new();
    let runs = folder.file("").display().to_string();
    let options = ["--runs", &runs, "--player", "uct"];
    let given = "0123456789abcdef";
    let (child, address) = serve(&[&options[..], &["--token", given]].concat());
    Client(address).get("/api/players").refused(401, "needs its token", None);
    let bearer = format!("Authorization: Bearer {given}");
    Client(address).ask("GET /api/players", &[&bearer], b"").json();
    interrupt(child);

    let args = [&["serve", "--port", "0", "--token"], &options[..]].concat();
    let mut child = cli::program(&args).spawn().unwrap();
    let mut link = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut link).unwrap();
    let (address, token) =
        link.trim_end().strip_prefix("http://").unwrap().split_once("/?token=").unwrap();
    assert_eq!(token.len(), 32, "{link}");
    let client = Client(address.parse().unwrap());
    client.get("/api/players").refused(401, "needs its token", None);
    let entered = client.get(&format!("/?token={token}"));
    let cookie = entered.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
    client.ask("GET /api/players", &[&format!("Cookie: {cookie}")], b"").json();
    interrupt(child);
}

/// The headers of a request from a page of an origin, as browsers send them.
fn from_page(origin: &str) -> [String; 3] {
    [
        format!("Origin: {origin}"),
        "Sec-Fetch-Site: cross-site".to_owned(),
        "Content-Type: application/json".to_owned(),
    ]
}

/// Asks as a page of an origin would, with more headers.
fn ask_from(client: Client, origin: &str, request: &str, more: &[&str], body: &Value) -> Answer {
    let headers = from_page(origin);
    let headers: Vec<&str> = headers.iter().map(String::as_str).chain(more.to_vec()).collect();
    client.ask(request, &headers, body.to_string().as_bytes())
}

/// The question of a browser before a page of an origin may post.
fn preflight(client: Client, origin: &str, path: &str) -> Answer {
    let more = [
        "Access-Control-Request-Method: POST",
        "Access-Control-Request-Headers: authorization,content-type",
    ];
    ask_from(client, origin, &format!("OPTIONS {path}"), &more, &Value::Null)
}

const ALLOWED: [&str; 4] =
    ["--allow-origin", "https://a.example", "--allow-origin", "http://localhost:5173"];

#[test]
fn pages_of_allowed_origins_use_the_interface() {
    let (child, address) = serve(&[&["--player", "uct"][..], &ALLOWED].concat());
    let client = Client(address);
    let query = json!({ "game": "tic_tac_toe", "moves": ["b2"] });
    for origin in ["https://a.example", "http://localhost:5173"] {
        let asked = preflight(client, origin, "/api/position");
        assert_eq!(asked.status, 204);
        assert_eq!(asked.header("access-control-allow-origin"), Some(origin));
        assert_eq!(asked.header("access-control-allow-methods"), Some("GET, POST"));
        let headers = asked.header("access-control-allow-headers").unwrap();
        assert!(headers.contains("Content-Type") && headers.contains("Authorization"));
        assert_eq!(asked.header("access-control-allow-credentials"), None);
        let answer = ask_from(client, origin, "POST /api/position", &[], &query);
        assert_eq!(answer.header("access-control-allow-origin"), Some(origin));
        assert_eq!(answer.header("vary"), Some("Origin"));
        assert_eq!(answer.json()["to_move"], "o");
        let wrong = ask_from(client, origin, "POST /api/position", &[], &json!({ "game": "go" }));
        assert_eq!(wrong.status, 400);
        assert_eq!(wrong.header("access-control-allow-origin"), Some(origin), "it reads errors");
        // The page itself is not part of the interface.
        ask_from(client, origin, "GET /assets/api.js", &[], &Value::Null).refused(
            403,
            "pages of other sites",
            None,
        );
    }
    interrupt(child);
}

#[test]
fn pages_of_other_origins_stay_outside() {
    let (child, address) = serve(&[&["--player", "uct"][..], &ALLOWED].concat());
    let client = Client(address);
    let query = json!({ "game": "tic_tac_toe" });
    for origin in [
        "https://b.example",
        "http://a.example",
        "https://a.example:444",
        "https://a.example.evil",
        "https://sub.a.example",
        "https://A.example",
        "http://localhost:5174",
        "null",
        "*",
        "",
    ] {
        let asked = preflight(client, origin, "/api/position");
        asked.refused(403, "pages of other sites", None);
        assert_eq!(asked.header("access-control-allow-origin"), None);
        let answer = ask_from(client, origin, "POST /api/position", &[], &query);
        answer.refused(403, "pages of other sites", None);
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
    let twice = ["Origin: https://b.example"];
    let answer = ask_from(client, "https://a.example", "GET /api/games", &twice, &Value::Null);
    answer.refused(403, "pages of other sites", None);
    // An image has no origin, whatever page embeds it; another host is another server.
    let embedded = client.ask("GET /api/games", &["Sec-Fetch-Site: cross-site"], b"");
    embedded.refused(403, "pages of other sites", None);
    let host = ["Host: evil.example"];
    let answer = ask_from(client, "https://a.example", "GET /api/games", &host, &Value::Null);
    answer.refused(403, "accepts only the hosts", None);
    interrupt(child);
}

#[test]
fn pages_of_allowed_origins_need_the_token() {
    let token = ["--token", "0123456789abcdef"];
    let (child, address) = serve(&[&["--player", "uct"], &token[..], &ALLOWED].concat());
    let client = Client(address);
    assert_eq!(preflight(client, "https://a.example", "/api/games").status, 204);
    let ask =
        |more: &[&str]| ask_from(client, "https://a.example", "GET /api/games", more, &Value::Null);
    let refused = ask(&[]);
    refused.refused(401, "needs its token", None);
    assert_eq!(refused.header("access-control-allow-origin"), Some("https://a.example"));
    ask(&["Authorization: Bearer 0123456789abcdeF"]).refused(401, "needs its token", None);
    ask(&["Authorization: Bearer 0123456789abcdef"]).json();
    interrupt(child);
}

#[test]
fn a_server_for_everybody_warns() {
    for (token, warnings) in [(&[][..], 1), (&["--token", "0123456789abcdef"], 0)] {
        let (child, _) = serve(&[&["--host", "0.0.0.0", "--player", "uct"], token].concat());
        let id = child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
        let said = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
        assert_eq!(said.matches("everybody who can reach this port").count(), warnings, "{said}");
    }
}

#[test]
fn serve_rejects_bad_options() {
    run(&["serve", "--player", "gtp:engine"]).refused(2, "an external engine cannot be offered");
    run(&["serve", "--player", "randon"]).refused(2, "did you mean `random`?");
    run(&["serve", "--player", "no/such/run"]).refused(1, "there is no run in no/such/run");
    run(&["serve", "--page", "no such folder"]).refused(2, "there is no index.html");
    run(&["serve", "--time", "1ms"]).refused(2, "must be from 10ms to 10m");
    run(&["serve", "--runs", "/nope"]).refused(2, "there is no folder /nope");
    run(&["serve", "--users", "0"]).refused(2, "0 is not in 1..=10000");
    for token in ["short", "0123456789 abcdef", ""] {
        run(&["serve", "--token", token]).refused(2, "--token: a token has 16 to 128 letters");
    }
    let origins = [
        ("*", "every page on the web could use this server"),
        ("null", "sandboxed frames of any site have the origin null"),
        ("example.org", "an origin is http:// or https://, a host"),
        ("https://example.org/page", "without a path"),
    ];
    for (origin, reason) in origins {
        run(&["serve", "--allow-origin", origin]).refused(2, reason);
    }
    run(&["serve", "--host", "nowhere"]).refused(2, "invalid IP address");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    run(&["serve", "--port", &port]).refused(1, "use --port 0 for any free port");
}

#[cfg(feature = "net")]
mod networks_of_runs {
    use std::fs;
    use std::process::Stdio;

    use super::*;
    use crate::common::run::PROGRAM;

    /// Trains a run of tic-tac-toe in a folder up to an iteration, evaluating every second one.
    fn train(runs: &Path, name: &str, iterations: u64) {
        // The first network is not evaluated.
        let every = if iterations == 1 { 0 } else { 2 };
        let evaluation = format!("evaluation={{every={every},games=4,panel=['random']}}");
        let settings = [
            "network={channels=4,blocks=1,value_hidden=8}",
            "selfplay={games=8,simulations=4}",
            &evaluation,
        ];
        let mut command = Command::new(PROGRAM);
        command.args(["train", "tic_tac_toe", "--iterations", &iterations.to_string()]);
        command.arg("--run").arg(runs.join(name));
        command.args(settings.iter().flat_map(|setting| ["--set", setting]));
        assert!(command.stdout(Stdio::null()).status().unwrap().success());
    }

    fn runs(folder: &Folder) -> std::path::PathBuf {
        let runs = folder.file("runs");
        fs::create_dir(&runs).unwrap();
        runs
    }

    /// Names and titles of the networks of runs that are offered.
    fn offered(client: Client) -> Vec<(String, String)> {
        let players = client.get("/api/players").json();
        let of_runs = players.as_array().unwrap().iter().filter(|it| !it["facts"]["run"].is_null());
        let of = |player: &Value, field: &str| player[field].as_str().unwrap().to_owned();
        of_runs.map(|player| (of(player, "name"), of(player, "title"))).collect()
    }

    /// What a player replies in the first position of tic-tac-toe.
    fn asked(client: Client, player: &str) -> crate::common::http::Answer {
        let query = json!({ "game": "tic_tac_toe", "player": player, "simulations": 4 });
        client.post("/api/reply", &query)
    }

    fn pair(name: &str, title: &str) -> (String, String) {
        (name.to_owned(), title.to_owned())
    }

    #[test]
    fn are_offered_without_a_restart() {
        let folder = Folder::new();
        let runs = runs(&folder);
        let (child, address) = serve(&["--runs", runs.to_str().unwrap(), "--threads", "1"]);
        let client = Client(address);
        assert_eq!(offered(client), []);
        asked(client, "runs/one").refused(400, "there is no player `runs/one`", None);
        train(&runs, "one", 1);
        assert_eq!(offered(client), [pair("runs/one", "one run, newest (iteration 1)")]);
        assert_eq!(asked(client, "runs/one").json()["ply"], 1);
        asked(client, "runs/one@best").refused(400, "none of its networks was evaluated", None);
        train(&runs, "one", 2);
        let both = pair("runs/one", "one run, newest and best (iteration 2)");
        assert_eq!(offered(client), [both]);
        train(&runs, "one", 3);
        let newest = pair("runs/one", "one run, newest (iteration 3)");
        let best = pair("runs/one@best", "one run, best (iteration 2)");
        assert_eq!(offered(client), [newest, best]);
        for name in ["runs/one", "runs/one@best", "runs/one@1"] {
            assert_eq!(asked(client, name).json()["ply"], 1, "{name}");
            let query = json!({ "game": "tic_tac_toe", "player": name, "simulations": 4 });
            assert!(client.post("/api/analysis", &query).json()["value"].is_object(), "{name}");
        }
        let other = json!({ "game": "susan", "player": "runs/one" });
        client.post("/api/reply", &other).refused(400, "plays tic_tac_toe, not susan", None);
        for name in ["runs/one@9", "runs/one@x", "runs/one@", "runs/one@4294967296"] {
            asked(client, name).refused(400, "the run `one` cannot play", None);
        }
        interrupt(child);
    }

    #[test]
    fn that_are_damaged_say_so_and_the_others_play() {
        let folder = Folder::new();
        let runs = runs(&folder);
        for name in ["cut", "gone", "info", "well"] {
            train(&runs, name, 1);
        }
        let (child, address) = serve(&["--runs", runs.to_str().unwrap(), "--threads", "1"]);
        let client = Client(address);
        let weights = runs.join("cut/000001/weights.bpk");
        let bytes = fs::read(&weights).unwrap();
        fs::write(&weights, &bytes[..bytes.len() / 2]).unwrap();
        fs::remove_file(runs.join("gone/000001/weights.bpk")).unwrap();
        fs::write(runs.join("info/run.json"), "{").unwrap();
        // The weights are read when the player is asked.
        let names: Vec<String> = offered(client).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["runs/cut", "runs/well"]);
        asked(client, "runs/cut").refused(400, "weights.bpk is truncated or damaged", None);
        asked(client, "runs/gone").refused(400, "has no file weights.bpk", None);
        asked(client, "runs/info").refused(400, "is damaged", None);
        assert_eq!(asked(client, "runs/well").json()["ply"], 1);
        let listed = client.get("/api/runs").json();
        let problem = |index: usize| listed[index]["problem"].as_str().unwrap_or("none").to_owned();
        assert_eq!(listed[1]["name"], "gone");
        assert!(problem(1).contains("has no file weights.bpk"), "{listed}");
        assert!(problem(2).contains("run.json is damaged"), "{listed}");
        assert_eq!([problem(0), problem(3)], ["none", "none"]);
        interrupt(child);
    }

    #[test]
    fn outside_the_folder_are_refused() {
        use std::os::unix::fs::symlink;
        let folder = Folder::new();
        let runs = runs(&folder);
        train(&folder.file(""), "outside", 1);
        train(&runs, "inside", 1);
        symlink(folder.file("outside"), runs.join("link")).unwrap();
        // A run whose weights alone lie elsewhere.
        let weights = runs.join("inside/000001/weights.bpk");
        fs::remove_file(&weights).unwrap();
        symlink(folder.file("outside/000001/weights.bpk"), &weights).unwrap();
        let (child, address) = serve(&["--runs", runs.to_str().unwrap(), "--threads", "1"]);
        let client = Client(address);
        assert_eq!(offered(client), []);
        for name in ["runs/link", "runs/../outside", "runs/..", "outside", "../outside", "runs/"] {
            asked(client, name).refused(400, "there is no player", None);
        }
        let absolute = folder.file("outside").display().to_string();
        asked(client, &absolute).refused(400, "there is no player", None);
        asked(client, "runs/inside").refused(400, "has no file weights.bpk", None);
        interrupt(child);
    }
}
