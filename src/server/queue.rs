//! The queue of searches, which shares the time of the search threads among them.
//!
//! The search with the earliest deadline runs first. As long as no other search waits, it may run
//! until its deadline. If others wait, it ends as soon as its continuation would leave them less
//! time than it has had. So each of `n` simultaneous searches gets an `n`th of the time of all
//! threads, and a single search gets all of its own thread's time.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::sync::oneshot;

/// One part in `RESERVE` of the time for an answer is reserved for transfer and for the last step
/// of a search.
const RESERVE: u32 = 10;
/// The most time that is reserved.
const MAX_RESERVE: Duration = Duration::from_millis(100);

/// Why a search has no result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Failed {
    /// The queue is full.
    Busy,
    /// The search did not end in time.
    Late,
    /// The search panicked.
    Crashed,
}

/// The order of searches: the deadline, then a number in the order of arrival.
type QueuePlace = (Instant, u64);

/// The time of a search, which may change while it runs.
pub(super) struct Allotment {
    /// Start of the measurement of `end`.
    origin: Instant,
    /// End of the search, in nanoseconds after `origin`.
    end: AtomicU64,
    abandoned: AtomicBool,
    /// The share of time of each search when the queue is full.
    least: Duration,
}

impl Allotment {
    fn new(end: Instant, least: Duration) -> Self {
        let allotment = Self {
            origin: Instant::now(),
            end: AtomicU64::new(0),
            abandoned: AtomicBool::new(false),
            least,
        };
        allotment.set(end);
        allotment
    }

    fn set(&self, end: Instant) {
        let nanoseconds = end.saturating_duration_since(self.origin).as_nanos();
        self.end.store(u64::try_from(nanoseconds).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    fn left(&self) -> Duration {
        let end = Duration::from_nanos(self.end.load(Ordering::Relaxed));
        end.saturating_sub(self.origin.elapsed())
    }

    /// Returns whether the search may continue.
    pub(super) fn keep_going(&self) -> bool {
        !self.abandoned.load(Ordering::Relaxed) && !self.left().is_zero()
    }

    /// Returns the time of a search that cannot be interrupted: at most the share that it would get
    /// if the queue filled up now.
    pub(super) fn uninterruptible(&self) -> Duration {
        self.left().min(self.least)
    }
}

type Work = Box<dyn FnOnce(&Allotment) + Send>;

struct Search {
    allotment: Arc<Allotment>,
    work: Work,
}

struct Running {
    place: QueuePlace,
    begun: Instant,
    allotment: Arc<Allotment>,
}

#[derive(Default)]
struct QueueState {
    waiting: BTreeMap<QueuePlace, Search>,
    running: Vec<Running>,
    /// Number of searches, waiting or running, whose clients are still connected.
    taken: usize,
    /// The number of the next search.
    next: u64,
    closed: bool,
}

impl QueueState {
    /// Recomputes the time of all running searches.
    ///
    /// For each waiting search, the time until its deadline is shared equally among the running
    /// searches, those waiting ahead of it and itself. No running search gets less than half of its
    /// share of a full queue, so that searches with short deadlines cannot take the time of others.
    fn allot_time(&self, threads: usize) {
        for running in &self.running {
            let mut end = running.place.0;
            for (ahead, (due, _)) in self.waiting.keys().enumerate() {
                let all = ahead + 1 + self.running.len();
                let time = due.saturating_duration_since(running.begun);
                end = end.min(running.begun + time.mul_f64(threads as f64 / all as f64));
            }
            let least = (running.begun + running.allotment.least / 2).min(running.place.0);
            running.allotment.set(end.max(least));
        }
    }

    fn finish(&mut self, place: QueuePlace, threads: usize) {
        self.running.retain(|running| running.place != place);
        self.allot_time(threads);
    }
}

struct Shared {
    state: Mutex<QueueState>,
    arrived: Condvar,
    threads: usize,
    places: usize,
    time: Duration,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().expect("nothing panics while the state is locked")
    }

    /// Runs searches one after the other until the queue is closed.
    fn work(&self) {
        let mut state = self.state();
        while !state.closed {
            let Some((place, Search { allotment, work })) = state.waiting.pop_first() else {
                state = self.arrived.wait(state).expect("nothing panics while it is locked");
                continue;
            };
            let (begun, running) = (Instant::now(), Arc::clone(&allotment));
            state.running.push(Running { place, begun, allotment: running });
            state.allot_time(self.threads);
            drop(state);
            // A panic drops the sender, so the receiver of the answer gets an error.
            let _ = catch_unwind(AssertUnwindSafe(|| work(&allotment)));
            state = self.state();
            state.finish(place, self.threads);
        }
    }
}

/// A place in the queue. Dropping it frees the place and stops the search.
struct Ticket<'a> {
    shared: &'a Shared,
    place: QueuePlace,
    allotment: Arc<Allotment>,
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        self.allotment.abandoned.store(true, Ordering::Relaxed);
        let mut state = self.shared.state();
        state.taken -= 1;
        if state.waiting.remove(&self.place).is_some() {
            state.allot_time(self.shared.threads);
        }
    }
}

