//! The server and clients that hold connections: they must not keep it from others.

#![cfg(feature = "serve")]

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::nn::settings::NetworkSettings;
use crate::registry;
use crate::runs::checkpoint::{Run, RunInfo};
use crate::server::{Limits, Players, ServerSettings};
use crate::tests::common::folder::Folder;
use crate::tests::common::http::{answer, head, line};
use crate::tests::common::running::Running;
use crate::tests::common::served::settings;

/// No time of these limits ends during a test.
fn patient() -> Limits {
    let long = Duration::from_secs(600);
    Limits { head: long, body: long, write: long, grace: long, ..Limits::new(50) }
}

fn served(limits: Limits, runs: PathBuf) -> Running {
    Running::new(ServerSettings { runs, limits, ..settings() }, Players::new())
}

fn without_runs(limits: Limits) -> Running {
    served(limits, PathBuf::from("no such folder"))
}

/// Creates the run `large`, with this number of lines of about a KiB each.
fn large_run(folder: &Folder, lines: usize) {
    let variant = registry::preset("neutron5").unwrap();
    let info = RunInfo::new(&variant, 7, NetworkSettings::default());
    let _ = Run::begin(&folder.file("large"), &info).unwrap();
    let of = |number| json!({ "iteration": number, "phase": "learn", "x": "x".repeat(1000) });
    let text: String = (0..lines).map(|number| format!("{}\n", of(number))).collect();
    fs::write(folder.file("large/metrics.jsonl"), text).unwrap();
}

/// Connects, and sends these bytes.
fn begin(server: &Running, bytes: &[u8]) -> TcpStream {
    let mut connection = TcpStream::connect(server.client.0).unwrap();
    connection.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    connection.write_all(bytes).unwrap();
    connection
}

/// Waits until the server has closed a connection on which it sends nothing.
#[track_caller]
fn closed(mut connection: TcpStream) {
    match connection.read(&mut [0]) {
        Ok(0) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        other => panic!("the connection is open: {other:?}"),
    }
}

/// Whether the server has cut off a client that does not read, or had done so before.
fn is_cut_off(connection: &TcpStream) -> bool {
    // The error is told once, and an end afterwards.
    connection.take_error().unwrap().is_some() || connection.peer_addr().is_err()
}

