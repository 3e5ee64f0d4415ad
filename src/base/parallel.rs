//! Work on several threads, with results that do not depend on their number.
//!
//! The code that starts and joins threads is behind `dyn` and compiled once. As generic code it
//! would be compiled for every kind of work.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Runs `work(0)` to `work(threads - 1)`, each on a thread of its own, and `meanwhile` on the
/// calling thread. Returns when all are done.
///
/// # Panics
///
/// If one of them panics.
pub(crate) fn on_threads(
    threads: usize,
    work: &(dyn Fn(usize) + Sync),
    meanwhile: &mut dyn FnMut(),
) {
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|index| scope.spawn(move || work(index))).collect();
        meanwhile();
        for worker in workers {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        }
    });
}

/// Runs `work` in a rayon pool of one thread.
fn single_threaded(work: &mut (dyn FnMut() + Send)) {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("one more thread can be started");
    pool.install(work);
}

/// Returns the result of `work` for each worker, in the order of the workers. Each worker runs on
/// its own thread, in a rayon pool of one thread. `meanwhile` runs on the calling thread. If it
/// panics, the values it owns are dropped before the workers are joined, so that a worker that
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
    let mut meanwhile = Some(meanwhile);
    on_threads(cells.len(), &run, &mut || _ = meanwhile.take().map(|meanwhile| meanwhile()));
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
