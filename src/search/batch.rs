//! Batches: leaves that are evaluated together.

use super::{Cache, Evaluation, Gathered, Key, Leaf, Search};
use crate::registry::Position;
use crate::search::{Evaluator, Wdl};

/// Leaves that are evaluated together. Reused from batch to batch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    positions: Vec<Position>,
    keys: Vec<Option<Key>>,
    /// Logits, `[positions, actions]`.
    policy: Vec<f32>,
    wdl: Vec<Wdl>,
    evaluation: Evaluation,
    hits: u64,
    /// The source of each leaf's evaluation.
    sources: Vec<Source>,
    /// Evaluations found in the cache.
    known: Vec<Evaluation>,
}

/// The source of a leaf's evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    /// The next row of the evaluator's output.
    Evaluator,
    /// The next evaluation found in the cache.
    Cache,
}

impl Batch {
    /// Removes all leaves.
    pub(crate) fn clear(&mut self) {
        self.positions.clear();
        self.keys.clear();
        self.sources.clear();
    }

    /// The number of leaves that the evaluator has to evaluate.
    pub(crate) fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are no such leaves.
    pub(crate) fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The number of cache hits since the last call.
    pub(crate) fn take_hits(&mut self) -> u64 {
        std::mem::take(&mut self.hits)
    }

    /// Gathers a leaf of `search`. A leaf that the cache knows is applied at once, which returns
    /// [`End`](Gathered::End); another one is added to the batch.
    pub(crate) fn gather(
        &mut self,
        search: &mut Search,
        leaf: &mut Leaf,
        cache: &Cache,
    ) -> Gathered {
        let gathered = search.gather(leaf);
        if gathered != Gathered::Leaf {
            return gathered;
        }
        let mut evaluation = std::mem::take(&mut self.evaluation);
        let is_known = self.looks_up(leaf, cache, &mut evaluation);
        if is_known {
            search.apply(leaf, &evaluation);
        }
        self.evaluation = evaluation;
        if is_known { Gathered::End } else { Gathered::Leaf }
    }

    /// As [`gather`](Self::gather), but a leaf that the cache knows is applied later, with the
    /// others. So a search with several pending leaves gives the same result with a cache as
    /// without.
    pub(crate) fn gather_later(
        &mut self,
        search: &mut Search,
        leaf: &mut Leaf,
        cache: &Cache,
    ) -> Gathered {
        let gathered = search.gather(leaf);
        if gathered == Gathered::Leaf {
            let count = self.sources.iter().filter(|&&source| source == Source::Cache).count();
            if self.known.len() == count {
                self.known.push(Evaluation::default());
            }
            let mut evaluation = std::mem::take(&mut self.known[count]);
            if self.looks_up(leaf, cache, &mut evaluation) {
                self.sources.push(Source::Cache);
            }
            self.known[count] = evaluation;
        }
        gathered
    }

    /// Looks a leaf up in the cache, and adds it to the leaves to evaluate if it is not found.
    /// Returns whether it was found.
    fn looks_up(&mut self, leaf: &Leaf, cache: &Cache, evaluation: &mut Evaluation) -> bool {
        let position = *leaf.position().expect("a gathered leaf has a position");
        let key = cache.key(&position);
        let is_known = key.is_some_and(|key| cache.get(key, evaluation));
        if is_known {
            self.hits += 1;
        } else {
            self.positions.push(position);
            self.keys.push(key);
            self.sources.push(Source::Evaluator);
        }
        is_known
    }

    /// Evaluates all leaves.
    pub(crate) fn run(&mut self, evaluator: &mut dyn Evaluator) {
        self.policy.resize(self.positions.len() * self.actions(), 0.0);
        self.wdl.resize(self.len(), [0.0; 3]);
        if !self.is_empty() {
            evaluator.evaluate(&self.positions, &mut self.policy, &mut self.wdl);
        }
    }

    /// The size of a policy; 0 if there is no leaf to evaluate.
    fn actions(&self) -> usize {
        self.positions.first().map_or(0, |position| position.spec().actions())
    }

    /// Calls `apply` with the index and the evaluation of each leaf, in the order in which they
    /// were gathered, and stores the evaluations in the cache.
    pub(crate) fn hand_out(&mut self, cache: &Cache, mut apply: impl FnMut(usize, &Evaluation)) {
        let mut rows = self.policy.chunks_exact(self.actions().max(1)).zip(&self.wdl);
        let mut asked = self.positions.iter().zip(&self.keys);
        let mut known = self.known.iter();
        for (index, source) in self.sources.iter().enumerate() {
            if *source == Source::Cache {
                apply(index, known.next().expect("as many as were known"));
                continue;
            }
            let (policy, &wdl) = rows.next().expect("a row for each position");
            let (position, key) = asked.next().expect("a position for each row");
            self.evaluation.read(position, policy, wdl);
            if let &Some(key) = key {
                cache.put(key, &self.evaluation);
            }
            apply(index, &self.evaluation);
        }
    }
}

/// The search of a single game, one leaf at a time.
#[derive(Debug)]
pub(crate) struct Solo {
    /// The search.
    pub search: Search,
    leaf: Leaf,
    batch: Batch,
}

impl Solo {
    /// Wraps a search.
    pub(crate) fn new(search: Search) -> Self {
        Self { search, leaf: Leaf::default(), batch: Batch::default() }
    }

    /// Makes one simulation. Returns false once the search is over.
    pub(crate) fn simulate(&mut self, evaluator: &mut dyn Evaluator, cache: &Cache) -> bool {
        match self.batch.gather(&mut self.search, &mut self.leaf, cache) {
            Gathered::Done => return false,
            Gathered::End | Gathered::Busy => {}
            Gathered::Leaf => {
                let Self { search, leaf, batch } = self;
                batch.run(evaluator);
                batch.hand_out(cache, |_, evaluation| search.apply(leaf, evaluation));
                batch.clear();
            }
        }
        true
    }

    /// Simulates until the search is over.
    pub(crate) fn run(&mut self, evaluator: &mut dyn Evaluator, cache: &Cache) {
        while self.simulate(evaluator, cache) {}
    }
}
