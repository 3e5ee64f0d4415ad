//! The replay buffer: the games of the last iterations, drawn from for training.

use std::collections::VecDeque;

use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use crate::checks::{Fault, within};
use crate::evaluator::Wdl;
use crate::game::{Action, Game};
use crate::games::Variant;
use crate::record::{Choice, GameRecord, Searched};
use crate::rng::Rng;
use crate::symmetry::Permutation;

/// Settings of the replay buffer, the `[replay]` table of a config.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Positions to draw from: the newest iterations that together hold at least so many.
    pub window: usize,
    /// How often a position is trained on, on average: drawn positions for each new one.
    pub reuse: f32,
    /// Whether every drawn position is turned by a random symmetry of its game.
    pub symmetries: bool,
    /// Share of the search's judgement in the target of win, draw and loss; the rest is the
    /// result of the game.
    pub search_value: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { window: 100_000, reuse: 4.0, symmetries: true, search_value: 0.0 }
    }
}

impl Settings {
    /// Checks every value.
    ///
    /// # Errors
    ///
    /// The first that makes no sense.
    pub fn check(&self) -> Result<(), Fault> {
        within("window", self.window, [1, 1_000_000_000])?;
        within("reuse", self.reuse, [0.001, 1000.0])?;
        within("search_value", self.search_value, [0.0, 1.0])
    }
}

/// A batch of training examples in flat arrays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Examples.
    pub size: usize,
    /// `[size, planes, height, width]`.
    pub observations: Vec<f32>,
    /// `[size, actions]`: the share of each action in the policy of the search.
    pub policy: Vec<f32>,
    /// `[size, actions]`: 0 where the action is legal, a large negative number elsewhere, to be
    /// added to logits.
    pub mask: Vec<f32>,
    /// `[size, 3]`: win, draw, loss for the side to move.
    pub wdl: Vec<f32>,
    /// `[size]`: turns to the end of the game, the one about to be played among them.
    pub moves_left: Vec<f32>,
}

/// A position that is learnt from, and what is to be learnt there.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Example<'a, G> {
    /// The position.
    pub position: G,
    /// The search whose policy is the network's target.
    pub search: &'a Searched,
    /// The target of win, draw and loss, for the side to move.
    pub wdl: Wdl,
    /// Turns to the end of the game, the one about to be played among them.
    pub moves_left: f32,
}

/// What an illegal action's logit is lowered by: enough to have no probability, little enough to
/// stay finite in all arithmetic.
pub const ILLEGAL: f32 = -1e9;

/// The games of the newest iterations, oldest first.
#[derive(Clone, Debug)]
pub struct Buffer<G: Game> {
    variant: Variant<G>,
    window: usize,
    search_value: f32,
    permutations: Vec<Permutation>,
    iterations: VecDeque<Iteration>,
}

/// The games of an iteration, and where in them there is something to be learnt.
#[derive(Clone, Debug)]
struct Iteration {
    games: Vec<GameRecord>,
    /// Game and choice.
    positions: Vec<(u32, u32)>,
}

impl Iteration {
    fn new(games: Vec<GameRecord>) -> Self {
        let mut positions = Vec::new();
        for (game, record) in (0..).zip(&games) {
            let learnt = (0..).zip(&record.choices).filter(|(_, choice)| is_learnt(choice));
            positions.extend(learnt.map(|(choice, _)| (game, choice)));
        }
        Self { games, positions }
    }

    fn position(&self, index: usize) -> (&GameRecord, usize) {
        let (game, choice) = self.positions[index];
        (&self.games[game as usize], choice as usize)
    }
}

fn is_learnt(choice: &Choice) -> bool {
    choice.search.as_ref().is_some_and(|search| search.learn)
}

/// Positions of a game that are learnt from.
pub fn positions_of(game: &GameRecord) -> usize {
    game.choices.iter().filter(|choice| is_learnt(choice)).count()
}

impl<G: Game> Buffer<G> {
    /// An empty buffer.
    pub fn new(variant: Variant<G>, settings: &Settings) -> Self {
        let symmetries = if settings.symmetries { G::SYMMETRIES } else { &G::SYMMETRIES[..1] };
        Self {
            variant,
            window: settings.window,
            search_value: settings.search_value,
            permutations: Permutation::all(&G::SPEC, symmetries),
            iterations: VecDeque::new(),
        }
    }

