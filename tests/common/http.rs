//! An HTTP client that opens a new connection for each request.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// Timeout of reads, long enough for a busy machine.
const TIMEOUT: Duration = Duration::from_secs(60);

/// An HTTP response.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }

    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// Returns the JSON body of a response that must have status 200.
    #[track_caller]
    pub fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/json"));
        serde_json::from_str(self.text()).unwrap()
    }

    /// Checks that the response is an error with this status, these words in its message, and this
    /// index of a turn.
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
    /// Sends a request and returns the connection. `request` is the request line without the
    /// version; `Host` is added unless `headers` has it.
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

    /// Returns the response to a request.
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

/// Reads the status and the headers of a response.
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

/// Reads a response until the connection is closed.
pub fn answer(mut connection: BufReader<TcpStream>) -> Answer {
    let (status, headers) = head(&mut connection);
    let mut body = Vec::new();
    connection.read_to_end(&mut body).unwrap();
    let mut answer = Answer { status, headers, body };
    if answer.header("transfer-encoding") == Some("chunked") {
        answer.body = without_chunks(&answer.body).expect("the response is whole");
    }
    answer
}

/// Returns what the chunks of a body have; `None` if the last one is missing.
fn without_chunks(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let end = body.windows(2).position(|two| two == b"\r\n")?;
        let length = usize::from_str_radix(std::str::from_utf8(&body[..end]).ok()?, 16).ok()?;
        if length == 0 {
            return Some(whole);
        }
        whole.extend_from_slice(body.get(end + 2..end + 2 + length)?);
        body = body.get(end + 4 + length..)?;
    }
}

/// Reads the next line, and returns it without its end.
pub fn line(connection: &mut BufReader<TcpStream>) -> String {
    let mut line = String::new();
    connection.read_line(&mut line).unwrap();
    line.trim_end_matches(['\r', '\n']).to_owned()
}
