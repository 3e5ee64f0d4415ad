//! Self-play with one evaluator for many workers. Batches wait in a queue, so that the evaluator
//! does not wait for workers to prepare one.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use super::Counters;
use super::worker::SelfplayWorker;
use crate::base::parallel::map_workers;
use crate::search::{Batch, Evaluator};

/// A request to evaluate a group's batch, which stays where it is.
struct Job {
    group: usize,
    /// Notifies the worker that the batch is evaluated.
    done: Sender<()>,
}

/// The batches of all groups that the evaluator has; a worker takes its batch out again.
type Batches = [Mutex<Batch>];

fn batch_of(batches: &Batches, group: usize) -> MutexGuard<'_, Batch> {
    batches[group].lock().expect("no worker waits for a batch whose evaluation panicked")
}

/// Groups of games of each worker: while one waits for its evaluations, the other is prepared.
pub(super) const GROUPS: usize = 2;

/// Makes the games of a group.
type NewGroup<'a, 'b> = dyn Fn() -> SelfplayWorker<'a> + Sync + 'b;

/// Plays games on `workers` threads, with the evaluator on the calling thread.
pub(super) fn play(
    group: &NewGroup<'_, '_>,
    evaluator: &mut dyn Evaluator,
    workers: usize,
    counters: &Counters,
) {
    let batches: Vec<_> = (0..workers * GROUPS).map(|_| Mutex::new(Batch::default())).collect();
    let (to_evaluator, jobs) = channel();
    let senders = (0..workers).map(|worker| (worker * GROUPS, to_evaluator.clone())).collect();
    drop(to_evaluator);
    let work = |(first, to_evaluator)| work(group, &batches, first, to_evaluator);
    map_workers(senders, work, || serve(jobs, &batches, evaluator, counters));
}

/// Evaluates batches until all workers are done. It owns the receiver: if the evaluator panics, the
/// channel closes and the workers stop.
fn serve(
    jobs: Receiver<Job>,
    batches: &Batches,
    evaluator: &mut dyn Evaluator,
    counters: &Counters,
) {
    let begun = Instant::now();
    let mut counted = begun.elapsed();
    for Job { group, done } in jobs {
        let started = Instant::now();
        batch_of(batches, group).run(evaluator);
        Counters::add_time(&counters.evaluating, started.elapsed());
        let now = begun.elapsed();
        Counters::add_time(&counters.working, now - std::mem::replace(&mut counted, now));
        // The worker may have stopped, in which case it no longer waits for its batch.
        let _ = done.send(());
    }
}

/// Runs a worker thread, whose groups begin with number `first`.
fn work(group: &NewGroup<'_, '_>, batches: &Batches, first: usize, to_evaluator: Sender<Job>) {
    let group = |index| Group { worker: group(), number: first + index, pending: None };
    let mut groups: Vec<Group<'_>> = (0..GROUPS).map(group).collect();
    let mut turn_over = || {
        groups.iter_mut().map(|it| it.turn_over(batches, &to_evaluator)).fold(false, |a, b| a | b)
    };
    while turn_over() {}
}

/// Games whose leaves are evaluated together.
struct Group<'a> {
    worker: SelfplayWorker<'a>,
    number: usize,
    /// Notified when the evaluator is done; set while the evaluator has the batch.
    pending: Option<Receiver<()>>,
}

impl Group<'_> {
    /// Waits for the pending batch, if any, applies it, and sends the next one. Returns false if
    /// there is none.
    fn turn_over(&mut self, batches: &Batches, to_evaluator: &Sender<Job>) -> bool {
        if let Some(pending) = self.pending.take() {
            if pending.recv().is_err() {
                return false;
            }
            self.worker.batch = std::mem::take(&mut *batch_of(batches, self.number));
            self.worker.hand_out();
        }
        if self.worker.make_ready() {
            *batch_of(batches, self.number) = std::mem::take(&mut self.worker.batch);
            // The job owns the only sender: if the job is dropped, the worker stops waiting.
            let (done, pending) = channel();
            let is_sent = to_evaluator.send(Job { group: self.number, done }).is_ok();
            self.pending = is_sent.then_some(pending);
        }
        self.pending.is_some()
    }
}