/// A queue of searches with its threads.
pub(super) struct Queue {
    shared: Arc<Shared>,
}

impl Queue {
    /// Creates a queue for at most `places` searches and starts `threads` threads; every answer is
    /// due after `time`.
    ///
    /// # Errors
    ///
    /// If a thread cannot be started.
    pub(super) fn new(threads: usize, places: usize, time: Duration) -> Result<Self> {
        let (state, arrived) = (Mutex::default(), Condvar::new());
        let queue = Self { shared: Arc::new(Shared { state, arrived, threads, places, time }) };
        for number in 0..threads {
            let shared = Arc::clone(&queue.shared);
            std::thread::Builder::new()
                .name(format!("search {number}"))
                .spawn(move || shared.work())
                .context("cannot start a thread to search on")?;
        }
        Ok(queue)
    }

    /// Returns the time within which answers are due.
    pub(super) fn time(&self) -> Duration {
        self.shared.time
    }

    /// Runs a search on one of the threads and returns its result. It gets at most the time `most`,
    /// and is abandoned when its answer is due.
    ///
    /// # Errors
    ///
    /// If the queue is full, the search does not end in time, or it panics.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        most: Duration,
        work: impl FnOnce(&Allotment) -> T + Send + 'static,
    ) -> Result<T, Failed> {
        let last = Instant::now() + self.shared.time;
        let (sender, receiver) = oneshot::channel();
        // Sending fails if the client has disconnected, which does not matter.
        let work = Box::new(move |allotment: &Allotment| drop(sender.send(work(allotment))));
        let _ticket = self.enter(most, work)?;
        match tokio::time::timeout_at(last.into(), receiver).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_)) => Err(Failed::Crashed),
            Err(_) => Err(Failed::Late),
        }
    }

    fn enter(&self, most: Duration, work: Work) -> Result<Ticket<'_>, Failed> {
        let Shared { threads, places, time, .. } = *self.shared;
        let mut state = self.shared.state();
        if state.taken >= places {
            return Err(Failed::Busy);
        }
        let usable = time.min(most);
        let due = Instant::now() + usable - (usable / RESERVE).min(MAX_RESERVE);
        let place = (due, state.next);
        let least = time.mul_f64(threads as f64 / places.max(threads) as f64);
        let allotment = Arc::new(Allotment::new(due, least));
        state.taken += 1;
        state.next += 1;
        state.waiting.insert(place, Search { allotment: Arc::clone(&allotment), work });
        state.allot_time(threads);
        self.shared.arrived.notify_one();
        Ok(Ticket { shared: &self.shared, place, allotment })
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.closed = true;
        state.running.iter().for_each(|running| running.allotment.set(running.begun));
        self.shared.arrived.notify_all();
    }
}
