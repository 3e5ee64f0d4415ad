//! The search player: a tree search guided by evaluators, with a root prover, that returns complete
//! turns.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::report::{Budget, Limits, RankedTurn, SearchReport};
use super::{Chosen, Forfeit, Player};
use crate::base::clock::Instant;
use crate::exact::book::Book;
use crate::exact::root_prover::RootProver;
use crate::games::{Action, Outcome, Text, Turn};
use crate::registry::Position;
use crate::search::{self, Batch, BoxedEvaluator, Cache, Gathered, Leaf, Plan, Search, Solo};

/// The longest principal variation of a report, in turns.
const LINE: usize = 12;

/// The most leaves of the tree that are evaluated at the same time; few enough that the search
/// hardly suffers from choosing each without knowing the others' values.
const MOST_LEAVES: usize = 16;

/// Each time the tree has grown by this number of simulations, one more leaf is gathered at a time,
/// because a small tree has few leaves that are worth a visit. Neither this nor the results depend
/// on the number of threads.
const SIMULATIONS_A_LEAF: u32 = 16;

/// The most simulations while the other side is to move. It bounds memory.
const MOST_PONDERED: u32 = 5_000_000;

/// The most proven results of a round, so that the time is checked regularly.
const ENDS_A_ROUND: usize = 1024;

/// A player that searches, with an evaluator for each thread and the memory it uses.
pub struct SearchPlayer {
    budget: Budget,
    /// The time set for each turn.
    time: Option<Duration>,
    evaluators: Vec<BoxedEvaluator>,
    batches: Vec<Batch>,
    leaves: Vec<Leaf>,
    search: Search,
    root_prover: RootProver,
    /// Completes turns whose last actions the search did not reach.
    finisher: Solo,
    cache: Cache,
    /// Whether the cache has its size, which depends on the game.
    has_cache: bool,
}

impl SearchPlayer {
    /// A player that searches by `settings`, without noise, on as many threads as there are
    /// evaluators.
    ///
    /// # Panics
    ///
    /// If there are no evaluators.
    pub fn new(
        evaluators: Vec<BoxedEvaluator>,
        settings: search::Settings,
        budget: Budget,
    ) -> Self {
        assert!(!evaluators.is_empty(), "a player needs an evaluator");
        Self {
            budget,
            time: None,
            batches: evaluators.iter().map(|_| Batch::default()).collect(),
            evaluators,
            leaves: vec![Leaf::default(); MOST_LEAVES],
            search: Search::new(settings),
            root_prover: RootProver::new(&settings),
            finisher: Solo::new(Search::new(settings)),
            cache: Cache::new(0, 0),
            has_cache: false,
        }
    }

    /// Lets it play the wins of a book without a search.
    pub(crate) fn with_book(mut self, book: Option<&Arc<Book>>) -> Self {
        self.root_prover = self.root_prover.with_book(book, self.search.settings());
        self
    }

    /// Searches an unfinished position at the beginning of a turn.
    pub fn search(&mut self, game: &Position, limits: &Limits) -> SearchReport {
        self.search_while(game, limits, &|| true)
    }

    /// As [`search`](Self::search), but stops when `keep_going` returns false.
    pub fn search_while(
        &mut self,
        game: &Position,
        limits: &Limits,
        keep_going: &dyn Fn() -> bool,
    ) -> SearchReport {
        let keep_going = &|| {
            let in_time = limits.deadline.is_none_or(|deadline| Instant::now() < deadline);
            in_time && keep_going()
        };
        self.run(game, limits, keep_going);
        let best = self.turn(game, keep_going);
        let mut turns = Vec::new();
        self.collect(game, &Turn::default(), 1.0, &mut turns);
        let mover = game.to_move();
        turns.sort_by(|a, b| a.preference(b, mover));
        self.put_first(game, &best, &mut turns);
        let mut line = self.line(game);
        if line.first() != Some(&best) {
            line = vec![best.clone()];
        }
        SearchReport {
            best,
            value: self.search.value(),
            raw: self.search.raw(),
            proven: self.search.proven(),
            turns,
            line,
            simulations: self.search.simulations(),
        }
    }

