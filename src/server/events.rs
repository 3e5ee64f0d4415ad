//! The metrics of a run as server-sent events: first the lines that exist, then new ones.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use serde_json::Value;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::task::spawn_blocking;

use super::refusal::Refusal;
use super::{App, stopped};

/// How often the metrics file is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The most bytes that are read at a time; longer lines are skipped.
const MAX_READ: u64 = 1 << 20;

/// The most clients that may follow runs at the same time.
pub(super) const MAX_LISTENERS: usize = 100;

/// `GET /api/runs/{name}/events`: the events of a run after the client's `Last-Event-ID`.
pub(super) async fn events(
    State(app): State<Arc<App>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let busy = || {
        let reason = "too many clients are following runs; try again later";
        Refusal::busy(reason, app.queue.time())
    };
    let permit = Arc::clone(&app.listeners).try_acquire_owned().map_err(|_| busy())?;
    let runs = app.runs.clone();
    let path =
        spawn_blocking(move || runs.metrics_path(&name)).await.map_err(Refusal::internal)??;
    let seen = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let tail = Tail { path, seen: seen.unwrap_or(0), offset: 0, number: 0 };
    let listener =
        Listener { tail, lines: VecDeque::new(), stopping: app.stopping.clone(), _permit: permit };
    let stream = unfold(listener, |mut listener| async move {
        let event = listener.next().await?;
        Some((Ok::<_, Infallible>(event), listener))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::default()).into_response())
}

/// A client that receives new lines until it disconnects or the server stops.
struct Listener {
    tail: Tail,
    /// Lines that were read but not sent, with their numbers.
    lines: VecDeque<(u64, Value)>,
    stopping: watch::Receiver<bool>,
    _permit: OwnedSemaphorePermit,
}

impl Listener {
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((number, line)) = self.lines.pop_front() {
                let event = Event::default().event("metrics").id(number.to_string());
                return Some(event.data(line.to_string()));
            }
            let mut tail = self.tail.clone();
            let read = spawn_blocking(move || {
                let lines = tail.read();
                (tail, lines)
            });
            let (tail, lines) = read.await.ok()?;
            self.tail = tail;
            // The file may not exist yet: try again at the next poll.
            let (lines, is_more) = lines.unwrap_or_default();
            self.lines.extend(lines);
            if self.lines.is_empty() && !is_more {
                tokio::select! {
                    () = tokio::time::sleep(POLL_INTERVAL) => {}
                    () = stopped(self.stopping.clone()) => return None,
                }
            }
        }
    }
}

/// A reading position in a growing file of lines.
#[derive(Clone, Debug)]
struct Tail {
    path: PathBuf,
    /// Number of the last line that the client has seen; later lines are returned.
    seen: u64,
    /// Bytes of the whole lines read so far.
    offset: u64,
    /// Number of lines read so far.
    number: u64,
}

/// Lines with their numbers, and whether more may be available at once.
type Lines = (Vec<(u64, Value)>, bool);

impl Tail {
    /// Reads the next whole lines, and returns those that are JSON, numbered from 1.
    fn read(&mut self) -> io::Result<Lines> {
        let mut file = File::open(&self.path)?;
        if file.metadata()?.len() < self.offset {
            // The file was truncated or replaced: start again at its first line.
            (self.offset, self.number, self.seen) = (0, 0, 0);
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut bytes = Vec::new();
        file.take(MAX_READ).read_to_end(&mut bytes)?;
        let is_full = bytes.len() as u64 == MAX_READ;
        let end = bytes.iter().rposition(|&byte| byte == b'\n').map(|last| last + 1);
        let whole = end.unwrap_or(if is_full { bytes.len() } else { 0 });
        self.offset += whole as u64;
        let mut lines = Vec::new();
        for line in bytes[..whole].split_inclusive(|&byte| byte == b'\n') {
            // Parts of a line that is too long count as one line, at its line break.
            self.number += u64::from(line.ends_with(b"\n"));
            if self.number > self.seen
                && let Ok(value) = serde_json::from_slice(line)
            {
                lines.push((self.number, value));
            }
        }
        Ok((lines, is_full))
    }
}
