//! A thread with games in play.

use std::sync::atomic::Ordering;
use std::time::Instant;

use super::game::{GameSlot, Progress};
use super::{Counters, WorkerContext};
use crate::games::Game;
use crate::search::Batch;
use crate::search::Evaluator;
use crate::selfplay::record::GameRecord;

/// Games in play whose leaves are evaluated together.
pub(super) struct Worker<'a, G: Game> {
    context: &'a WorkerContext<'a, G>,
    slots: Vec<GameSlot<G>>,
    pub batch: Batch<G>,
    pub finished: Vec<GameRecord>,
}

impl<'a, G: Game> Worker<'a, G> {
    pub fn new(context: &'a WorkerContext<'a, G>) -> Self {
        Self { context, slots: Vec::new(), batch: Batch::default(), finished: Vec::new() }
    }

    /// Plays games until none are left or it is told to stop; those that were finished.
    pub fn run(mut self, evaluator: &mut dyn Evaluator<G>) -> Vec<GameRecord> {
        let counters = self.context.counters;
        let mut begun = Instant::now();
        while self.make_ready() {
            let ready = Instant::now();
            self.batch.run(evaluator);
            Counters::add_time(&counters.evaluating, ready.elapsed());
            self.hand_out();
            let now = Instant::now();
            Counters::add_time(&counters.working, now - std::mem::replace(&mut begun, now));
        }
        self.finished
    }

    /// Brings all games to their next leaf; false if there is none to be evaluated any more.
    pub fn make_ready(&mut self) -> bool {
        if self.context.stop.load(Ordering::Relaxed) {
            return false;
        }
        self.batch.clear();
        self.advance();
        let counters = self.context.counters;
        Counters::add(&counters.evaluations, self.batch.len() as u64);
        Counters::add(&counters.batches, u64::from(!self.batch.is_empty()));
        let room = if self.batch.is_empty() { 0 } else { self.context.batch };
        Counters::add(&counters.room, room as u64);
        Counters::add(&counters.hits, self.batch.take_hits());
        !self.batch.is_empty()
    }

    /// Brings every game to a leaf, in the order of the batch; a finished one makes room for the
    /// next.
    fn advance(&mut self) {
        let mut index = 0;
        while index < self.slots.len() || self.start() {
            if self.brings_to_a_leaf(index) {
                index += 1;
            } else {
                let slot = self.slots.swap_remove(index);
                self.finish(slot);
            }
        }
    }

    /// Starts a game if there is room and one is left to be started.
    fn start(&mut self) -> bool {
        let WorkerContext { job, next, batch, .. } = self.context;
        if self.slots.len() == *batch {
            return false;
        }
        let index = next.fetch_add(1, Ordering::Relaxed);
        if index < job.settings.games {
            self.slots.push(GameSlot::new(job, index));
        }
        index < job.settings.games
    }

    fn brings_to_a_leaf(&mut self, index: usize) -> bool {
        let WorkerContext { job, counters, .. } = self.context;
        let slot = &mut self.slots[index];
        let before = slot.actions();
        let progress = slot.advance(job, &mut self.batch);
        Counters::add(&counters.actions, (slot.actions() - before) as u64);
        progress == Progress::Leaf
    }

    fn finish(&mut self, slot: GameSlot<G>) {
        Counters::add(&self.context.counters.games, 1);
        self.finished.push(slot.into_record());
    }

    /// Gives each game the evaluation it waits for.
    pub fn hand_out(&mut self) {
        let Self { slots, batch, .. } = self;
        batch.hand_out(self.context.job.cache, |index, evaluation| slots[index].apply(evaluation));
    }
}
