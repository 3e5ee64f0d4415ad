//! The process of an external engine: writes and reads lines, and ends it.

use std::collections::VecDeque;
use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::connection::{Connection, NoLine};
use crate::base::lines::read_line;
use crate::base::process::{in_own_group, kill_group};

/// The most bytes of a line; the rest is dropped.
const MAX_LINE: usize = 1 << 16;
/// Lines read ahead; an engine that writes more blocks.
const READ_AHEAD: usize = 256;
/// Lines of standard error that are kept.
const LAST_LINES: usize = 8;
/// How long to wait for an engine to end after `quit`.
const QUIT_WAIT: Duration = Duration::from_millis(500);
/// How long to wait for the exit status of an engine that closed its output.
const STATUS_WAIT: Duration = Duration::from_millis(100);

/// All running processes, for [`stop_engines`].
static RUNNING: Mutex<Running> = Mutex::new(Running { children: Vec::new(), stopped: false });

struct Running {
    children: Vec<Arc<Mutex<Child>>>,
    /// Whether no more processes may be started.
    stopped: bool,
}

/// Locks a value that is valid even if a thread panicked while it held the lock.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills the processes of all external engines, and starts no more, for a program that is about to
/// exit.
pub fn stop_engines() {
    let mut running = locked(&RUNNING);
    running.stopped = true;
    running.children.drain(..).for_each(|child| kill_group(&mut locked(&child)));
}

/// A running engine.
pub(super) struct Process {
    child: Arc<Mutex<Child>>,
    /// `None` once it was closed.
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    errors: Arc<Mutex<VecDeque<String>>>,
}

impl Process {
    /// Starts a program with its arguments.
    pub(super) fn start(words: &[String]) -> io::Result<Self> {
        let mut running = locked(&RUNNING);
        if running.stopped {
            return Err(io::Error::other("the program is ending"));
        }
        let mut child = in_own_group(Command::new(&words[0]).args(&words[1..]))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take();
        let (sender, lines) = sync_channel(READ_AHEAD);
        if let Some(stdout) = child.stdout.take() {
            let read = move || each_line(stdout, |line| sender.send(line).is_ok());
            thread::Builder::new().spawn(read)?;
        }
        let errors = Arc::new(Mutex::new(VecDeque::new()));
        if let Some(stderr) = child.stderr.take() {
            let errors = Arc::clone(&errors);
            thread::Builder::new().spawn(move || each_line(stderr, |line| keep(&errors, line)))?;
        }
        let child = Arc::new(Mutex::new(child));
        running.children.push(Arc::clone(&child));
        Ok(Self { child, stdin, lines, errors })
    }

    fn wait(&self, time: Duration) {
        let until = Instant::now() + time;
        while Instant::now() < until && matches!(locked(&self.child).try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Connection for Process {
    fn write(&mut self, line: &str) -> io::Result<()> {
        let closed = || io::Error::from(io::ErrorKind::BrokenPipe);
        let stdin = self.stdin.as_mut().ok_or_else(closed)?;
        stdin.write_all(format!("{line}\n").as_bytes())?;
        stdin.flush()
    }

    fn read(&self, deadline: Instant) -> Result<String, NoLine> {
        let left = deadline.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => NoLine::Timeout,
            RecvTimeoutError::Disconnected => NoLine::Closed,
        })
    }

    fn read_at_once(&self) -> Option<Result<String, NoLine>> {
        match self.lines.try_recv() {
            Ok(line) => Some(Ok(line)),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(NoLine::Closed)),
        }
    }

    fn status(&self) -> Option<String> {
        let until = Instant::now() + STATUS_WAIT;
        loop {
            if let Ok(Some(status)) = locked(&self.child).try_wait() {
                return Some(status.to_string());
            }
            if Instant::now() >= until {
                return None;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    fn errors(&self) -> Vec<String> {
        // A thread may still be reading the rest.
        thread::sleep(Duration::from_millis(20));
        locked(&self.errors).iter().cloned().collect()
    }

    fn end(&mut self, at_once: bool) {
        if !at_once && self.write("quit").is_ok() {
            self.stdin = None;
            self.wait(QUIT_WAIT);
        }
        kill_group(&mut locked(&self.child));
        self.wait(QUIT_WAIT);
        locked(&RUNNING).children.retain(|child| !Arc::ptr_eq(child, &self.child));
    }
}

/// Calls `wanted` with the lines of a stream until the stream ends or `wanted` returns false.
pub(super) fn each_line(stream: impl Read, mut wanted: impl FnMut(String) -> bool) {
    let (mut stream, mut line) = (BufReader::new(stream), Vec::new());
    while let Ok(Some(_)) = read_line(&mut stream, &mut line, MAX_LINE) {
        let text = String::from_utf8_lossy(&line);
        if !wanted(text.trim_end().to_owned()) {
            return;
        }
    }
}

fn keep(lines: &Mutex<VecDeque<String>>, line: String) -> bool {
    let mut lines = locked(lines);
    if !line.is_empty() {
        lines.push_back(line.chars().take(200).collect());
    }
    if lines.len() > LAST_LINES {
        lines.pop_front();
    }
    true
}