    /// Adds the games of an iteration and lets go of those that the window no longer needs.
    pub fn push(&mut self, games: Vec<GameRecord>) {
        self.iterations.push_back(Iteration::new(games));
        while let Some(oldest) = self.iterations.front()
            && self.iterations.len() > 1
            && self.positions() - oldest.positions.len() >= self.window
        {
            self.iterations.pop_front();
        }
    }

    /// The games of the newest iteration.
    pub fn newest(&self) -> &[GameRecord] {
        self.iterations.back().map_or(&[], |iteration| &iteration.games)
    }

    /// All games, the oldest first.
    pub fn games(&self) -> impl Iterator<Item = &GameRecord> {
        self.iterations.iter().flat_map(|iteration| &iteration.games)
    }

    /// Positions that can be drawn.
    pub fn positions(&self) -> usize {
        self.iterations.iter().map(|iteration| iteration.positions.len()).sum()
    }

    /// Whether older iterations would no longer be kept.
    pub fn is_full(&self) -> bool {
        self.positions() >= self.window
    }

    /// So many different positions of the newest iteration, or all if there are no more, as they
    /// were played.
    pub fn newest_examples(&self, count: usize, rng: &mut Rng) -> Vec<Example<'_, G>> {
        let Some(newest) = self.iterations.back() else { return Vec::new() };
        let mut indices: Vec<usize> = (0..newest.positions.len()).collect();
        let (drawn, _) = indices.partial_shuffle(rng, count);
        let example = |&index: &usize| {
            let (record, choice) = newest.position(index);
            self.example(record, choice)
        };
        drawn.iter().map(example).collect()
    }

    /// Draws `size` positions, each with the same probability, into `batch`.
    ///
    /// # Panics
    ///
    /// If the buffer is empty.
    pub fn draw(&self, size: usize, rng: &mut Rng, batch: &mut Batch) {
        let (planes, actions) = (G::SPEC.observation(), G::SPEC.actions());
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
            let (record, choice) = self.position(rng.random_range(0..total));
            let permutation = &self.permutations[rng.random_range(0..self.permutations.len())];
            let row = Row {
                observation: &mut batch.observations[example * planes..][..planes],
                policy: &mut batch.policy[example * actions..][..actions],
                mask: &mut batch.mask[example * actions..][..actions],
            };
            let (wdl, moves_left) = self.encode(record, choice, permutation, row, &mut scratch);
            batch.wdl.extend(wdl);
            batch.moves_left.push(moves_left);
        }
    }

    fn position(&self, mut index: usize) -> (&GameRecord, usize) {
        for iteration in &self.iterations {
            if index < iteration.positions.len() {
                return iteration.position(index);
            }
            index -= iteration.positions.len();
        }
        unreachable!("the index is below the number of positions")
    }

    /// Replays a game up to a position.
    fn example<'a>(&self, record: &'a GameRecord, index: usize) -> Example<'a, G> {
        let mut position = self.variant.initial();
        record.choices[..index].iter().for_each(|choice| position.play(choice.action));
        let search = record.choices[index].search.as_ref().expect("only searches are drawn");
        let (result, judged) = (record.outcome.wdl_for(position.to_move()), search.value);
        let mix = |index| result[index] + self.search_value * (judged[index] - result[index]);
        let moves_left = record.plies.saturating_sub(position.ply()) as f32;
        Example { position, search, wdl: std::array::from_fn(mix), moves_left }
    }

    /// Writes a position of a game as the permutation shows it; what it comes to for the side to
    /// move, and in how many turns.
    fn encode(
        &self,
        record: &GameRecord,
        index: usize,
        permutation: &Permutation,
        row: Row<'_>,
        scratch: &mut Scratch,
    ) -> (Wdl, f32) {
        let Example { position, search, wdl, moves_left } = self.example(record, index);
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

/// Where one example of a batch is written.
struct Row<'a> {
    observation: &'a mut [f32],
    policy: &'a mut [f32],
    mask: &'a mut [f32],
}

struct Scratch {
    observation: Vec<f32>,
    legal: Vec<Action>,
}
