//! The replay buffer: the games of the newest iterations, from which batches are sampled.

mod iteration;
mod settings;

pub(crate) use iteration::positions_of;
pub(crate) use settings::Settings;

use std::collections::VecDeque;
use std::sync::Arc;

use rand::RngExt;
use rand::seq::SliceRandom;

use crate::base::rng::Rng;
use crate::games::Action;
use crate::games::symmetry::Permutation;
use crate::nn::{Batch, ILLEGAL};
use crate::registry::{Position, Variant};
use crate::search::Wdl;
use crate::selfplay::record::{GameRecord, Searched};
use iteration::{Drawn, Iteration};

/// A training example: a position and its targets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Example<'a> {
    /// The position.
    pub position: Position,
    /// The search whose policy is the policy target.
    pub search: &'a Searched,
    /// The value target: win, draw and loss for the side to move.
    pub wdl: Wdl,
    /// Turns until the end of the game, including the next one.
    pub moves_left: f32,
}

/// The games of the newest iterations, oldest first.
#[derive(Clone, Debug)]
pub(crate) struct Buffer {
    variant: Variant,
    settings: Settings,
    window: usize,
    permutations: Vec<Permutation>,
    iterations: VecDeque<Iteration>,
}

impl Buffer {
    /// An empty buffer.
    pub(crate) fn new(variant: Variant, settings: &Settings) -> Self {
        let all = variant.game().symmetries();
        let symmetries = if settings.symmetries { all } else { &all[..1] };
        Self {
            variant,
            settings: *settings,
            window: settings.window,
            permutations: Permutation::all(variant.spec(), symmetries),
            iterations: VecDeque::new(),
        }
    }

    /// Adds the games of an iteration, and drops the oldest iterations while the rest fills the
    /// window.
    pub(crate) fn push(&mut self, games: Vec<GameRecord>) {
        self.iterations.push_back(Iteration::new(games));
        while let Some(oldest) = self.iterations.front()
            && self.iterations.len() > 1
            && self.positions() - oldest.positions() >= self.window
        {
            self.iterations.pop_front();
        }
    }

    /// Adds the games of an iteration that is older than all others.
    pub(crate) fn push_older(&mut self, games: Vec<GameRecord>) {
        self.iterations.push_front(Iteration::new(games));
    }

    /// Sets the window, the number of positions to keep, from the next [`push`](Self::push) on.
    pub(crate) fn resize(&mut self, window: usize) {
        self.window = window;
    }

    /// The games of the newest iteration.
    pub(crate) fn newest(&self) -> Arc<[GameRecord]> {
        self.iterations.back().map_or_else(|| [].into(), |iteration| Arc::clone(&iteration.games))
    }

    /// All games, the oldest first.
    pub(crate) fn games(&self) -> impl Iterator<Item = &GameRecord> {
        self.iterations.iter().flat_map(|iteration| iteration.games.iter())
    }

    /// The number of positions that can be sampled.
    pub(crate) fn positions(&self) -> usize {
        self.iterations.iter().map(Iteration::positions).sum()
    }

    /// The number of positions of the newest iteration.
    pub(crate) fn newest_positions(&self) -> usize {
        self.iterations.back().map_or(0, Iteration::positions)
    }

    /// Whether the iterations fill the window, so that older ones would be dropped.
    pub(crate) fn is_full(&self) -> bool {
        self.positions() >= self.window
    }

    /// Samples `count` different positions of the newest iteration, or all if there are fewer. No
    /// symmetry is applied.
    pub(crate) fn newest_examples(&self, count: usize, rng: &mut Rng) -> Vec<Example<'_>> {
        let Some(newest) = self.iterations.back() else { return Vec::new() };
        let mut indices: Vec<usize> = (0..newest.positions()).collect();
        let (drawn, _) = indices.partial_shuffle(rng, count);
        drawn.iter().map(|&index| self.example(newest.position(index))).collect()
    }

    /// Samples `size` positions uniformly, with replacement, into `batch`, each with a random
    /// symmetry.
    ///
    /// # Panics
    ///
    /// If the buffer is empty.
    pub(crate) fn draw(&self, size: usize, rng: &mut Rng, batch: &mut Batch) {
        let spec = self.variant.spec();
        let (planes, actions) = (spec.observation(), spec.actions());
        batch.size = size;
        batch.observations.resize(size * planes, 0.0);
        batch.policy.clear();
        batch.policy.resize(size * actions, 0.0);
        batch.mask.clear();
        batch.mask.resize(size * actions, ILLEGAL);
        batch.wdl.clear();
        batch.moves_left.clear();
        let total = self.positions();
        let mut scratch = Scratch { observation: vec![0.0; planes], legal: Vec::new() };
        for example in 0..size {
            let drawn = self.position(rng.random_range(0..total));
            let permutation = &self.permutations[rng.random_range(0..self.permutations.len())];
            let row = Row {
                observation: &mut batch.observations[example * planes..][..planes],
                policy: &mut batch.policy[example * actions..][..actions],
                mask: &mut batch.mask[example * actions..][..actions],
            };
            let (wdl, moves_left) = self.encode(drawn, permutation, row, &mut scratch);
            batch.wdl.extend(wdl);
            batch.moves_left.push(moves_left);
        }
    }

    /// The position with this index among all, oldest first.
    fn position(&self, mut index: usize) -> Drawn<'_> {
        for iteration in &self.iterations {
            if index < iteration.positions() {
                return iteration.position(index);
            }
            index -= iteration.positions();
        }
        unreachable!("the index is below the number of positions")
    }

    /// Replays a game up to a sampled position.
    fn example<'a>(&self, drawn: Drawn<'a>) -> Example<'a> {
        let Drawn { record, choice } = drawn;
        let start = record.start(&self.variant);
        let mut position = start;
        record.choices[..choice].iter().for_each(|choice| position.play(choice.action));
        let search = record.choices[choice].search.as_ref().expect("only searches are sampled");
        let result = record.outcome.wdl_for(position.to_move());
        let share = self.settings.search_value;
        let mix = |index| result[index] + share * (search.value[index] - result[index]);
        let moves_left = (start.ply() + record.plies).saturating_sub(position.ply()) as f32;
        Example { position, search, wdl: std::array::from_fn(mix), moves_left }
    }

    /// Writes a position, permuted by a symmetry, into a row of the batch. Returns the targets of
    /// win, draw and loss and of the moves left.
    fn encode(
        &self,
        drawn: Drawn<'_>,
        permutation: &Permutation,
        row: Row<'_>,
        scratch: &mut Scratch,
    ) -> (Wdl, f32) {
        let Example { position, search, wdl, moves_left } = self.example(drawn);
        position.observe(&mut scratch.observation);
        permutation.observation(&scratch.observation, row.observation);
        position.legal_actions(&mut scratch.legal);
        for &action in &scratch.legal {
            row.mask[usize::from(permutation.action(action))] = 0.0;
        }
        for (action, share) in search.shares() {
            row.policy[usize::from(permutation.action(action))] = share;
        }
        (wdl, moves_left)
    }
}

/// The row of a batch for one example.
struct Row<'a> {
    observation: &'a mut [f32],
    policy: &'a mut [f32],
    mask: &'a mut [f32],
}

struct Scratch {
    observation: Vec<f32>,
    legal: Vec<Action>,
}
