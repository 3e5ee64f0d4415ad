//! A classical opponent for every game: alpha-beta with iterative deepening and an evaluation by
//! hand.
//!
//! Scores are those of the side to move. Where the other side moves next they change their sign,
//! and where the same side goes on with its turn they do not; depth counts turns, not actions.
//!
//! What is called proven is true of the game as it is, limits of length and repetition included:
//! positions share an entry of the table only if everything ahead of them is the same
//! ([`Game::full_key`]), and a score counts as a proof only if no evaluation had a part in it.

mod evaluator;
mod ordering;
mod table;

use std::time::Instant;

pub use evaluator::{HeuristicEvaluator, chances};
pub(crate) use ordering::{Lists, Ordering, pick};
use table::{Bound, Table};

use crate::games::{Action, Game, Outcome, Side, Turn, legal_turns};

/// The score of a win at the root; each turn until it comes makes it one less.
const WIN: i32 = 32_000;
/// Scores from this on are wins, whatever their distance.
const PROVEN: i32 = 31_000;
const LOST: i32 = -PROVEN;
/// The best evaluation short of a win.
const HEURISTIC_BOUND: i32 = 20_000;
/// More than any score.
const INFINITE: i32 = WIN + 1;

/// Turns looked ahead at the most: more than any search reaches but those of little choice, and few
/// enough for the stack, where each level keeps a position.
const DEEPEST: u8 = 48;

/// Nodes between two looks at the clock.
const NODES_PER_CLOCK_CHECK: u64 = 256;

/// When a search ends, whichever comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Positions visited at the most.
    pub nodes: u64,
    /// Turns looked ahead at the most.
    pub depth: u8,
    /// When the answer must be there.
    pub deadline: Option<Instant>,
}

impl Limits {
    /// So many positions, however long they take.
    pub const fn nodes(nodes: u64) -> Self {
        Self { nodes, depth: DEEPEST, deadline: None }
    }

    /// So many turns, however long they take.
    pub const fn depth(depth: u8) -> Self {
        Self { nodes: u64::MAX, depth, deadline: None }
    }

    /// As far as there is time for.
    pub const fn until(deadline: Instant) -> Self {
        Self { nodes: u64::MAX, depth: DEEPEST, deadline: Some(deadline) }
    }
}

/// What a search has come to.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchResult {
    /// The turn to play.
    pub best: Turn,
    /// Its score for the side to move: an evaluation, or at least 31,000 for a win and at most -31,000
    /// for a loss.
    pub score: i32,
    /// The result with the best play of both sides, if that is proven.
    pub proven: Option<Outcome>,
    /// Turns until the end of the game, if a win or a loss is proven: the winner knows no faster
    /// way, the loser no slower one, of those that were searched.
    pub turns_left: Option<u32>,
    /// Turns looked ahead to the end; 0 if there was no time for one.
    pub depth: u8,
    /// Positions visited.
    pub nodes: u64,
}

/// A search and the memory it uses. Nothing is remembered from one search to the next.
#[derive(Clone, Debug)]
pub struct AlphaBetaSearch {
    table: Table,
    ordering: Ordering,
    lists: Lists,
    legal: Vec<Action>,
    limits: Limits,
    /// Turns played before the search.
    start: u32,
    nodes: u64,
    /// How often an evaluation, or something that rests on one, took the place of a search.
    evaluations: u64,
    stopped: bool,
}

impl Default for AlphaBetaSearch {
    fn default() -> Self {
        Self::new(1 << 20)
    }
}

/// A turn of the root and the position after it.
struct Root<G> {
    turn: Turn,
    next: G,
}

/// What a search of all turns of the root has come to.
struct Round {
    /// The best score, of the turn now in front; none if there was no time for any.
    score: Option<i32>,
    /// Turns searched to the end.
    searched: usize,
    /// Whether no evaluation had a part in it.
    complete: bool,
}

/// Where a search came from: who moved there, and the turns before it.
#[derive(Clone, Copy)]
struct Parent {
    mover: Side,
    ply: u32,
}