    /// The turn to play. If the search did not reach its last actions, single evaluations choose
    /// them.
    fn turn(&mut self, game: &Position, keep_going: &dyn Fn() -> bool) -> Turn {
        let begun = self.root_prover.turn(&self.search, game, keep_going).unwrap_or_default();
        let (mut position, mut turn) = (*game, Turn::default());
        for action in begun {
            (position, turn) = turn.extended(&position, action);
        }
        while position.ply() == game.ply()
            && let Some(action) = self.evaluated_best(position)
        {
            (position, turn) = turn.extended(&position, action);
        }
        turn
    }

    /// Moves the turn to play to the front of the ranked turns, with its proven result.
    fn put_first(&self, game: &Position, best: &Turn, turns: &mut Vec<RankedTurn>) {
        let mover = game.to_move();
        let proven = self.search.proven();
        if let Some(index) = turns.iter().position(|found| found.turn == *best) {
            turns[..=index].rotate_right(1);
        } else if proven.is_some() || !turns.is_empty() {
            // The root prover found it, or proved all others lost.
            let wdl = proven.unwrap_or(Outcome::Draw).wdl_for(mover);
            let prior = self.search.candidates().find(|found| found.action == best.actions[0]);
            let prior = prior.map_or(0.0, |found| found.prior);
            turns.insert(0, RankedTurn { turn: best.clone(), visits: 0, prior, wdl, proven });
        }
        if self.root_prover.has_won() {
            let wdl = Outcome::Win(mover).wdl_for(mover);
            turns[0] = RankedTurn { wdl, proven, ..turns[0].clone() };
        }
    }

    /// Searches a position while the other side is to move, until `stop` is set.
    fn ponder_until(&mut self, game: &Position, stop: &AtomicBool) {
        self.begin(game, Plan::default());
        let is_full = |search: &Search| search.simulations() >= MOST_PONDERED;
        while !self.search.is_done() && !is_full(&self.search) && !stop.load(Ordering::Relaxed) {
            self.round(MOST_PONDERED);
        }
    }

    fn begin(&mut self, game: &Position, plan: Plan) {
        if !self.has_cache {
            self.cache = Cache::new(self.search.settings().cache_mib, game.spec().actions());
            self.has_cache = true;
        }
        self.search.begin(*game, plan);
    }

    fn run(&mut self, game: &Position, limits: &Limits, keep_going: &dyn Fn() -> bool) {
        let most = limits.simulations.max(1);
        // Sequential halving needs to know the number of simulations in advance.
        let simulations = limits.deadline.is_none().then_some(most);
        self.begin(game, Plan { simulations, ..Plan::default() });
        self.root_prover.begin(limits.deadline.is_some());
        let mut longest = Duration::ZERO;
        while !self.search.is_done() && self.search.simulations() < most {
            let begun = Instant::now();
            // A result needs at least the evaluation of the root. The root prover's last call must
            // fit into the time too.
            let last_look = self.root_prover.time_of_a_look(self.search.simulations());
            let is_over = |deadline: Instant| begun + longest + last_look >= deadline;
            let is_stopped = || limits.deadline.is_some_and(is_over) || !keep_going();
            if self.search.is_evaluated() && is_stopped() {
                break;
            }
            self.round(most);
            // The longest round decays, as it may have been an outlier.
            longest = begun.elapsed().max(longest.mul_f32(0.9));
            if self.root_prover.is_due(self.search.simulations()) {
                self.root_prover.look(&mut self.search, game, keep_going);
            }
        }
        self.root_prover.look(&mut self.search, game, keep_going);
    }

    /// Gathers leaves within the limit of `most` simulations, evaluates them, and applies the
    /// evaluations.
    fn round(&mut self, most: u32) {
        let wanted = 1 + (self.search.simulations() / SIMULATIONS_A_LEAF) as usize;
        let found = self.gather(wanted.min(MOST_LEAVES), most);
        let work = self.evaluators.iter_mut().zip(&mut self.batches);
        if found > 1 && work.len() > 1 {
            rayon::in_place_scope(|scope| {
                work.for_each(|(evaluator, batch)| scope.spawn(|_| batch.run(&mut **evaluator)));
            });
        } else {
            work.for_each(|(evaluator, batch)| batch.run(&mut **evaluator));
        }
        let mut leaves = self.leaves.iter();
        // In the order in which they were gathered, whatever the number of batches.
        let Self { batches, search, cache, .. } = self;
        for batch in batches {
            batch.hand_out(cache, |_, evaluation| {
                search.apply(leaves.next().expect("a leaf for each evaluation"), evaluation);
            });
        }
    }

