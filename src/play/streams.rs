//! Queries of `tavoliere analyze` that are answered at intervals, beside those that are answered in
//! order.
//!
//! A query with `every_ms` is a *stream*: a thread with a player of its own searches it. All other
//! queries are answered one after another on the calling thread. One more thread reads the input, so
//! that a stream can be stopped.

use std::collections::VecDeque;
use std::io::{self, BufWriter, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::analysis::{self, MAX_LINE, Problem};
use super::players::Player;
use crate::base::clock::Instant;
use crate::base::line_reader::LineReader;
use crate::exact::solution::Solution;
use crate::registry::Variant;

/// The most queries that are read before those of before are answered in order.
const AHEAD: usize = 64;
/// The most streams that wait for a thread.
const MOST_WAITING: usize = 1000;
/// How often it is seen that the output has failed, while no query arrives.
const PATIENCE: Duration = Duration::from_millis(500);

/// What answers the streams.
pub(crate) struct StreamSettings<'a> {
    /// The game of the players.
    pub variant: &'a Variant,
    /// Makes a player that searches on one thread.
    pub player: &'a (dyn Fn() -> Box<dyn Player> + Sync),
    /// For exact values.
    pub solution: Option<&'a Solution>,
    /// The most streams that are searched at once.
    pub most: usize,
}

/// Answers every line until the input ends: queries in order by `answer`, streams beside them.
///
/// # Errors
///
/// If input or output fails. Streams then end at once.
pub(crate) fn converse(
    input: impl Read + Send + 'static,
    output: impl Write + Send,
    answer: impl FnMut(&[u8]) -> String,
    settings: &StreamSettings<'_>,
) -> io::Result<()> {
    let lines = LineReader::start(input, MAX_LINE)?;
    let streams = Arc::new(Streams::default());
    let (queries, arrived) = sync_channel(AHEAD);
    let output = Output::new(output);
    let sorted = Arc::clone(&streams);
    let sort = move || sort_lines(&lines, &queries, &sorted);
    thread::Builder::new().name("queries".to_owned()).spawn(sort)?;
    thread::scope(|scope| {
        for _ in 0..settings.most.max(1) {
            scope.spawn(|| answer_streams(&streams, &output, settings));
        }
        let answered = answer_in_order(&arrived, &output, answer);
        if answered.is_err() {
            streams.abort();
        }
        answered
    })?;
    output.flush()
}

/// A line that is answered in order: a query, or the answer to what is none.
type InOrder = io::Result<Result<Vec<u8>, String>>;

/// What tells streams from other queries. What is no query is refused when it is answered.
#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    id: Value,
    every_ms: Option<Value>,
    #[serde(default)]
    stop: bool,
}

/// Reads lines until the input ends, and gives each to those who answer it.
fn sort_lines(lines: &LineReader, queries: &SyncSender<InOrder>, streams: &Streams) {
    loop {
        let next = match lines.take() {
            Ok(None) => break,
            Err(error) => Some(Err(error)),
            Ok(Some(line)) if line.length > MAX_LINE => {
                Some(Ok(Err(analysis::too_long(line.length))))
            }
            Ok(Some(line)) if line.bytes.trim_ascii().is_empty() => None,
            Ok(Some(line)) => sorted(line.bytes, streams).map(Ok),
        };
        // Nobody answers any more if the output has failed.
        if next.is_some_and(|next| queries.send(next).is_err()) {
            break;
        }
    }
    streams.close();
}

/// Begins or stops a stream. Returns what is to be answered in order.
fn sorted(line: Vec<u8>, streams: &Streams) -> Option<Result<Vec<u8>, String>> {
    match serde_json::from_slice(&line) {
        Ok(Head { id, stop: true, .. }) => {
            streams.stop(&id);
            None
        }
        Ok(Head { id, every_ms: Some(_), .. }) => streams.begin(id, line).err().map(Err),
        _ => Some(Ok(line)),
    }
}

fn answer_in_order<W: Write>(
    arrived: &Receiver<InOrder>,
    output: &Output<W>,
    mut answer: impl FnMut(&[u8]) -> String,
) -> io::Result<()> {
    loop {
        let next = match arrived.try_recv() {
            Ok(next) => next,
            Err(_) => {
                // The answers so far are told before it waits.
                output.flush()?;
                match arrived.recv_timeout(PATIENCE) {
                    Ok(next) => next,
                    Err(RecvTimeoutError::Timeout) => continue,
                    Err(RecvTimeoutError::Disconnected) => return Ok(()),
                }
            }
        };
        output.write(&next?.map_or_else(|refusal| refusal, |query| answer(&query)))?;
    }
}