impl Parent {
    fn of<G: Game>(game: &G) -> Self {
        Self { mover: game.to_move(), ply: game.ply() }
    }
}

impl AlphaBetaSearch {
    /// A search with a table of at most so many entries, of 16 bytes each.
    pub fn new(entries: usize) -> Self {
        Self {
            table: Table::new(entries),
            ordering: Ordering::default(),
            lists: Lists::default(),
            legal: Vec::new(),
            limits: Limits::nodes(0),
            start: 0,
            nodes: 0,
            evaluations: 0,
            stopped: false,
        }
    }

    /// The best turn, or what is left of it where a turn has begun; none if the game is over. The
    /// result is a function of the arguments, as long as there is no deadline.
    pub fn search<G: Game>(&mut self, game: &G, limits: &Limits) -> Option<SearchResult> {
        self.begin(game, limits);
        let turns = legal_turns(game).into_iter();
        let mut roots: Vec<Root<G>> = turns.map(|turn| Root::new(game, turn)).collect();
        let mut result = SearchResult {
            best: roots.first()?.turn.clone(),
            score: 0,
            proven: None,
            turns_left: None,
            depth: 0,
            nodes: 0,
        };
        for depth in 1..=limits.depth.clamp(1, DEEPEST) {
            let round = self.search_roots(game, &mut roots, depth);
            self.update_result(game, &mut result, &roots, &round);
            if self.stopped {
                break;
            }
            result.depth = depth;
            if result.proven.is_some() {
                break;
            }
        }
        result.nodes = self.nodes;
        Some(result)
    }

    fn begin<G: Game>(&mut self, game: &G, limits: &Limits) {
        self.table.clear();
        self.ordering.clear(G::SPEC.actions());
        self.limits = *limits;
        self.start = game.ply();
        self.nodes = 0;
        self.evaluations = 0;
        self.stopped = false;
    }

    /// Takes over what a round has found, as far as it got.
    fn update_result<G: Game>(
        &self,
        game: &G,
        result: &mut SearchResult,
        roots: &[Root<G>],
        round: &Round,
    ) {
        let Some(score) = round.score else {
            return;
        };
        let all = !self.stopped;
        if score <= LOST && !all {
            // The turns tried are lost; those not tried any more are as good as they were.
            result.best = roots[round.searched].turn.clone();
            return;
        }
        result.best = roots[0].turn.clone();
        result.score = score;
        let mover = game.to_move();
        result.proven = match score {
            PROVEN.. => Some(Outcome::Win(mover)),
            ..=LOST if all => Some(Outcome::Win(mover.other())),
            _ => (all && round.complete).then_some(Outcome::Draw),
        };
        let decided = score.abs() >= PROVEN && result.proven.is_some();
        result.turns_left = decided.then_some((WIN - score.abs()) as u32);
    }

    /// Searches all turns of the root, and brings the best to the front.
    fn search_roots<G: Game>(&mut self, game: &G, roots: &mut [Root<G>], depth: u8) -> Round {
        let evaluations = self.evaluations;
        let (mut score, mut searched) = (None, 0);
        while searched < roots.len() {
            let alpha = score.unwrap_or(-INFINITE);
            let next = roots[searched].next;
            let value = self.scout(Parent::of(game), &next, depth, [alpha, INFINITE], 0);
            if self.stopped {
                break;
            }
            if value > alpha {
                score = Some(value);
                roots[..=searched].rotate_right(1);
            }
            searched += 1;
        }
        Round { score, searched, complete: self.evaluations == evaluations }
    }

    /// The value of what follows an action. After the first one it is only asked whether it is
    /// better than the best so far, and the whole value only if it is (Marsland and Campbell 1982).
    fn scout<G: Game>(
        &mut self,
        parent: Parent,
        next: &G,
        depth: u8,
        [alpha, beta]: [i32; 2],
        level: usize,
    ) -> i32 {
        if alpha > -INFINITE && beta - alpha > 1 {
            let value = self.follow(parent, next, depth, [alpha, alpha + 1], level);
            if value <= alpha || value >= beta || self.stopped {
                return value;
            }
        }
        self.follow(parent, next, depth, [alpha, beta], level)
    }

