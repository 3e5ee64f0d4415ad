//! Many workers, one evaluator: batches queue for it, so that it never waits for one to be made
//! ready.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use super::worker::Worker;
use super::{Counters, WorkerContext};
use crate::base::parallel::map_workers;
use crate::games::Game;
use crate::search::Batch;
use crate::search::Evaluator;
use crate::selfplay::record::GameRecord;

/// Asks for the evaluation of a group's batch. The channel carries no batches, so that it is
/// compiled once and not for every game.
struct Job {
    group: usize,
    /// Tells the worker that the batch is evaluated.
    done: Sender<()>,
}

/// The batches of all groups, each either with its worker or with the evaluator.
type Batches<G> = [Mutex<Batch<G>>];

fn batch_of<G>(batches: &Batches<G>, group: usize) -> MutexGuard<'_, Batch<G>> {
    batches[group].lock().expect("no worker waits for a batch whose evaluation panicked")
}

/// Groups of games of each worker: while one waits, the other is made ready.
pub(super) const GROUPS: usize = 2;

/// Plays games by `workers` threads; the evaluator stays on this thread. The games of each worker.
pub(super) fn play<G: Game>(
    context: &WorkerContext<'_, G>,
    evaluator: &mut dyn Evaluator<G>,
    workers: usize,
) -> Vec<Vec<GameRecord>> {
    let batches: Vec<_> = (0..workers * GROUPS).map(|_| Mutex::new(Batch::default())).collect();
    let (to_evaluator, jobs) = channel();
    let senders = (0..workers).map(|worker| (worker * GROUPS, to_evaluator.clone())).collect();
    drop(to_evaluator);
    let work = |(first, to_evaluator)| work(context, &batches, first, to_evaluator);
    map_workers(senders, work, || serve(jobs, &batches, evaluator, context.counters))
}

/// Evaluates batches until all workers are done. Owns its end of the channel: if the evaluator
/// panics, the workers notice and stop.
fn serve<G: Game>(
    jobs: Receiver<Job>,
    batches: &Batches<G>,
    evaluator: &mut dyn Evaluator<G>,
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
        // A worker that was told to stop does not wait for its batch.
        let _ = done.send(());
    }
}

/// A worker's thread, with the groups from `first` on; returns the games it finished.
fn work<G: Game>(
    context: &WorkerContext<'_, G>,
    batches: &Batches<G>,
    first: usize,
    to_evaluator: Sender<Job>,
) -> Vec<GameRecord> {
    let group = |index| Group::new(context, first + index);
    let mut groups: Vec<Group<'_, G>> = (0..GROUPS).map(group).collect();
    let mut turn_over = || {
        groups.iter_mut().map(|it| it.turn_over(batches, &to_evaluator)).fold(false, |a, b| a | b)
    };
    while turn_over() {}
    groups.into_iter().flat_map(|group| group.worker.finished).collect()
}

/// Games whose leaves are evaluated together.
struct Group<'a, G: Game> {
    worker: Worker<'a, G>,
    number: usize,
    /// Where the evaluator tells that it is done with the batch, while it has it.
    pending: Option<Receiver<()>>,
}

impl<'a, G: Game> Group<'a, G> {
    fn new(context: &'a WorkerContext<'a, G>, number: usize) -> Self {
        Self { worker: Worker::new(context), number, pending: None }
    }

    /// Takes the batch back if the evaluator has it, and sends the next; false if there is none.
    fn turn_over(&mut self, batches: &Batches<G>, to_evaluator: &Sender<Job>) -> bool {
        if let Some(pending) = self.pending.take() {
            if pending.recv().is_err() {
                return false;
            }
            self.worker.batch = std::mem::take(&mut *batch_of(batches, self.number));
            self.worker.hand_out();
        }
        if self.worker.make_ready() {
            *batch_of(batches, self.number) = std::mem::take(&mut self.worker.batch);
            // The job alone can answer: if it is lost, the worker does not wait for it.
            let (done, pending) = channel();
            let is_sent = to_evaluator.send(Job { group: self.number, done }).is_ok();
            self.pending = is_sent.then_some(pending);
        }
        self.pending.is_some()
    }
}
