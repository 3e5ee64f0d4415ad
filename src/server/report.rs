//! The answer about a run, whose metrics are read from the file as the client reads them.

use std::io;

use axum::body::{Body, Bytes};
use futures_util::stream::try_unfold;
use tokio::task::spawn_blocking;

use super::tail::Tail;

/// The rest of an answer, after the facts about the run.
struct Metrics {
    /// `None` if there are no metrics, or they are all read.
    tail: Option<Tail>,
    is_first: bool,
    is_over: bool,
}

/// Returns a JSON object with the fields of `run` and, as `metrics`, the lines of a file.
pub(super) fn body(run: String, metrics: Option<Tail>) -> Body {
    let begin = run.strip_suffix('}').expect("a run is a JSON object").to_owned();
    let rest = Metrics { tail: metrics, is_first: true, is_over: false };
    let begin = Some(begin + ",\"metrics\":[");
    Body::from_stream(try_unfold((begin, rest), async |(begin, rest)| match begin {
        Some(begin) => Ok::<_, io::Error>(Some((Bytes::from(begin), (None, rest)))),
        None => Ok(rest.next().await?.map(|(bytes, rest)| (bytes, (None, rest)))),
    }))
}

impl Metrics {
    /// Returns the next part of the answer.
    async fn next(mut self) -> io::Result<Option<(Bytes, Self)>> {
        if self.is_over {
            return Ok(None);
        }
        let part = spawn_blocking(move || self.read().map(|text| (Bytes::from(text), self)));
        part.await.map_err(io::Error::other)?.map(Some)
    }

    /// Reads lines until there is one, and returns them with what separates them. An error ends the
    /// connection, so the client knows that the answer is not whole.
    fn read(&mut self) -> io::Result<String> {
        let mut text = String::new();
        while let Some(tail) = &mut self.tail
            && text.is_empty()
        {
            let (lines, is_more) = tail.read_to_end()?;
            for line in lines {
                text.push_str(if self.is_first { "" } else { "," });
                text.push_str(&line.text);
                self.is_first = false;
            }
            if !is_more {
                self.tail = None;
            }
        }
        if self.tail.is_none() {
            text.push_str("]}");
            self.is_over = true;
        }
        Ok(text)
    }
}
