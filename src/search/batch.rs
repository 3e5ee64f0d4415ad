//! Leaves that are evaluated together.

use super::{Cache, Gathered, Judgement, Key, Leaf, Search};
use crate::evaluator::{Evaluator, Wdl};
use crate::game::Game;

/// Leaves on their way through an evaluator. Reused from batch to batch.
#[derive(Clone, Debug)]
pub struct Batch<G> {
    positions: Vec<G>,
    keys: Vec<Option<Key>>,
    /// Logits, `[positions, actions]`.
    policy: Vec<f32>,
    wdl: Vec<Wdl>,
    judgement: Judgement,
    hits: u64,
}

impl<G> Default for Batch<G> {
    fn default() -> Self {
        Self {
            positions: Vec::new(),
            keys: Vec::new(),
            policy: Vec::new(),
            wdl: Vec::new(),
            judgement: Judgement::default(),
            hits: 0,
        }
    }
}

impl<G: Game> Batch<G> {
    /// Takes all leaves out.
    pub fn clear(&mut self) {
        self.positions.clear();
        self.keys.clear();
    }

    /// Leaves in the batch.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Leaves that the cache knew since this was asked last.
    pub fn take_hits(&mut self) -> u64 {
        std::mem::take(&mut self.hits)
    }

    /// One simulation of `search`, as far as it gets: a leaf that has to be evaluated is added to
    /// the batch, one that the cache knows is applied at once, which is then an
    /// [`End`](Gathered::End).
    pub fn gather(
        &mut self,
        search: &mut Search<G>,
        leaf: &mut Leaf<G>,
        cache: &Cache,
    ) -> Gathered {
        let gathered = search.gather(leaf);
        let (Gathered::Leaf, Some(&position)) = (gathered, leaf.position()) else {
            return gathered;
        };
        let key = cache.key(&position);
        if key.is_some_and(|key| cache.get(key, &mut self.judgement)) {
            search.apply(leaf, &self.judgement);
            self.hits += 1;
            return Gathered::End;
        }
        self.positions.push(position);
        self.keys.push(key);
        Gathered::Leaf
    }

    /// Has all leaves evaluated.
    pub fn run(&mut self, evaluator: &mut impl Evaluator<G>) {
        self.policy.resize(self.len() * G::SPEC.actions(), 0.0);
        self.wdl.resize(self.len(), [0.0; 3]);
        if !self.is_empty() {
            evaluator.evaluate(&self.positions, &mut self.policy, &mut self.wdl);
        }
    }

    /// Hands what was said of each leaf to `apply`, with its place in the batch, and keeps it in
    /// the cache.
    pub fn hand_out(&mut self, cache: &Cache, mut apply: impl FnMut(usize, &Judgement)) {
        let rows = self.policy.chunks_exact(G::SPEC.actions()).zip(&self.wdl);
        for (index, (policy, &wdl)) in rows.enumerate() {
            self.judgement.read(&self.positions[index], policy, wdl);
            if let Some(key) = self.keys[index] {
                cache.put(key, &self.judgement);
            }
            apply(index, &self.judgement);
        }
    }
}

/// The search of a single game, one leaf at a time.
#[derive(Debug)]
pub struct Solo<G> {
    /// The search.
    pub search: Search<G>,
    leaf: Leaf<G>,
    batch: Batch<G>,
}

impl<G: Game> Solo<G> {
    /// A search that has not begun.
    pub fn new(search: Search<G>) -> Self {
        Self { search, leaf: Leaf::default(), batch: Batch::default() }
    }

    /// One simulation; false once the search is over.
    pub fn simulate(&mut self, evaluator: &mut impl Evaluator<G>, cache: &Cache) -> bool {
        match self.batch.gather(&mut self.search, &mut self.leaf, cache) {
            Gathered::Done => return false,
            Gathered::End | Gathered::Busy => {}
            Gathered::Leaf => {
                let Self { search, leaf, batch } = self;
                batch.run(evaluator);
                batch.hand_out(cache, |_, judgement| search.apply(leaf, judgement));
                batch.clear();
            }
        }
        true
    }

    /// Simulates until the search is over.
    pub fn run(&mut self, evaluator: &mut impl Evaluator<G>, cache: &Cache) {
        while self.simulate(evaluator, cache) {}
    }
}
