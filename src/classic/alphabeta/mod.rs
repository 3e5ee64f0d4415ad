//! Alpha-beta search with iterative deepening and a hand-written heuristic, an opponent for every
//! game.
//!
//! Scores are for the side to move. They change their sign if the other side moves next, and keep
//! it if the same side continues its turn. Depth counts turns, not actions.
//!
//! A proven result is exact for the game with all its options, including the limits on its length:
//! positions share an entry of the table only if [`Game::full_key`] is equal, and a score counts as
//! a proof only if it does not depend on heuristic scores.

mod ordering;
mod table;

pub(crate) use ordering::{Lists, Ordering, pick};
use table::{Bound, Table};

use crate::base::clock::Instant;
use crate::games::{Action, Game, Outcome, Side, Turn, legal_turns};

/// The score of a win at the root. It is one less for each turn until the win.
const WIN: i32 = 32_000;
/// Scores of at least this are wins.
const PROVEN: i32 = 31_000;
const LOST: i32 = -PROVEN;
/// The bound of heuristic scores.
const HEURISTIC_BOUND: i32 = 20_000;
/// More than any score.
const INFINITE: i32 = WIN + 1;

/// The maximum depth in turns. It is limited by the stack, on which each level keeps a position.
/// Only searches of positions with few choices reach it.
const DEEPEST: u8 = 48;

/// The number of nodes between two checks of the clock.
const NODES_PER_CLOCK_CHECK: u64 = 256;

/// The limits of a search. It ends at the first one that is reached.
#[derive(Clone, Copy)]
pub(crate) struct Limits<'a> {
    /// The maximum number of positions visited.
    pub nodes: u64,
    /// The maximum depth in turns.
    pub depth: u8,
    /// The time at which the search must stop.
    pub deadline: Option<Instant>,
    /// The search stops when it returns false.
    pub keep_going: &'a dyn Fn() -> bool,
}

impl Limits<'_> {
    /// A fixed number of positions, without a time limit.
    pub(crate) const fn nodes(nodes: u64) -> Self {
        Self { nodes, depth: DEEPEST, deadline: None, keep_going: &|| true }
    }

    /// A fixed depth in turns, without a time limit.
    #[cfg(test)]
    pub(crate) const fn depth(depth: u8) -> Self {
        Self { nodes: u64::MAX, depth, deadline: None, keep_going: &|| true }
    }

    /// As deep as the deadline allows.
    #[cfg(test)]
    pub(crate) const fn until(deadline: Instant) -> Self {
        Self { deadline: Some(deadline), ..Self::nodes(u64::MAX) }
    }
}

/// The result of a search.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct SearchResult {
    /// The turn to play.
    pub best: Turn,
    /// Its score for the side to move: at least 31,000 for a win, at most -31,000 for a loss,
    /// otherwise heuristic, from -20,000 to 20,000.
    pub score: i32,
    /// The outcome with best play, if it is proven.
    pub proven: Option<Outcome>,
    /// The number of turns until the end of the game, if a win or a loss is proven: the shortest
    /// win or the longest loss of those that were searched.
    pub turns_left: Option<u32>,
    /// The depth in turns of the last completed iteration, 0 if there is none.
    pub depth: u8,
    /// The number of positions visited.
    pub nodes: u64,
}

/// An alpha-beta search. Its memory is reused by the next search, its contents are not.
#[derive(Clone, Debug)]
pub(crate) struct AlphaBetaSearch {
    table: Table,
    ordering: Ordering,
    lists: Lists,
    legal: Vec<Action>,
    /// The number of turns played before the search.
    start: u32,
    nodes: u64,
    /// The number of uses of heuristic scores, including scores from the table that depend on them.
    evaluations: u64,
    stopped: bool,
}

impl Default for AlphaBetaSearch {
    fn default() -> Self {
        Self::new(1 << 20)
    }
}

/// A legal turn of the root and the position after it.
struct Root<G> {
    turn: Turn,
    next: G,
}

/// The result of an iteration over all turns of the root.
struct Round {
    /// The best score, which is that of the first turn. `None` if no turn was completed.
    score: Option<i32>,
    /// The number of turns whose search was completed.
    searched: usize,
    /// Whether no heuristic score was used.
    complete: bool,
}

