//! Asks a server as a browser or another program would, over a connection of its own each time.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// Long enough for anything here, however busy the machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }

    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// The body of an answer that must have been given.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/json"));
        serde_json::from_str(self.text()).unwrap()
    }

    /// Checks that the request was refused, with this status, these words and the index of this
    /// turn.
    #[track_caller]
    pub fn refused(&self, status: u16, words: &str, at: Option<u64>) {
        assert_eq!(self.status, status, "{}", self.text());
        let refusal: Value = serde_json::from_str(self.text()).unwrap();
        assert!(refusal["error"].as_str().unwrap().contains(words), "no `{words}`: {refusal}");
        assert_eq!(refusal["at"].as_u64(), at, "{refusal}");
        assert_eq!(refusal.as_object().unwrap().len(), 2, "{refusal}");
    }
}

/// A client of a server.
#[derive(Clone, Copy, Debug)]
pub struct Client(pub SocketAddr);

impl Client {
    /// A connection over which a request was sent. What stands before the empty line is given
    /// without the version and `Host`.
    pub fn send(self, request: &str, headers: &[&str], body: &[u8]) -> BufReader<TcpStream> {
        let mut connection = TcpStream::connect(self.0).unwrap();
        connection.set_read_timeout(Some(TIMEOUT)).unwrap();
        let mut text = format!("{request} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|header| header.starts_with("Host:")) {
            text += &format!("Host: {}\r\n", self.0);
        }
        for header in headers {
            text += &format!("{header}\r\n");
        }
        text += &format!("Content-Length: {}\r\n\r\n", body.len());
        connection.write_all(text.as_bytes()).unwrap();
        connection.write_all(body).unwrap();
        BufReader::new(connection)
    }

    /// The answer to a request.
    pub fn ask(self, request: &str, headers: &[&str], body: &[u8]) -> Answer {
        answer(self.send(request, headers, body))
    }

    pub fn get(self, path: &str) -> Answer {
        self.ask(&format!("GET {path}"), &[], b"")
    }

    pub fn post(self, path: &str, body: &Value) -> Answer {
        self.ask(&format!("POST {path}"), &[], body.to_string().as_bytes())
    }
}

/// The status and the headers that come first over a connection.
pub fn head(connection: &mut BufReader<TcpStream>) -> (u16, Vec<(String, String)>) {
    let status = line(connection);
    let status = status.split(' ').nth(1).unwrap_or_else(|| panic!("`{status}`"));
    let status = status.parse().unwrap();
    let mut headers = Vec::new();
    loop {
        let line = line(connection);
        match line.split_once(": ") {
            Some((name, value)) => headers.push((name.to_owned(), value.to_owned())),
            None => return (status, headers),
        }
    }
}

/// What comes over a connection until it is closed.
pub fn answer(mut connection: BufReader<TcpStream>) -> Answer {
    let (status, headers) = head(&mut connection);
    let mut body = Vec::new();
    connection.read_to_end(&mut body).unwrap();
    Answer { status, headers, body }
}

/// The next line, without its end.
pub fn line(connection: &mut BufReader<TcpStream>) -> String {
    let mut line = String::new();
    connection.read_line(&mut line).unwrap();
    line.trim_end_matches(['\r', '\n']).to_owned()
}
