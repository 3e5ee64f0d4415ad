//! A worker of self-play: games in progress that share a batch.

use std::slice::from_mut;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::exchange::Participant;
use super::game::SelfplayGame;
use super::{Counters, WorkerContext};
use crate::search::{Batch, Evaluator, GameSlots};

/// Games in progress whose leaves are evaluated together.
pub(super) struct SelfplayWorker<'a> {
    context: &'a WorkerContext<'a>,
    slots: GameSlots<SelfplayGame<'a>>,
    pub batch: Batch,
}

/// The other workers of the same job.
type Others<'a, 'b> = Participant<'b, SelfplayGame<'a>>;

impl<'a> SelfplayWorker<'a> {
    pub(super) fn new(context: &'a WorkerContext<'a>) -> Self {
        let slots = GameSlots::new(context.batch);
        Self { context, slots, batch: Batch::default() }
    }

    /// Plays games, also those that other workers share with it, until no more are to come or
    /// `stop` is set.
    pub(super) fn run(mut self, evaluator: &mut dyn Evaluator, others: &Others<'a, '_>) {
        let WorkerContext { assignment, stop, .. } = self.context;
        loop {
            self.play(evaluator, others);
            if stop.load(Ordering::Relaxed) {
                return;
            }
            match others.receive() {
                Some(games) => self.slots.extend(games),
                None if assignment.wait() => {}
                None => return,
            }
        }
    }

    /// Plays games until none is in progress.
    fn play(&mut self, evaluator: &mut dyn Evaluator, others: &Others<'a, '_>) {
        let counters = self.context.counters;
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

    /// Brings all games to their next leaf. Returns false if there is no leaf to evaluate, or if
    /// `stop` is set.
    pub(super) fn make_ready(&mut self) -> bool {
        if self.context.stop.load(Ordering::Relaxed) {
            return false;
        }
        self.batch.clear();
        self.fill();
        let counters = self.context.counters;
        Counters::add(&counters.evaluations, self.batch.len() as u64);
        Counters::add(&counters.batches, u64::from(!self.batch.is_empty()));
        let room = if self.batch.is_empty() { 0 } else { self.context.batch };
        Counters::add(&counters.room, room as u64);
        Counters::add(&counters.hits, self.batch.take_hits());
        !self.batch.is_empty()
    }

    fn fill(&mut self) {
        let WorkerContext { job, counters, assignment, .. } = self.context;
        let start = || assignment.next().map(|index| SelfplayGame::new(self.context, index));
        let finish = |game: SelfplayGame<'_>| {
            Counters::add(&counters.games, 1);
            assignment.finish(game.into_record());
        };
        self.slots.fill(from_mut(&mut self.batch), &[job.cache], &mut (), start, finish);
    }

    /// Applies the evaluations of the batch to the games that wait for them.
    pub(super) fn hand_out(&mut self) {
        self.slots.hand_out(0, &mut self.batch, self.context.job.cache);
    }
}
