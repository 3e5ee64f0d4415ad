//! Requests to the server, as bytes of a connection.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use anyhow::Result;

use super::texts::Brief;
use crate::answers::listing::{Kind, Listing};
use crate::play::players::{Player, PlayerFactory};
use crate::registry::Variant;
use crate::server::{Limits, Players, Server, ServerSettings, Solutions};

/// How long an answer may take, and how long a stream of events is read.
const PATIENCE: Duration = Duration::from_secs(5);

struct Any;

impl PlayerFactory for Any {
    fn check(&self, _: &Variant) -> Result<()> {
        Ok(())
    }

    fn player(&self, _: &Variant) -> Result<Box<dyn Player>> {
        Ok(Box::new(Brief::new()))
    }
}

/// The address of a server that runs until the process ends.
fn address() -> SocketAddr {
    static ADDRESS: OnceLock<SocketAddr> = OnceLock::new();
    *ADDRESS.get_or_init(|| {
        let mut players = Players::new();
        let listing = Listing {
            name: "brief".to_owned(),
            title: "Brief".to_owned(),
            game: None,
            rules: None,
            kind: Kind::Trained,
            thinks: true,
            simulations: Some(4),
            levels: Vec::new(),
            facts: None,
        };
        players.add(vec![listing], Any);
        let server = Server::bind(settings(), players, Solutions::default()).expect("a free port");
        let address = server.address();
        std::thread::spawn(move || server.run());
        address
    })
}

fn settings() -> ServerSettings {
    ServerSettings {
        host: "127.0.0.1".parse().expect("an address"),
        port: 0,
        threads: 1,
        users: 10,
        time: Duration::from_secs(2),
        runs: PathBuf::from("no such folder"),
        threefold: false,
        page: None,
        limits: Limits::new(10),
        token: None,
        origins: Vec::new(),
    }
}

/// What a client sends before it closes its side of the connection. `\n` stands for `\r\n` in the
/// head, and HOST for the address of the server.
pub(super) fn http(input: &[u8]) {
    let address = address();
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time above 0");
    // The server may have answered and closed before everything was sent.
    let _ = stream.write_all(&sent(input, address));
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let read = stream.take(1 << 20).read_to_end(&mut answer);
    assert!(read.is_ok() || !answer.is_empty() || is_reset(&read), "no answer: {read:?}");
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1."), "{answer:?}");
}

fn is_reset(read: &std::io::Result<usize>) -> bool {
    read.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset)
}

fn sent(input: &[u8], address: SocketAddr) -> Vec<u8> {
    let end = input.windows(2).position(|two| two == b"\n\n").map_or(input.len(), |at| at + 2);
    let (head, body) = input.split_at(end);
    let mut sent = Vec::new();
    for line in head.split_inclusive(|&byte| byte == b'\n') {
        match line.strip_suffix(b"\n") {
            Some(line) => sent.extend([line, b"\r\n"].concat()),
            None => sent.extend(line),
        }
    }
    let place = sent.windows(4).position(|four| four == b"HOST");
    if let Some(at) = place {
        sent.splice(at..at + 4, address.to_string().into_bytes());
    }
    sent.extend(body);
    sent
}
