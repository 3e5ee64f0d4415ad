//! A queue between threads: of turns to search, by the time that is left for them, and of turns to
//! send, each at its time.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A queue of items with a time each.
pub(super) struct Queue<T> {
    state: Mutex<QueueState<T>>,
    changed: Condvar,
}

struct QueueState<T> {
    /// By time, then in the order of arrival.
    items: BTreeMap<(Instant, u64), T>,
    added: u64,
    /// Items that were taken and are not done.
    taken: usize,
    end: Option<End>,
}

/// What is to be done at the end.
#[derive(Clone, Copy)]
enum End {
    /// Nothing more is taken.
    Now,
    /// All items are taken once more, before this time.
    By(Instant),
}

impl<T> Default for Queue<T> {
    fn default() -> Self {
        let state = QueueState { items: BTreeMap::new(), added: 0, taken: 0, end: None };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }
}

impl<T> Queue<T> {
    /// Adds an item, unless the queue is about to end.
    pub(super) fn add(&self, time: Instant, item: T) {
        let mut state = self.state();
        if state.end.is_none() {
            state.added += 1;
            let place = (time, state.added);
            state.items.insert(place, item);
            self.changed.notify_one();
        }
    }

    /// Waits for an item, and takes the one with the earliest time even if that is to come; `None`
    /// once the queue has ended.
    pub(super) fn first(&self) -> Option<T> {
        self.take(|_| Duration::ZERO)
    }

    /// Waits for the time of an item and takes it; `None` once the queue has ended.
    pub(super) fn due(&self) -> Option<T> {
        self.take(|time| time.saturating_duration_since(Instant::now()))
    }

    /// Takes the first item when `wait` of its time is over.
    fn take(&self, wait: impl Fn(Instant) -> Duration) -> Option<T> {
        let mut state = self.state();
        loop {
            let first = state.items.first_key_value().map(|(&(time, _), _)| time);
            let wait = match state.end {
                Some(End::Now) => return None,
                Some(End::By(last)) if first.is_none() || Instant::now() >= last => return None,
                Some(End::By(_)) => Some(Duration::ZERO),
                None => first.map(&wait),
            };
            state = match wait {
                Some(Duration::ZERO) => {
                    state.taken += 1;
                    return state.items.pop_first().map(|(_, item)| item);
                }
                Some(wait) => {
                    let waited = self.changed.wait_timeout(state, wait);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// An item that was taken is done.
    pub(super) fn done(&self) {
        self.state().taken -= 1;
    }

    /// The time of the items for which `is_meant` has come.
    pub(super) fn hasten(&self, is_meant: impl Fn(&T) -> bool) {
        let (mut state, now) = (self.state(), Instant::now());
        let meant = state.items.iter().filter(|&(&(time, _), item)| time > now && is_meant(item));
        let places: Vec<_> = meant.map(|(&place, _)| place).collect();
        for place in places {
            if let Some(item) = state.items.remove(&place) {
                state.items.insert((now, place.1), item);
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    /// The number of items that wait.
    pub(super) fn len(&self) -> usize {
        self.state().items.len()
    }

    /// The number of items that were taken and are not done.
    pub(super) fn taken(&self) -> usize {
        self.state().taken
    }

    /// Ends the queue at once. What waits is left.
    pub(super) fn close(&self) {
        self.end(End::Now);
    }

    /// Ends the queue when all items were taken, or when the time is over. They need not wait for
    /// their times.
    pub(super) fn finish(&self, time: Duration) {
        self.end(End::By(Instant::now() + time));
    }

    fn end(&self, end: End) {
        self.state().end = Some(end);
        self.changed.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, QueueState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn the_least_time_comes_first() {
        let (queue, now) = (Queue::default(), Instant::now());
        for (item, hours) in [("c", 3), ("a", 1), ("b", 1)] {
            queue.add(now + hours * HOUR, item);
        }
        assert_eq!([(); 3].map(|()| queue.first()), ["a", "b", "c"].map(Some));
        assert_eq!((queue.len(), queue.taken()), (0, 3));
        queue.done();
        assert_eq!(queue.taken(), 2);
    }

    #[test]
    fn an_item_is_due_at_its_time() {
        let (queue, now) = (Queue::default(), Instant::now());
        queue.add(now + HOUR, "late");
        queue.add(now + Duration::from_millis(20), "soon");
        assert_eq!(queue.due(), Some("soon"));
        assert!(now.elapsed() >= Duration::from_millis(20));
        queue.hasten(|item| *item == "late");
        assert_eq!(queue.due(), Some("late"));
    }

    #[test]
    fn a_queue_ends_with_or_without_what_waits() {
        let (closed, now) = (Queue::default(), Instant::now());
        closed.add(now, 1);
        closed.close();
        closed.add(now, 2);
        assert_eq!((closed.first(), closed.due(), closed.len()), (None, None, 1));
        let finished = Queue::default();
        finished.add(now + HOUR, 1);
        finished.finish(HOUR);
        finished.add(now, 2);
        assert_eq!((finished.due(), finished.due()), (Some(1), None));
        let late = Queue::default();
        late.add(now, 1);
        late.finish(Duration::ZERO);
        assert_eq!(late.due(), None);
    }

    #[test]
    fn threads_that_wait_are_told_of_the_end() {
        let queue = Queue::<()>::default();
        std::thread::scope(|scope| {
            let waiting = [scope.spawn(|| queue.first()), scope.spawn(|| queue.due())];
            queue.close();
            assert!(waiting.into_iter().all(|thread| thread.join().unwrap().is_none()));
        });
    }
}
