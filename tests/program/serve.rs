//! Tests of `tavoliere serve`: it listens, answers, and stops.

#![cfg(feature = "serve")]

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::Command;

use serde_json::json;

use crate::common::cli::{self, run};
use crate::common::folder::Folder;
use crate::common::http::Client;

/// Starts `tavoliere serve` with these arguments, and returns it with its address.
fn serve(args: &[&str]) -> (std::process::Child, SocketAddr) {
    let args = [&["serve", "--port", "0"], args].concat();
    let mut child = cli::program(&args).spawn().unwrap();
    let mut address = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
    let address = address.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/\n"));
    (child, address.unwrap().parse().unwrap())
}

#[cfg(unix)]
#[test]
fn the_program_serves_until_it_is_interrupted() {
    ["-INT", "-TERM"].into_iter().for_each(served_until);
}

/// Serves, answers, and stops at this signal.
#[cfg(unix)]
fn served_until(signal: &str) {
    let folder = Folder::new();
    let runs = folder.file("").display().to_string();
    let (child, address) =
        serve(&["--runs", &runs, "--player", "uct?rollouts=50", "--threads", "1"]);
    let client = Client(address);
    let players = client.get("/api/players").json();
    let facts = players.as_array().unwrap().iter().map(|player| {
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
    let query = json!({ "game": "entropy", "player": "uct?rollouts=50" });
    assert_eq!(client.post("/api/reply", &query).json()["ply"], 1);
    client.get("/api/nothing").refused(404, "no such path", None);
    let id = child.id().to_string();
    assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

#[test]
fn serve_rejects_bad_options() {
    run(&["serve", "--player", "gtp:engine"]).refused(2, "an external engine cannot be offered");
    run(&["serve", "--player", "randon"]).refused(2, "did you mean `random`?");
    run(&["serve", "--player", "no/such/run"]).refused(1, "there is no run in no/such/run");
    run(&["serve", "--page", "no such folder"]).refused(2, "there is no index.html");
    run(&["serve", "--time", "1ms"]).refused(2, "must be from 10ms to 10m");
    run(&["serve", "--users", "0"]).refused(2, "0 is not in 1..=10000");
    run(&["serve", "--host", "nowhere"]).refused(2, "invalid IP address");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    run(&["serve", "--port", &port]).refused(1, "use --port 0 for any free port");
}
