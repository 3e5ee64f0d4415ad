//! A player: a search, an evaluator, and turns rather than actions.

use std::time::Instant;

use crate::evaluator::{Evaluator, Wdl};
use crate::game::{Action, Game, Turn};
use crate::search::{self, Candidate, Scratch, Tree, preferred};

/// How long a player may think.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Simulations at the most.
    pub simulations: u32,
    /// When the answer must be there.
    pub deadline: Option<Instant>,
}

impl Limits {
    /// So many simulations, however long they take.
    pub fn simulations(simulations: u32) -> Self {
        Self { simulations, deadline: None }
    }

    fn reached(&self, simulations: u32) -> bool {
        // The evaluation of the root and one simulation beyond it are the least that is an answer.
        simulations >= self.simulations.max(2)
            || simulations >= 2 && self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// A turn the player has thought about.
#[derive(Clone, PartialEq, Debug)]
pub struct Considered {
    /// The turn.
    pub turn: Turn,
    /// Simulations that went through it.
    pub visits: u32,
    /// Product of the priors of its actions.
    pub prior: f32,
    /// Win, draw and loss for the side that plays it; of no meaning without visits.
    pub wdl: Wdl,
}

/// What a player thinks of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Thought {
    /// The turn it would play.
    pub best: Turn,
    /// Its judgement of the position for the side to move.
    pub value: Wdl,
    /// The evaluator's own judgement, without search.
    pub raw: Wdl,
    /// The visited turns, best first.
    pub turns: Vec<Considered>,
    /// The line it expects, beginning with `best`.
    pub line: Vec<Turn>,
    /// Simulations made.
    pub simulations: u32,
}

/// The longest expected line given.
const LINE: usize = 12;

/// A search with an evaluator, and the memory it uses.
#[derive(Debug)]
pub struct Player<G: Game, E> {
    evaluator: E,
    settings: search::Settings,
    tree: Tree<G>,
    scratch: Scratch<G>,
}

impl<G: Game, E: Evaluator<G>> Player<G, E> {
    /// A player that searches by `settings`, without noise.
    pub fn new(evaluator: E, settings: search::Settings) -> Self {
        Self { evaluator, settings, tree: Tree::default(), scratch: Scratch::new() }
    }

    /// Thinks about an unfinished position at the beginning of a turn.
    pub fn think(&mut self, game: &G, limits: &Limits) -> Thought {
        self.search(*game, limits);
        let mut turns = Vec::new();
        self.collect(game, &Turn::default(), 1.0, &mut turns);
        turns.sort_by(|a, b| {
            b.visits
                .cmp(&a.visits)
                .then(b.prior.total_cmp(&a.prior))
                .then(a.turn.text.cmp(&b.turn.text))
        });
        let (value, raw, simulations) =
            (self.tree.value(), self.tree.raw(), self.tree.simulations());
        let line = self.line(game);
        let best = match line.first() {
            Some(turn) => turn.clone(),
            None => self.completed(game, Turn::default()),
        };
        Thought { best, value, raw, turns, line, simulations }
    }

    fn search(&mut self, root: G, limits: &Limits) {
        self.tree.begin(root);
        while !limits.reached(self.tree.simulations()) {
            self.scratch.simulate(&mut self.tree, &self.settings, &mut self.evaluator);
        }
    }

    /// Collects the complete turns that the tree has visited.
    fn collect(&self, game: &G, begun: &Turn, prior: f32, out: &mut Vec<Considered>) {
        let candidates = self.tree.candidates_after(&begun.actions);
        for found in candidates.into_iter().flatten().filter(|found| found.visits > 0) {
            let (next, turn) = begun.extended(game, found.action);
            let prior = prior * found.prior;
            if next.ply() == game.ply() {
                self.collect(&next, &turn, prior, out);
            } else {
                out.push(Considered { turn, visits: found.visits, prior, wdl: found.wdl });
            }
        }
    }

    /// The most visited line, as far as its turns are complete.
    fn line(&self, game: &G) -> Vec<Turn> {
        let (mut game, mut path) = (*game, Vec::new());
        let (mut line, mut turn) = (Vec::new(), Turn::default());
        while let Some(found) = self.most_visited(&path)
            && line.len() < LINE
        {
            path.push(found.action);
            let (next, extended) = turn.extended(&game, found.action);
            let complete = next.ply() > game.ply();
            (game, turn) = (next, extended);
            if complete {
                line.push(std::mem::take(&mut turn));
            }
        }
        line
    }

    fn most_visited(&self, path: &[Action]) -> Option<Candidate> {
        let candidates = self.tree.candidates_after(path)?;
        candidates
            .filter(|found| found.visits > 0)
            .reduce(|best, next| if preferred(&next, &best) { next } else { best })
    }

    /// Plays on to the end of the turn where a short search did not get there: the best action
    /// of the search, then those of a search as short as can be.
    fn completed(&mut self, game: &G, mut turn: Turn) -> Turn {
        let mut position = *game;
        while position.ply() == game.ply() && position.outcome().is_none() {
            if !turn.actions.is_empty() {
                self.search(position, &Limits::simulations(2));
            }
            let Some(action) = self.tree.best() else { break };
            (position, turn) = turn.extended(&position, action);
        }
        turn
    }
}
