//! A player: a search, an evaluator, and turns rather than actions.

use std::time::Instant;

use crate::evaluator::{Evaluator, Wdl};
use crate::game::{Action, Game, Turn};
use crate::search::{self, Candidate, Scratch, Tree};

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
        // The evaluation of the root is the least that makes an answer.
        simulations >= self.simulations.max(1)
            || simulations >= 1 && self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
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
        Self { evaluator, settings, tree: Tree::default(), scratch: Scratch::default() }
    }

    /// Thinks about an unfinished position at the beginning of a turn.
    pub fn think(&mut self, game: &G, limits: &Limits) -> Thought {
        self.search(*game, limits);
        let mut turns = Vec::new();
        self.collect(game, &Turn::default(), 1.0, &mut turns);
        let (value, raw, simulations) =
            (self.tree.value(), self.tree.raw(), self.tree.simulations());
        let mut line = self.line(game);
        if line.is_empty() {
            line.push(self.completed(game));
        }
        let best = line[0].clone();
        Thought { best, value, raw, turns, line, simulations }
    }

    fn search(&mut self, root: G, limits: &Limits) {
        self.tree.begin(root);
        while !limits.reached(self.tree.simulations()) {
            self.scratch.simulate(&mut self.tree, &self.settings, &mut self.evaluator);
        }
    }

    /// Collects the complete turns that the tree has visited, by the preference for their first
    /// action, then for their second: the order in which they would be played.
    fn collect(&self, game: &G, begun: &Turn, prior: f32, out: &mut Vec<Considered>) {
        let candidates = self.tree.candidates_after(&begun.actions).into_iter().flatten();
        let mut visited: Vec<Candidate> = candidates.filter(|found| found.visits > 0).collect();
        visited.sort_by(Candidate::preference);
        for found in visited {
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
        search::best_of(self.tree.candidates_after(path)?.filter(|found| found.visits > 0))
    }

    /// The turn where the search was too short to get to the end of it: its best action, then
    /// those of evaluations alone.
    fn completed(&mut self, game: &G) -> Turn {
        let (mut position, mut turn) = (*game, Turn::default());
        while let Some(action) = self.tree.best() {
            (position, turn) = turn.extended(&position, action);
            if position.ply() > game.ply() {
                break;
            }
            self.search(position, &Limits::simulations(1));
        }
        turn
    }
}
