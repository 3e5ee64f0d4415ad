//! Searches wait here for threads, and share out the time in which all answers have to come.
//!
//! Whose answer is due first goes first. A search may use the time until its answer is due, as long
//! as nobody waits; with others waiting it ends as soon as going on would leave them less than it
//! has had. Of `n` searches asked for at the same moment each thus gets an `n`th of the time of all
//! threads, and a search alone gets all the time there is.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::sync::oneshot;

/// The part of the time for an answer, one in so many, that is kept back for the way there and
/// back, and for the last step of a search.
const RESERVE: u32 = 10;
/// The most that is kept back.
const MOST_RESERVE: Duration = Duration::from_millis(100);

/// Why a search came to nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Failed {
    /// As many are waiting or running as may.
    Busy,
    /// It did not end in time.
    Late,
    /// It panicked.
    Crashed,
}

/// When the answer is due, and which of several due at the same moment was asked for first.
type Place = (Instant, u64);

/// How long a search may go on; that may change while it does.
pub struct Allotment {
    /// What `end` counts from.
    origin: Instant,
    /// Nanoseconds.
    end: AtomicU64,
    abandoned: AtomicBool,
    /// The share of one among as many searches as there may be.
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

    /// Whether the search is to go on.
    pub fn goes_on(&self) -> bool {
        !self.abandoned.load(Ordering::Relaxed) && !self.left().is_zero()
    }

    /// The time of a search that cannot be told to end once it has begun: no more than it would get
    /// if as many others came at once as may.
    pub fn of_those_not_to_be_hurried(&self) -> Duration {
        self.left().min(self.least)
    }
}

type Work = Box<dyn FnOnce(&Allotment) + Send>;

struct Search {
    allotment: Arc<Allotment>,
    work: Work,
}

struct Running {
    place: Place,
    begun: Instant,
    allotment: Arc<Allotment>,
}

#[derive(Default)]
struct State {
    waiting: BTreeMap<Place, Search>,
    running: Vec<Running>,
    /// Searches waiting or running whose answers somebody waits for.
    taken: usize,
    /// The number of the next search.
    next: u64,
    closed: bool,
}

impl State {
    /// Allots anew the time of all running searches.
    ///
    /// Where others run or wait in front of a search that is due after a time, each of them has a
    /// fair share of that time if it uses no more than the time of all threads divided by all of
    /// them. None is cut below half of what it would get among as many as there may be: those who
    /// are in a hurry do not take the time of others.
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

    fn finish(&mut self, place: Place, threads: usize) {
        self.running.retain(|running| running.place != place);
        self.allot_time(threads);
    }
}

struct Shared {
    state: Mutex<State>,
    arrived: Condvar,
    threads: usize,
    places: usize,
    time: Duration,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nothing panics while the state is locked")
    }

    /// Searches one after the other until the queue is closed.
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
            // Whoever waits for the answer sees that there will be none.
            let _ = catch_unwind(AssertUnwindSafe(|| work(&allotment)));
            state = self.state();
            state.finish(place, self.threads);
        }
    }
}

/// A place in the queue, which is free again once this is dropped, whatever became of the search.
struct Ticket<'a> {
    shared: &'a Shared,
    place: Place,
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

/// A queue and the threads that it feeds.
pub struct Queue {
    shared: Arc<Shared>,
}

impl Queue {
    /// A queue for so many threads and searches, whose answers are due after this time.
    pub fn new(threads: usize, places: usize, time: Duration) -> Result<Self> {
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

    /// The time within which answers are due.
    pub fn time(&self) -> Duration {
        self.shared.time
    }

    /// What a search comes to, on one of the threads. It goes on for `most` at the longest, and is
    /// given up when its answer is due.
    ///
    /// # Errors
    ///
    /// If there are too many already, or it does not end in time or at all.
    pub async fn run<T: Send + 'static>(
        &self,
        most: Duration,
        work: impl FnOnce(&Allotment) -> T + Send + 'static,
    ) -> Result<T, Failed> {
        let last = Instant::now() + self.shared.time;
        let (sender, receiver) = oneshot::channel();
        // There is nobody to take the answer if the client has gone.
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
        let due = Instant::now() + usable - (usable / RESERVE).min(MOST_RESERVE);
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
