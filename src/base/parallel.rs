//! Work on several threads, with results that do not depend on their number.
//!
//! The code that starts and joins threads is behind `dyn` and compiled once. As generic code it
//! would be compiled for every kind of work.

use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, Scope, ScopedJoinHandle};
use std::{env, io};

use thiserror::Error;

/// That the system gives no thread for work that needs one. It is the payload of a panic without a
/// message, with which a command ends.
#[derive(Debug, Error)]
#[error(
    "cannot start a thread; allow more processes or more memory, as by `ulimit -u` and `ulimit -v`"
)]
pub(crate) struct NoThread(#[source] io::Error);

/// Starts a thread.
///
/// # Panics
///
/// With [`NoThread`] if the system gives none.
pub(crate) fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> ScopedJoinHandle<'scope, T> {
    thread::Builder::new().spawn_scoped(scope, work).unwrap_or_else(|error| no_thread(error))
}

/// Ends the command with [`NoThread`].
pub(crate) fn no_thread(error: io::Error) -> ! {
    resume_unwind(Box::new(NoThread(error)))
}

/// Starts the threads that rayon shares among all work: this number, that of `RAYON_NUM_THREADS`, or
/// one for each core. Fewer if the system does not give as many; then rayon would panic later. Does
/// nothing if they are there.
pub(crate) fn start_pool(threads: Option<usize>) {
    let given = || env::var("RAYON_NUM_THREADS").ok()?.parse().ok().filter(|&threads| threads > 0);
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    let mut waiting = waiting_threads(threads.or_else(given).unwrap_or_else(cores));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(waiting.len().max(1));
    let _ = match waiting.is_empty() {
        true => pool.use_current_thread().build_global(),
        false => pool.spawn_handler(|work| give(&mut waiting, work)).build_global(),
    };
}

/// Starts threads that wait for what they are to do, as many of them as the system gives.
fn waiting_threads(threads: usize) -> Vec<Sender<rayon::ThreadBuilder>> {
    let start = |_| {
        let (give, given) = mpsc::channel::<rayon::ThreadBuilder>();
        let work = move || given.recv().map_or((), rayon::ThreadBuilder::run);
        thread::Builder::new().spawn(work).ok().map(|_| give)
    };
    (0..threads).map_while(start).collect()
}

fn give(
    waiting: &mut Vec<Sender<rayon::ThreadBuilder>>,
    work: rayon::ThreadBuilder,
) -> io::Result<()> {
    let thread = waiting.pop().ok_or_else(|| io::Error::other("no thread waits"))?;
    thread.send(work).map_err(|_| io::Error::other("the thread has ended"))
}

