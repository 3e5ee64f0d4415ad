//! Work shared out among threads, with results that do not depend on how many there are.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What `work` makes of each item, in the order of the items. Each worker has a thread to itself
/// and takes the next item as soon as it is done with one; a single worker stays on the calling
/// thread. Without workers nothing is done.
pub fn ordered_map<W: Send, T: Sync, R: Send>(
    workers: &mut [W],
    items: &[T],
    work: impl Fn(&mut W, &T) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let labour = |worker: &mut W| -> Vec<(usize, R)> {
        let take = || {
            let index = next.fetch_add(1, Ordering::Relaxed);
            Some((index, items.get(index)?))
        };
        std::iter::from_fn(take).map(|(index, item)| (index, work(worker, item))).collect()
    };
    let mut done = match workers {
        [one] => labour(one),
        many => std::thread::scope(|scope| {
            let labour = &labour;
            let spawn = |worker| scope.spawn(move || single_threaded(|| labour(worker)));
            let threads: Vec<_> = many.iter_mut().map(spawn).collect();
            let joined = threads.into_iter().map(|thread| thread.join().expect("no panic"));
            joined.flatten().collect()
        }),
    };
    done.sort_unstable_by_key(|&(index, _)| index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Runs `work` where rayon has no other thread to give tasks to.
pub(crate) fn single_threaded<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("one more thread can be started");
    pool.install(work)
}
