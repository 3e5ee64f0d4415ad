//! Many workers, one evaluator: batches queue for it, so that it never waits for one to be made
//! ready.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use super::worker::Worker;
use super::{Counters, WorkerContext};
use crate::base::parallel::map_workers;
use crate::games::Game;
use crate::search::Batch;
use crate::search::Evaluator;
use crate::selfplay::record::GameRecord;

/// A batch, and where it goes back to.
struct Job<G> {
    batch: Batch<G>,
    back: Sender<Batch<G>>,
}

/// Groups of games of each worker: while one waits, the other is made ready.
pub(super) const GROUPS: usize = 2;

/// Plays games by `workers` threads; the evaluator stays on this thread. The games of each worker.
pub(super) fn play<G: Game>(
    context: &WorkerContext<'_, G>,
    evaluator: &mut dyn Evaluator<G>,
    workers: usize,
) -> Vec<Vec<GameRecord>> {
    let (to_evaluator, jobs) = channel();
    let senders = vec![to_evaluator; workers];
    let work = |to_evaluator| work(context, to_evaluator);
    map_workers(senders, work, || serve(jobs, evaluator, context.counters))
}

/// Evaluates batches until all workers are done. Owns its end of the channel: should the evaluator
/// panic, the workers learn it and stop.
fn serve<G: Game>(jobs: Receiver<Job<G>>, evaluator: &mut dyn Evaluator<G>, counters: &Counters) {
    let begun = Instant::now();
    let mut counted = begun.elapsed();
    for Job { mut batch, back } in jobs {
        let started = Instant::now();
        batch.run(evaluator);
        Counters::add_time(&counters.evaluating, started.elapsed());
        let now = begun.elapsed();
        Counters::add_time(&counters.working, now - std::mem::replace(&mut counted, now));
        // A worker that was told to stop does not wait for its batch.
        let _ = back.send(batch);
    }
}

/// A worker's thread; the games it finished.
fn work<G: Game>(context: &WorkerContext<'_, G>, to_evaluator: Sender<Job<G>>) -> Vec<GameRecord> {
    let mut groups: Vec<Group<'_, G>> = (0..GROUPS).map(|_| Group::new(context)).collect();
    while groups.iter_mut().map(|group| group.turn_over(&to_evaluator)).fold(false, |a, b| a | b) {}
    groups.into_iter().flat_map(|group| group.worker.finished).collect()
}

/// Games whose leaves travel together.
struct Group<'a, G: Game> {
    worker: Worker<'a, G>,
    returned: Receiver<Batch<G>>,
    is_away: bool,
}

impl<'a, G: Game> Group<'a, G> {
    fn new(context: &'a WorkerContext<'a, G>) -> Self {
        let (_, returned) = channel();
        Self { worker: Worker::new(context), returned, is_away: false }
    }

    /// Takes the batch back if it is away, and sends the next; false if there is none.
    fn turn_over(&mut self, to_evaluator: &Sender<Job<G>>) -> bool {
        if std::mem::take(&mut self.is_away) {
            let Ok(batch) = self.returned.recv() else { return false };
            self.worker.batch = batch;
            self.worker.hand_out();
        }
        if self.worker.make_ready() {
            let batch = std::mem::take(&mut self.worker.batch);
            // The job alone can send it back, so that one that is lost is not waited for.
            let (back, returned) = channel();
            self.returned = returned;
            self.is_away = to_evaluator.send(Job { batch, back }).is_ok();
        }
        self.is_away
    }
}