    /// Gathers up to `wanted` leaves into the batches, the first batch first; returns their number.
    fn gather(&mut self, wanted: usize, most: u32) -> usize {
        self.batches.iter_mut().for_each(Batch::clear);
        let share = wanted.div_ceil(self.batches.len());
        let (mut found, mut ends) = (0, 0);
        let is_left = |search: &Search, found| search.simulations() + (found as u32) < most;
        while found < wanted && ends < ENDS_A_ROUND && is_left(&self.search, found) {
            let batch = &mut self.batches[found / share];
            match batch.gather_later(&mut self.search, &mut self.leaves[found], &self.cache) {
                Gathered::Leaf => found += 1,
                Gathered::End => ends += 1,
                Gathered::Busy | Gathered::Done => break,
            }
        }
        found
    }

    /// Collects the complete turns that were searched or proven, those that begin alike together.
    fn collect(&self, game: &Position, begun: &Turn, prior: f32, out: &mut Vec<RankedTurn>) {
        for found in self.search.ranked_after(&begun.actions) {
            let (next, turn) = begun.extended(game, found.action);
            let prior = prior * found.prior;
            if next.ply() == game.ply() {
                self.collect(&next, &turn, prior, out);
            } else {
                let (visits, wdl, proven) = (found.visits, found.wdl, found.proven);
                out.push(RankedTurn { turn, visits, prior, wdl, proven });
            }
        }
    }

    /// The principal variation, as far as its turns are complete.
    fn line(&self, game: &Position) -> Vec<Turn> {
        let (mut game, mut path) = (*game, Vec::new());
        let (mut line, mut turn) = (Vec::new(), Turn::default());
        while line.len() < LINE
            && let Some(found) = self.search.ranked_after(&path).first()
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

    /// The best action by a single evaluation.
    fn evaluated_best(&mut self, position: Position) -> Option<Action> {
        let Self { finisher, evaluators, cache, .. } = self;
        finisher.search.begin(position, Plan::simulations(1));
        finisher.run(&mut *evaluators[0], cache);
        finisher.search.best()
    }
}

impl Player for SearchPlayer {
    fn unit(&self) -> Option<&'static str> {
        Some("simulations")
    }

    fn begin_game(&mut self, game: u64) {
        self.search.forget();
        self.evaluators.iter_mut().for_each(|evaluator| evaluator.begin_game(game));
    }

    fn set_time(&mut self, time: Option<Duration>) {
        self.time = time;
    }

    fn choose_while(
        &mut self,
        position: &Position,
        _: &[Text],
        keep_going: &dyn Fn() -> bool,
    ) -> Result<Chosen, Forfeit> {
        let limits = self.budget.within(self.time);
        let report = self.search_while(position, &limits, keep_going);
        Ok(Chosen { turn: report.best, work: u64::from(report.simulations) })
    }

    fn analyze(&mut self, position: &Position) -> Option<SearchReport> {
        Some(self.search(position, &self.budget.within(self.time)))
    }

    fn analyze_within(
        &mut self,
        position: &Position,
        limits: &Limits,
        keep_going: &dyn Fn() -> bool,
    ) -> Option<SearchReport> {
        Some(self.search_while(position, limits, keep_going))
    }

    fn analyze_on(
        &mut self,
        position: &Position,
        limits: &Limits,
        keep_going: &dyn Fn() -> bool,
    ) -> Option<SearchReport> {
        self.search.stay();
        Some(self.search_while(position, limits, keep_going))
    }

    fn ponder(&mut self, position: &Position, stop: &AtomicBool) {
        self.ponder_until(position, stop);
    }

    fn advance(&mut self, turn: &Turn) {
        turn.actions.iter().for_each(|&action| self.search.advance(action));
    }
}
