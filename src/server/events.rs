//! The metrics of a run as server-sent events: first the lines that exist, then new ones.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::task::spawn_blocking;

use super::parameters::Parameters;
use super::refusal::Refusal;
use super::tail::{Line, Tail};
use super::{App, stopped};

/// How often the metrics file is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// `GET /api/runs/{name}/events`: the events of a run after the client's `Last-Event-ID`.
pub(super) async fn events(
    State(app): State<Arc<App>>,
    Parameters(name): Parameters<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let busy = || {
        let reason = "too many clients are following runs; try again later";
        Refusal::busy(reason, app.queue.time())
    };
    let permit = Arc::clone(&app.listeners).try_acquire_owned().map_err(|_| busy())?;
    let seen = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let runs = app.runs.clone();
    let tail = spawn_blocking(move || runs.metrics(&name, seen.unwrap_or(0)));
    let tail = tail.await.map_err(Refusal::internal)??;
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
    /// Lines that were read but not sent.
    lines: VecDeque<Line>,
    stopping: watch::Receiver<bool>,
    _permit: OwnedSemaphorePermit,
}

impl Listener {
    async fn next(&mut self) -> Option<Event> {
        while !*self.stopping.borrow() {
            if let Some(Line { number, text }) = self.lines.pop_front() {
                let event = Event::default().event("metrics").id(number.to_string());
                return Some(event.data(text));
            }
            let mut tail = self.tail.clone();
            let read = spawn_blocking(move || {
                let lines = tail.follow();
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
                    () = stopped(self.stopping.clone()) => {}
                }
            }
        }
        None
    }
}