/// Waits until the server has cut off a client that does not read.
#[track_caller]
fn cut_off(connection: &TcpStream) {
    let begun = Instant::now();
    while !is_cut_off(connection) {
        assert!(begun.elapsed() < Duration::from_secs(60), "the connection is open");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Beginnings of requests that leave the server waiting.
const BEGINNINGS: [&[u8]; 3] = [
    b"",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    b"POST /api/position HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
];

// ---- room for others ----

#[test]
fn the_client_that_is_waited_for_longest_makes_room() {
    let server = without_runs(Limits { connections: 6, ..patient() });
    let slow: Vec<TcpStream> =
        (0..30).map(|number| begin(&server, BEGINNINGS[number % 3])).collect();
    assert_eq!(server.client.get("/api/games").status, 200);
    // Six may be open. That of the answer is over, or is one of them.
    slow.into_iter().take(24).for_each(closed);
}

#[test]
fn clients_that_read_nothing_make_room() {
    let folder = Folder::new();
    large_run(&folder, 4000);
    let server = served(Limits { connections: 6, ..patient() }, folder.file(""));
    let request = "GET /api/runs/large HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let events = "GET /api/runs/large/events HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let stuck: Vec<TcpStream> =
        [request, events, request, events].map(|request| begin(&server, request.as_bytes())).into();
    // They are waited for longest once they are stuck.
    let mut slow = Vec::new();
    while !stuck.iter().all(is_cut_off) {
        assert!(slow.len() < 1000, "they are still connected");
        slow.push(begin(&server, BEGINNINGS[slow.len() % 3]));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(server.client.get("/api/games").status, 200);
}

#[test]
fn who_is_being_answered_need_not_make_room() {
    let folder = Folder::new();
    large_run(&folder, 1);
    let server = served(Limits { connections: 3, ..patient() }, folder.file(""));
    // It has read all events that there are.
    let mut follower = server.client.send("GET /api/runs/large/events", &[], b"");
    assert_eq!(head(&mut follower).0, 200);
    let mut read = String::new();
    while !read.contains("\"iteration\":0") {
        read = line(&mut follower);
    }
    let slow: Vec<TcpStream> =
        (0..9).map(|number| begin(&server, BEGINNINGS[number % 3])).collect();
    assert_eq!(server.client.get("/api/games").status, 200);
    drop(slow);
    let mut file =
        fs::OpenOptions::new().append(true).open(folder.file("large/metrics.jsonl")).unwrap();
    file.write_all(b"{\"iteration\":77}\n").unwrap();
    while !read.contains("\"iteration\":77") {
        read = line(&mut follower);
    }
}

#[test]
fn only_so_many_clients_may_follow_runs() {
    let folder = Folder::new();
    large_run(&folder, 1);
    let server = served(Limits { listeners: 2, ..patient() }, folder.file(""));
    let mut followers = [0; 2].map(|_| server.client.send("GET /api/runs/large/events", &[], b""));
    assert_eq!(followers.each_mut().map(|follower| head(follower).0), [200; 2]);
    server.client.get("/api/runs/large/events").refused(
        503,
        "too many clients are following",
        None,
    );
    assert_eq!(server.client.get("/api/runs/large").status, 200);
}

// ---- time ----

const SHORT: Duration = Duration::from_millis(200);

#[test]
fn the_head_of_a_request_must_arrive_in_time() {
    let server = without_runs(Limits { head: SHORT, ..patient() });
    for beginning in &BEGINNINGS[..2] {
        closed(begin(&server, beginning));
    }
    // Also that of the next request on the same connection.
    let mut kept =
        BufReader::new(begin(&server, b"GET /assets/no HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    assert_eq!(head(&mut kept).0, 404);
    let mut rest = String::new();
    kept.read_to_string(&mut rest).unwrap();
    assert!(rest.starts_with('{') && rest.ends_with('}'), "{rest}");
}

#[test]
fn the_body_of_a_request_must_arrive_in_time() {
    let server = without_runs(Limits { body: SHORT, head: SHORT, ..patient() });
    let slow = BufReader::new(begin(&server, BEGINNINGS[2]));
    answer(slow).refused(408, "did not arrive within 0.2 s", None);
}

#[test]
fn an_answer_must_be_read_in_time() {
    let folder = Folder::new();
    large_run(&folder, 4000);
    let server = served(Limits { write: SHORT, ..patient() }, folder.file(""));
    for path in ["", "/events"] {
        let request = format!("GET /api/runs/large{path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        cut_off(&begin(&server, request.as_bytes()));
    }
}

#[test]
fn who_reads_slowly_gets_the_whole_answer() {
    let folder = Folder::new();
    large_run(&folder, 3000);
    let write = Duration::from_secs(2);
    let server = served(Limits { write, ..patient() }, folder.file(""));
    let mut connection = server.client.send("GET /api/runs/large", &[], b"");
    let begun = Instant::now();
    let (status, _) = head(&mut connection);
    let (mut body, mut piece) = (Vec::new(), vec![0; 100 << 10]);
    loop {
        std::thread::sleep(Duration::from_millis(100));
        match connection.read(&mut piece).unwrap() {
            0 => break,
            length => body.extend_from_slice(&piece[..length]),
        }
    }
    assert!(begun.elapsed() > write, "the limit is not for the whole answer");
    assert_eq!(status, 200);
    assert!(body.ends_with(b"]}\r\n0\r\n\r\n"));
}

// ---- answers in pieces ----

#[test]
fn the_metrics_of_a_large_run_arrive_in_pieces_and_whole() {
    let folder = Folder::new();
    large_run(&folder, 500);
    let server = served(patient(), folder.file(""));
    let answer = server.client.get("/api/runs/large");
    assert_eq!(answer.header("transfer-encoding"), Some("chunked"));
    assert_eq!(answer.header("content-length"), None);
    let run = answer.json();
    let iterations =
        run["metrics"].as_array().unwrap().iter().map(|line| line["iteration"].clone());
    assert!(iterations.eq((0..500).map(|number| json!(number))));
    // Damaged and unfinished lines are left out, the last one needs no line break.
    for (text, metrics) in [
        ("", json!([])),
        ("{\n\n\u{0}\n", json!([])),
        ("{\"a\":1}\n{\"a\":2", json!([{ "a": 1 }])),
        ("{\"a\":\n{\"a\":2}\r\n{ \"a\" : 3 }", json!([{ "a": 2 }, { "a": 3 }])),
    ] {
        fs::write(folder.file("large/metrics.jsonl"), text).unwrap();
        assert_eq!(server.client.get("/api/runs/large").json()["metrics"], metrics, "{text}");
    }
    fs::remove_file(folder.file("large/metrics.jsonl")).unwrap();
    assert_eq!(server.client.get("/api/runs/large").json()["metrics"], json!([]));
}

// ---- the end ----

#[test]
fn the_server_stops_at_once_when_only_slow_clients_are_left() {
    let folder = Folder::new();
    large_run(&folder, 1);
    let mut server = served(patient(), folder.file(""));
    let slow: Vec<TcpStream> = BEGINNINGS.map(|bytes| begin(&server, bytes)).into();
    let mut follower = server.client.send("GET /api/runs/large/events", &[], b"");
    assert_eq!(head(&mut follower).0, 200);
    // It would wait ten minutes for these if they had asked something.
    server.stop();
    slow.into_iter().for_each(closed);
}

#[test]
fn an_answer_is_finished_when_the_server_stops() {
    let folder = Folder::new();
    large_run(&folder, 4000);
    let mut server = served(patient(), folder.file(""));
    let mut asked = server.client.send("GET /api/runs/large", &[], b"");
    assert!(!asked.fill_buf().unwrap().is_empty());
    let reading = std::thread::spawn(move || answer(asked).json());
    server.stop();
    assert_eq!(reading.join().unwrap()["metrics"].as_array().unwrap().len(), 4000);
}