/// Runs `work(0)` to `work(threads - 1)`, each on a thread of its own, and `meanwhile` on the
/// calling thread. Returns when all are done. If the system gives fewer threads, `lost` is called
/// with the numbers of the others before `meanwhile`.
///
/// # Panics
///
/// If one of them panics, and with [`NoThread`] if the system gives no thread at all.
pub(crate) fn on_threads(
    threads: usize,
    work: &(dyn Fn(usize) + Sync),
    lost: &dyn Fn(usize, io::Error),
    meanwhile: &mut dyn FnMut(),
) {
    thread::scope(|scope| {
        let mut workers = Vec::new();
        for index in 0..threads {
            match thread::Builder::new().spawn_scoped(scope, move || work(index)) {
                Ok(worker) => workers.push(worker),
                Err(error) if workers.is_empty() => no_thread(error),
                Err(error) => lost(index, error),
            }
        }
        meanwhile();
        for worker in workers {
            worker.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
    });
}

/// Runs `work` in a rayon pool of one thread, or in the shared one if there are no more threads.
fn single_threaded(work: &mut (dyn FnMut() + Send)) {
    match rayon::ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}

/// Returns the result of `work` for each worker, in the order of the workers. Each worker runs on
/// its own thread, in a rayon pool of one thread; workers for whom the system has no thread are
/// dropped and have no result. `meanwhile` runs on the calling thread. If it panics, the values it owns are dropped before the workers are joined, so that a worker that
/// waits for an answer from it ends.
pub(crate) fn map_workers<W: Send, R: Send>(
    workers: Vec<W>,
    work: impl Fn(W) -> R + Sync,
    meanwhile: impl FnOnce(),
) -> Vec<R> {
    // A worker, then its result. Each cell is locked by one thread only.
    let cells: Vec<Mutex<(Option<W>, Option<R>)>> =
        workers.into_iter().map(|worker| Mutex::new((Some(worker), None))).collect();
    let run = |index: usize| {
        let (worker, result) = &mut *cells[index].lock().expect("each thread has its own cell");
        single_threaded(&mut || *result = worker.take().map(&work));
    };
    // A worker that others wait for must be gone.
    let lost = |index: usize, _| {
        drop(cells[index].lock().expect("no thread has this cell").0.take());
    };
    let mut meanwhile = Some(meanwhile);
    on_threads(cells.len(), &run, &lost, &mut || _ = meanwhile.take().map(|meanwhile| meanwhile()));
    cells.into_iter().filter_map(|cell| cell.into_inner().ok()?.1).collect()
}

/// Ordered parallel map: returns the result of `work` for each item, in the order of the items.
///
/// Each worker runs on its own thread and takes the next item when it has finished one. A single
/// worker runs on the calling thread. Without workers the result is empty.
pub(crate) fn ordered_map<W: Send, T: Sync, R: Send>(
    workers: &mut [W],
    items: &[T],
    work: impl Fn(&mut W, &T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let run = |worker: &mut W| {
        let mut done = Vec::new();
        while let Some(index) = take(&next, items.len()) {
            done.push((index, work(worker, &items[index])));
        }
        done
    };
    let done = match workers {
        [one] => vec![run(one)],
        many => map_workers(many.iter_mut().collect(), run, || {}),
    };
    in_order(items.len(), done).into_iter().flatten().collect()
}

/// Puts the numbered results of all workers in order; `count` is the number of results.
/// A result that no worker has is `None`.
pub(crate) fn in_order<R>(count: usize, done: Vec<Vec<(usize, R)>>) -> Vec<Option<R>> {
    let mut ordered: Vec<Option<R>> = (0..count).map(|_| None).collect();
    for (index, result) in done.into_iter().flatten() {
        ordered[index] = Some(result);
    }
    ordered
}

/// Takes the next index, if it is below `length`.
fn take(next: &AtomicUsize, length: usize) -> Option<usize> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    (index < length).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_items_whatever_the_threads() {
        let items: Vec<u32> = (0..100).collect();
        let squares: Vec<u32> = items.iter().map(|item| item * item).collect();
        for threads in [1, 2, 7] {
            let mut counts = vec![0; threads];
            let results = ordered_map(&mut counts, &items, |count, item| {
                *count += 1;
                item * item
            });
            assert_eq!(results, squares);
            assert_eq!(counts.iter().sum::<i32>(), 100);
        }
        assert!(ordered_map(&mut [] as &mut [u8], &items, |_, item| *item).is_empty());
    }

    #[test]
    fn as_many_threads_wait_as_there_are() {
        assert_eq!(waiting_threads(0).len(), 0);
        assert_eq!(waiting_threads(5).len(), 5);
    }

    #[test]
    fn each_worker_has_one_thread_of_rayon_to_itself() {
        let mut ran = false;
        let threads = map_workers(
            vec![3, 4],
            |worker| (worker, rayon::current_num_threads()),
            || {
                ran = true;
            },
        );
        assert_eq!(threads, [(3, 1), (4, 1)]);
        assert!(ran);
    }

    #[test]
    #[should_panic(expected = "of a worker")]
    fn a_panic_of_a_worker_is_passed_on() {
        map_workers(vec![1, 2], |worker| assert!(worker < 2, "the panic of a worker"), || {});
    }
}