fn answer_streams<W: Write>(streams: &Streams, output: &Output<W>, settings: &StreamSettings<'_>) {
    let mut player = None;
    while let Some(stream) = streams.next() {
        let player = player.get_or_insert_with(settings.player);
        let tell = |answer: String| {
            if output.write(&answer).and_then(|()| output.flush()).is_err() {
                streams.abort();
            }
        };
        let query = analysis::Stream {
            line: &stream.line,
            arrived: stream.arrived,
            variant: settings.variant,
            solution: settings.solution,
        };
        query.answer(&mut **player, &|| stream.stop.load(Ordering::Relaxed), tell);
        streams.end(&stream);
    }
}

/// A query that is answered at intervals.
#[derive(Clone)]
struct Stream {
    id: Value,
    line: Vec<u8>,
    arrived: Instant,
    /// Set to end it early.
    stop: Arc<AtomicBool>,
}

/// The streams that wait for a thread, and those that are searched.
#[derive(Default)]
struct Streams {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Stream>,
    /// All that have not ended, also those that wait.
    open: Vec<(Value, Arc<AtomicBool>)>,
    /// No more will come.
    is_closed: bool,
}

impl Streams {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a stream behind those that wait. An error is the answer to a query that is refused.
    fn begin(&self, id: Value, line: Vec<u8>) -> Result<(), String> {
        let mut state = self.state();
        let refused = if state.open.iter().any(|(open, _)| *open == id) {
            Some("a query with this `id` and `every_ms` is still answered".to_owned())
        } else if state.waiting.len() >= MOST_WAITING {
            Some(format!("{MOST_WAITING} queries with `every_ms` wait already; stop some"))
        } else {
            None
        };
        if let Some(reason) = refused {
            return Err(analysis::refuse(id, Problem::new(reason)));
        }
        let stop = Arc::<AtomicBool>::default();
        state.open.push((id.clone(), Arc::clone(&stop)));
        state.waiting.push_back(Stream { id, line, arrived: Instant::now(), stop });
        self.changed.notify_one();
        Ok(())
    }

    /// Ends a stream early; nothing if it has ended, or there is none with this id.
    fn stop(&self, id: &Value) {
        let state = self.state();
        state.open.iter().filter(|(open, _)| open == id).for_each(|(_, stop)| set(stop));
    }

    /// The next stream that waits; waits for one. `None` if no more will come.
    fn next(&self) -> Option<Stream> {
        let state = self.state();
        let is_idle = |state: &mut State| state.waiting.is_empty() && !state.is_closed;
        let mut state =
            self.changed.wait_while(state, is_idle).unwrap_or_else(PoisonError::into_inner);
        state.waiting.pop_front()
    }

    fn end(&self, ended: &Stream) {
        self.state().open.retain(|(id, _)| *id != ended.id);
    }

    /// Says that no more will come.
    fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }

    /// Ends all streams, and lets no other begin.
    fn abort(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.waiting.clear();
        state.open.iter().for_each(|(_, stop)| set(stop));
        self.changed.notify_all();
    }
}

fn set(stop: &AtomicBool) {
    stop.store(true, Ordering::Relaxed);
}

/// The output, in whole lines.
struct Output<W: Write>(Mutex<Writer<W>>);

struct Writer<W: Write> {
    output: BufWriter<W>,
    /// The first failure, which all who write later are told.
    failed: Option<io::ErrorKind>,
}

impl<W: Write> Output<W> {
    fn new(output: W) -> Self {
        let output = BufWriter::with_capacity(1 << 16, output);
        Self(Mutex::new(Writer { output, failed: None }))
    }

    fn write(&self, line: &str) -> io::Result<()> {
        self.with(|output| writeln!(output, "{line}"))
    }

    fn flush(&self) -> io::Result<()> {
        self.with(Write::flush)
    }

    fn with(&self, act: impl FnOnce(&mut BufWriter<W>) -> io::Result<()>) -> io::Result<()> {
        let mut writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kind) = writer.failed {
            return Err(kind.into());
        }
        let done = act(&mut writer.output);
        writer.failed = done.as_ref().err().map(io::Error::kind);
        done
    }
}
