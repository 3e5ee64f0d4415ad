//! Bots that run.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::site::{CLIENT_ID, CLIENT_SECRET, Site, TOKEN, nonce, now, signed};
use crate::common::cli::{program, run};
use crate::common::folder::Folder;
use crate::common::http::Client;

/// Long enough for anything here, however busy the machine.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// Players that take hardly any time.
pub const QUICK: [&str; 4] =
    ["--player", "breakthrough8?simulations=2", "--player", "susan?simulations=2"];

/// A bot that runs; killed in the end.
pub struct Bot {
    child: Option<Child>,
    pub address: SocketAddr,
    stderr: Option<JoinHandle<String>>,
    journal: std::path::PathBuf,
}

impl Bot {
    /// Starts a bot with its journal in a folder.
    pub fn start(site: &Site, place: &Folder, arguments: &[&str]) -> Self {
        let journal = place.file("bot");
        let mut command = command(site, &journal, arguments);
        let mut child = command.stdin(Stdio::null()).spawn().unwrap();
        let mut said = child.stderr.take().unwrap();
        let stderr = thread::spawn(move || {
            let mut text = String::new();
            said.read_to_string(&mut text).unwrap();
            text
        });
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/\n"));
        let address = address.and_then(|address| address.parse().ok());
        let Some(address) = address else {
            panic!("it says `{line}` and {}", stderr.join().unwrap());
        };
        Self { child: Some(child), address, stderr: Some(stderr), journal }
    }

    /// Sends a request as the server does. Returns the status.
    pub fn ask(&self, request: &Value) -> u16 {
        let body = request.to_string().into_bytes();
        self.send(&signed(1, now(), &nonce(), &body), &body)
    }

    /// Sends a request with these headers. Returns the status.
    pub fn send(&self, headers: &[String], body: &[u8]) -> u16 {
        let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        Client(self.address).ask("POST /", &headers, body).status
    }

    fn id(&self) -> String {
        self.child.as_ref().unwrap().id().to_string()
    }

    /// The most memory that it has had, in KiB.
    pub fn peak_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
    }

    /// Ends it at once. Returns what it said.
    pub fn kill(mut self) -> String {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        self.last_words()
    }

    /// Sends it a signal, as by `kill -TERM`.
    pub fn signal(&self, name: &str) {
        assert!(Command::new("kill").args([name, &self.id()]).status().unwrap().success());
    }

    /// Waits for its end, which must be a good one. Returns what it said.
    pub fn end(self) -> String {
        self.end_with(0)
    }

    /// Waits for its end with this status. Returns what it said.
    pub fn end_with(mut self, expected: i32) -> String {
        let status = self.child.take().unwrap().wait().unwrap();
        let said = self.last_words();
        assert_eq!(status.code(), Some(expected), "{said}");
        said
    }

    /// Stops it in order. Returns what it said.
    pub fn stop(self) -> String {
        self.signal("-TERM");
        self.end()
    }

    /// What it said, without secrets and panics.
    fn last_words(&mut self) -> String {
        let said = self.stderr.take().unwrap().join().unwrap();
        let journal = fs::read_to_string(self.journal.join("journal.jsonl")).unwrap_or_default();
        for text in [&said, &journal] {
            for secret in [CLIENT_ID, CLIENT_SECRET, TOKEN] {
                assert!(!text.contains(secret), "{secret} in {text}");
            }
        }
        assert!(!said.contains("panicked"), "{said}");
        said
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A bot on any free port.
pub fn command(site: &Site, journal: &Path, arguments: &[&str]) -> Command {
    let mut command = program(&["bot", "abstractplay", "--listen", "127.0.0.1:0"]);
    command.args(arguments).arg("--journal").arg(journal).envs(site.environment());
    for name in ["http_proxy", "https_proxy", "all_proxy"] {
        command.env_remove(name).env_remove(name.to_uppercase());
    }
    command
}

/// Waits until something holds.
#[track_caller]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// `bot status` of a bot with its journal in a folder.
#[track_caller]
pub fn status(place: &Folder) -> Value {
    let folder = place.file("bot");
    let arguments = ["bot", "status", "--json", "--journal", folder.to_str().unwrap()];
    run(&arguments).well().json().remove(0)
}

/// Sends bytes, and reads the status of the answer, if there is one.
pub fn send_raw(address: SocketAddr, head: &str, mut size: usize) -> Option<u16> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(head.as_bytes()).ok()?;
    let piece = [b'x'; 1 << 16];
    while size > 0 && stream.write_all(&piece[..size.min(piece.len())]).is_ok() {
        size = size.saturating_sub(piece.len());
    }
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).ok()?;
    line.split(' ').nth(1)?.parse().ok()
}

/// Sends a request to a bot that may be killed meanwhile. Returns the status of an answer.
pub fn try_send(address: SocketAddr, headers: &[String], body: &[u8]) -> Option<u16> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    let (headers, length) = (headers.join("\r\n"), body.len());
    let head =
        format!("POST / HTTP/1.1\r\nHost: x\r\n{headers}\r\nContent-Length: {length}\r\n\r\n");
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).ok()?;
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).ok()?;
    line.split(' ').nth(1)?.parse().ok()
}