    /// The value of a position for the side that moved before it.
    fn follow<G: Game>(
        &mut self,
        parent: Parent,
        next: &G,
        depth: u8,
        [alpha, beta]: [i32; 2],
        level: usize,
    ) -> i32 {
        if let Some(outcome) = next.outcome() {
            return self.score_of_end(outcome, parent.mover, next.ply());
        }
        let depth = depth - u8::from(next.ply() > parent.ply);
        if next.to_move() == parent.mover {
            self.search_node(next, depth, [alpha, beta], level)
        } else {
            -self.search_node(next, depth, [-beta, -alpha], level)
        }
    }

    fn score_of_end(&self, outcome: Outcome, side: Side, ply: u32) -> i32 {
        let win = WIN - (ply - self.start) as i32;
        match outcome {
            Outcome::Win(winner) if winner == side => win,
            Outcome::Win(_) => -win,
            Outcome::Draw => 0,
        }
    }

    /// The value of an unfinished position for its side to move, or a bound of it if it is not
    /// between `alpha` and `beta`.
    fn search_node<G: Game>(
        &mut self,
        game: &G,
        depth: u8,
        [alpha, beta]: [i32; 2],
        level: usize,
    ) -> i32 {
        self.count_node();
        if self.stopped {
            return 0;
        }
        if depth == 0 {
            self.evaluations += 1;
            return game.heuristic().clamp(-HEURISTIC_BOUND, HEURISTIC_BOUND);
        }
        let soonest = WIN - (game.ply() + 1 - self.start) as i32;
        if alpha >= soonest {
            return soonest;
        }
        let key = game.full_key();
        let known = self.table.get(key);
        if let Some(score) = known.and_then(|entry| entry.answer(depth, [alpha, beta])) {
            self.evaluations += u64::from(known.is_some_and(|entry| !entry.is_complete()));
            return score;
        }
        let evaluations = self.evaluations;
        let table_action = known.map(|entry| entry.action);
        let (score, action) = self.search_actions(game, depth, [alpha, beta], level, table_action);
        if !self.stopped {
            let bound = Bound::of(score, [alpha, beta]);
            let complete = self.evaluations == evaluations || bound.proves(score);
            self.table.put(key, (score, bound), action, depth, complete);
        }
        score
    }

    /// The best value among the actions, or the first of at least `beta`, and its action.
    fn search_actions<G: Game>(
        &mut self,
        game: &G,
        depth: u8,
        [alpha, beta]: [i32; 2],
        level: usize,
        table_action: Option<Action>,
    ) -> (i32, Action) {
        let (parent, place) = (Parent::of(game), (game.to_move(), level));
        let mut list = self.lists.take(level);
        game.legal_actions(&mut self.legal);
        self.ordering.rate(&mut list, &self.legal, place, table_action);
        let (mut best, mut best_action) = (-INFINITE, 0);
        for index in 0..list.len() {
            let action = pick(&mut list, index);
            let mut next = *game;
            next.play(action);
            let window = [alpha.max(best), beta];
            let value = match index {
                0 => self.follow(parent, &next, depth, window, level + 1),
                _ => self.scout(parent, &next, depth, window, level + 1),
            };
            if self.stopped {
                break;
            }
            if value > best {
                (best, best_action) = (value, action);
            }
            if value >= beta {
                self.ordering.note(action, place, depth);
                break;
            }
        }
        self.lists.put_back(level, list);
        (best, best_action)
    }

    fn count_node(&mut self) {
        let late = || self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if self.nodes >= self.limits.nodes || self.nodes.is_multiple_of(NODES_PER_CLOCK_CHECK) && late() {
            self.stopped = true;
        } else {
            self.nodes += 1;
        }
    }
}

impl<G: Game> Root<G> {
    fn new(game: &G, turn: Turn) -> Self {
        Self { next: turn.after(game), turn }
    }
}