/// The side to move and the number of turns at the parent of a node.
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
    /// A search with a table of at most `entries` entries of 16 bytes.
    pub(crate) fn new(entries: usize) -> Self {
        Self {
            table: Table::new(entries),
            ordering: Ordering::default(),
            lists: Lists::default(),
            legal: Vec::new(),
            start: 0,
            nodes: 0,
            evaluations: 0,
            stopped: false,
        }
    }

    /// Searches for the best turn, or the rest of a turn that has begun. `None` if the game is
    /// over. Without a deadline the result depends on the arguments only.
    pub(crate) fn search<G: Game>(
        &mut self,
        game: &G,
        limits: &Limits<'_>,
    ) -> Option<SearchResult> {
        self.begin(game);
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
            let round = self.search_roots(game, &mut roots, depth, limits);
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

    fn begin<G: Game>(&mut self, game: &G) {
        self.table.clear();
        self.ordering.clear(G::SPEC.actions());
        self.start = game.ply();
        self.nodes = 0;
        self.evaluations = 0;
        self.stopped = false;
    }

    /// Updates the result by a complete or interrupted iteration.
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
            // All turns searched are lost: keep the next one, which is not known to be.
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

    /// Searches all turns of the root, and moves the best to the front.
    fn search_roots<G: Game>(
        &mut self,
        game: &G,
        roots: &mut [Root<G>],
        depth: u8,
        limits: &Limits<'_>,
    ) -> Round {
        let evaluations = self.evaluations;
        let (mut score, mut searched) = (None, 0);
        while searched < roots.len() {
            let alpha = score.unwrap_or(-INFINITE);
            let next = roots[searched].next;
            let value = self.scout(Parent::of(game), &next, depth, [alpha, INFINITE], 0, limits);
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

    /// The score of a position after an action, for the side that played it. Principal variation
    /// search (Marsland and Campbell 1982): a null-window search first tests whether the score is
    /// above `alpha`.
    fn scout<G: Game>(
        &mut self,
        parent: Parent,
        next: &G,
        depth: u8,
        [alpha, beta]: [i32; 2],
        level: usize,
        limits: &Limits<'_>,
    ) -> i32 {
        if alpha > -INFINITE && beta - alpha > 1 {
            let value = self.follow(parent, next, depth, [alpha, alpha + 1], level, limits);
            if value <= alpha || value >= beta || self.stopped {
                return value;
            }
        }
        self.follow(parent, next, depth, [alpha, beta], level, limits)
    }

    /// The score of a position for the side that moved before it.
    fn follow<G: Game>(
        &mut self,
        parent: Parent,
        next: &G,
        depth: u8,
        [alpha, beta]: [i32; 2],
        level: usize,
        limits: &Limits<'_>,
    ) -> i32 {
        if let Some(outcome) = next.outcome() {
            return self.score_of_end(outcome, parent.mover, next.ply());
        }
        let depth = depth - u8::from(next.ply() > parent.ply);
        if next.to_move() == parent.mover {
            self.search_node(next, depth, [alpha, beta], level, limits)
        } else {
            -self.search_node(next, depth, [-beta, -alpha], level, limits)
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

    /// The score of an unfinished position for its side to move, or a bound of it if it is not
    /// between `alpha` and `beta`.
    fn search_node<G: Game>(
        &mut self,
        game: &G,
        depth: u8,
        [alpha, beta]: [i32; 2],
        level: usize,
        limits: &Limits<'_>,
    ) -> i32 {
        self.count_node(limits);
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
        let (score, action) =
            self.search_actions(game, depth, [alpha, beta], level, table_action, limits);
        if !self.stopped {
            let bound = Bound::of(score, [alpha, beta]);
            let complete = self.evaluations == evaluations || bound.proves(score);
            self.table.put(key, (score, bound), action, depth, complete);
        }
        score
    }

    /// The best score of the actions, or the first one of at least `beta`, and its action.
    fn search_actions<G: Game>(
        &mut self,
        game: &G,
        depth: u8,
        [alpha, beta]: [i32; 2],
        level: usize,
        table_action: Option<Action>,
        limits: &Limits<'_>,
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
                0 => self.follow(parent, &next, depth, window, level + 1, limits),
                _ => self.scout(parent, &next, depth, window, level + 1, limits),
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

    fn count_node(&mut self, limits: &Limits<'_>) {
        let late = || limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if self.nodes >= limits.nodes
            || self.nodes.is_multiple_of(NODES_PER_CLOCK_CHECK)
                && (late() || !(limits.keep_going)())
        {
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
