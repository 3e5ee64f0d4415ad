//! A worker of self-play: games in progress that share a batch.

use std::slice::from_mut;
use std::thread;
use std::time::Instant;

use super::exchange::Participant;
use super::game::SelfplayGame;
use super::{Assignment, Counters, IterationJob};
use crate::search::{Batch, Evaluator, GameSlots};

/// Games in progress whose leaves are evaluated together.
pub(super) struct SelfplayWorker<'a> {
    job: &'a IterationJob<'a>,
    assignment: &'a dyn Assignment,
    /// The most games in progress.
    capacity: usize,
    slots: GameSlots<SelfplayGame<'a>>,
    pub batch: Batch,
}

/// Tells of a panic of the worker that has it.
struct PanicWatch<'a>(&'a dyn Assignment);

impl Drop for PanicWatch<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.fail();
        }
    }
}

/// The other workers of the same job.
type Others<'a, 'b> = Participant<'b, SelfplayGame<'a>>;

impl<'a> SelfplayWorker<'a> {
    /// A worker of the games that `assignment` assigns, with at most `capacity` in progress.
    pub(super) fn new(
        job: &'a IterationJob<'a>,
        assignment: &'a dyn Assignment,
        capacity: usize,
    ) -> Self {
        let slots = GameSlots::new(capacity);
        Self { job, assignment, capacity, slots, batch: Batch::default() }
    }

    /// Plays games, also those that other workers share with it, until no more are to come or it is
    /// stopped.
    pub(super) fn run(mut self, evaluator: &mut dyn Evaluator, others: &Others<'a, '_>) {
        let _watch = PanicWatch(self.assignment);
        loop {
            self.play(evaluator, others);
            if self.assignment.is_stopped() {
                return;
            }
            match others.receive() {
                Some(games) => self.slots.extend(games),
                None if self.assignment.wait() => {}
                None => return,
            }
        }
    }

    /// Plays games until none is in progress.
    fn play(&mut self, evaluator: &mut dyn Evaluator, others: &Others<'a, '_>) {
        let counters = self.assignment.counters();
        let mut begun = Instant::now();
        loop {
            others.share(&mut self.slots);
            if !self.make_ready() {
                return;
            }
            let ready = Instant::now();
            self.batch.run(evaluator);
            Counters::add_time(&counters.evaluating, ready.elapsed());
            self.hand_out();
            let now = Instant::now();
            Counters::add_time(&counters.working, now - std::mem::replace(&mut begun, now));
        }
    }

    /// Brings all games to their next leaf. Returns false if there is no leaf to evaluate, or if it
    /// is stopped.
    pub(super) fn make_ready(&mut self) -> bool {
        if self.assignment.is_stopped() {
            return false;
        }
        self.batch.clear();
        self.fill();
        let counters = self.assignment.counters();
        Counters::add(&counters.evaluations, self.batch.len() as u64);
        Counters::add(&counters.batches, u64::from(!self.batch.is_empty()));
        let room = if self.batch.is_empty() { 0 } else { self.capacity };
        Counters::add(&counters.room, room as u64);
        Counters::add(&counters.hits, self.batch.take_hits());
        !self.batch.is_empty()
    }

    fn fill(&mut self) {
        let (job, assignment) = (self.job, self.assignment);
        let counters = assignment.counters();
        let start = || assignment.next().map(|index| SelfplayGame::new(job, counters, index));
        let finish = |game: SelfplayGame<'_>| {
            Counters::add(&counters.games, 1);
            assignment.finish(game.into_record());
        };
        self.slots.fill(from_mut(&mut self.batch), &[job.cache], &mut (), start, finish);
    }

    /// Applies the evaluations of the batch to the games that wait for them.
    pub(super) fn hand_out(&mut self) {
        self.slots.hand_out(0, &mut self.batch, self.job.cache);
    }
}
