//! A player: a search, evaluators, and turns rather than actions.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::classic::root_prover::RootProver;
use crate::games::{Action, Game, Outcome, Turn};
use crate::search::{self, Batch, Cache, Gathered, Leaf, Plan, Search, Solo};
use crate::search::{Evaluator, Wdl};

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

    /// As many simulations as there is time for.
    pub fn until(deadline: Instant) -> Self {
        Self { simulations: u32::MAX, deadline: Some(deadline) }
    }
}

/// What a player may spend on a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Budget {
    /// Simulations for each of its actions.
    Simulations(u32),
    /// The same where no time is allotted, otherwise as many as there is time for.
    Otherwise(u32),
    /// Time.
    Time(Duration),
}

impl Budget {
    /// The limits of a turn that begins now and may take no longer than the time allotted, if any
    /// is.
    pub fn within(self, allotted: Option<Duration>) -> Limits {
        let deadline = allotted.map(|time| Instant::now() + time);
        match self {
            Self::Simulations(simulations) => Limits { simulations, deadline },
            Self::Otherwise(simulations) => {
                let simulations = if deadline.is_some() { MOST_TIMED } else { simulations };
                Limits { simulations, deadline }
            }
            Self::Time(time) => Limits::until(Instant::now() + allotted.unwrap_or(time).min(time)),
        }
    }
}

/// A turn the player has thought about.
#[derive(Clone, PartialEq, Debug)]
pub struct RankedTurn {
    /// The turn.
    pub turn: Turn,
    /// Simulations that went through it.
    pub visits: u32,
    /// Product of the priors of its actions.
    pub prior: f32,
    /// Win, draw and loss for the side that plays it; of no meaning without visits.
    pub wdl: Wdl,
    /// The result it leads to, if that is certain.
    pub proven: Option<Outcome>,
}

/// What a player thinks of a position.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchReport {
    /// The turn it would play.
    pub best: Turn,
    /// Its evaluation of the position for the side to move.
    pub value: Wdl,
    /// The evaluator's own evaluation, without search.
    pub raw: Wdl,
    /// The result under best play, if it is certain.
    pub proven: Option<Outcome>,
    /// The turns it thought about, best first.
    pub turns: Vec<RankedTurn>,
    /// The line it expects, beginning with `best`.
    pub line: Vec<Turn>,
    /// Simulations made.
    pub simulations: u32,
}

/// The longest expected line given.
const LINE: usize = 12;

/// The most leaves of the tree that are evaluated at the same time; few enough that the search
/// hardly suffers from choosing each without knowing the others' values.
const MOST_LEAVES: usize = 16;

/// One more leaf at a time for so many simulations: a small tree has no two leaves that are both
/// worth it. This does not depend on the number of threads, and neither do the results.
const SIMULATIONS_A_LEAF: u32 = 16;

/// The most simulations of a turn whose time somebody else allots, for the sake of memory.
const MOST_TIMED: u32 = 10_000_000;

/// The most simulations made while the other side thinks, for the sake of memory.
const MOST_PONDERED: u32 = 5_000_000;

/// Certain results after which the time is looked at.
const ENDS_A_ROUND: usize = 1024;

/// A search with evaluators, one for each thread, and the memory it uses.
#[derive(Debug)]
pub struct Player<G: Game, E> {
    evaluators: Vec<E>,
    batches: Vec<Batch<G>>,
    leaves: Vec<Leaf<G>>,
    search: Search<G>,
    root_prover: RootProver<G>,
    /// Finishes turns that the search did not get to the end of.
    finisher: Solo<G>,
    cache: Cache,
}

impl<G: Game, E: Evaluator<G> + Send> Player<G, E> {
    /// A player that searches by `settings`, without noise, on as many threads as there are
    /// evaluators.
    ///
    /// # Panics
    ///
    /// If there are no evaluators.
    pub fn new(evaluators: Vec<E>, settings: search::Settings) -> Self {
        assert!(!evaluators.is_empty(), "a player needs an evaluator");
        Self {
            batches: evaluators.iter().map(|_| Batch::default()).collect(),
            evaluators,
            leaves: vec![Leaf::default(); MOST_LEAVES],
            search: Search::new(settings),
            root_prover: RootProver::new(&settings),
            finisher: Solo::new(Search::new(settings)),
            cache: Cache::new(settings.cache_mib, G::SPEC.actions()),
        }
    }

    /// Thinks about an unfinished position at the beginning of a turn.
    pub fn think(&mut self, game: &G, limits: &Limits) -> SearchReport {
        self.think_while(game, limits, &|| true)
    }

    /// The same, for as long as it is also told to go on: a limit that may come nearer meanwhile.
    pub fn think_while(
        &mut self,
        game: &G,
        limits: &Limits,
        goes_on: &dyn Fn() -> bool,
    ) -> SearchReport {
        let goes_on = &|| {
            let in_time = limits.deadline.is_none_or(|deadline| Instant::now() < deadline);
            in_time && goes_on()
        };
        self.run(game, limits, goes_on);
        let best = self.turn(game, goes_on);
        let mut turns = Vec::new();
        self.collect(game, &Turn::default(), 1.0, &mut turns);
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

    /// The turn to be played. Where the search was too short to get to the end of it, evaluations
    /// alone choose the rest.
    fn turn(&mut self, game: &G, goes_on: &dyn Fn() -> bool) -> Turn {
        let begun = self.root_prover.turn(&self.search, game, goes_on).unwrap_or_default();
        let (mut position, mut turn) = (*game, Turn::default());
        for action in begun {
            (position, turn) = turn.extended(&position, action);
        }
        while position.ply() == game.ply()
            && let Some(action) = self.at_first_sight(position)
        {
            (position, turn) = turn.extended(&position, action);
        }
        turn
    }

    /// Brings the turn to be played to the front of those considered, with what was proven of it.
    fn put_first(&self, game: &G, best: &Turn, turns: &mut Vec<RankedTurn>) {
        let mover = game.to_move();
        let proven = self.search.proven();
        if let Some(index) = turns.iter().position(|found| found.turn == *best) {
            turns[..=index].rotate_right(1);
        } else if proven.is_some() || !turns.is_empty() {
            // It was proven beside the search, or is all that is left when others were.
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

    /// Notes that the game went on by `turn` from the position thought about last, so that what
    /// was found out can be of use for the next.
    pub fn follow(&mut self, turn: &Turn) {
        turn.actions.iter().for_each(|&action| self.search.advance(action));
    }

    /// Forgets what was found out, as for a new game; evaluations are kept.
    pub fn forget(&mut self) {
        self.search.forget();
    }

    /// Thinks about a position, while the other side does, until told to stop.
    pub fn ponder(&mut self, game: &G, stop: &AtomicBool) {
        self.search.begin(*game, Plan::default());
        let is_full = |search: &Search<G>| search.simulations() >= MOST_PONDERED;
        while !self.search.is_done() && !is_full(&self.search) && !stop.load(Ordering::Relaxed) {
            self.round(MOST_PONDERED);
        }
    }

    fn run(&mut self, game: &G, limits: &Limits, goes_on: &dyn Fn() -> bool) {
        let most = limits.simulations.max(1);
        // Halving would have to know how many simulations there is time for.
        let simulations = limits.deadline.is_none().then_some(most);
        self.search.begin(*game, Plan { simulations, ..Plan::default() });
        self.root_prover.begin();
        let mut longest = Duration::ZERO;
        while !self.search.is_done() && self.search.simulations() < most {
            let begun = Instant::now();
            // The evaluation of the root is the least that makes an answer, and the last look is to
            // find time.
            let last_look = self.root_prover.time_of_a_look(self.search.simulations());
            let is_over = |deadline: Instant| begun + longest + last_look >= deadline;
            let is_stopped = || limits.deadline.is_some_and(is_over) || !goes_on();
            if self.search.is_evaluated() && is_stopped() {
                break;
            }
            self.round(most);
            // One that took unusually long is forgotten by and by.
            longest = begun.elapsed().max(longest.mul_f32(0.9));
            if self.root_prover.is_due(self.search.simulations()) {
                self.root_prover.look(&mut self.search, game, goes_on);
            }
        }
        self.root_prover.look(&mut self.search, game, goes_on);
    }

    /// Gathers some leaves, as far as so many simulations allow, has them evaluated, and puts what
    /// was said into the tree.
    fn round(&mut self, most: u32) {
        let wanted = 1 + (self.search.simulations() / SIMULATIONS_A_LEAF) as usize;
        let found = self.gather(wanted.min(MOST_LEAVES), most);
        let work = self.evaluators.par_iter_mut().zip(&mut self.batches);
        if found > 1 && work.len() > 1 {
            work.for_each(|(evaluator, batch)| batch.run(evaluator));
        } else {
            let work = self.evaluators.iter_mut().zip(&mut self.batches);
            work.for_each(|(evaluator, batch)| batch.run(evaluator));
        }
        let mut leaves = self.leaves.iter();
        // In the order in which they were gathered, however many batches there are.
        let Self { batches, search, cache, .. } = self;
        for batch in batches {
            batch.hand_out(cache, |_, evaluation| {
                search.apply(leaves.next().expect("a leaf for each evaluation"), evaluation);
            });
        }
    }

    /// Gathers up to so many leaves into the batches, the first batch first; how many were found.
    fn gather(&mut self, wanted: usize, most: u32) -> usize {
        self.batches.iter_mut().for_each(Batch::clear);
        let share = wanted.div_ceil(self.batches.len());
        let (mut found, mut ends) = (0, 0);
        let is_left = |search: &Search<G>, found| search.simulations() + (found as u32) < most;
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

    /// Collects the complete turns that the search knows something of, by the preference for their
    /// first action, then for their second: the order in which they would be played.
    fn collect(&self, game: &G, begun: &Turn, prior: f32, out: &mut Vec<RankedTurn>) {
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

    /// The line of best actions, as far as its turns are complete.
    fn line(&self, game: &G) -> Vec<Turn> {
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
    fn at_first_sight(&mut self, position: G) -> Option<Action> {
        let Self { finisher, evaluators, cache, .. } = self;
        finisher.search.begin(position, Plan::simulations(1));
        finisher.run(&mut evaluators[0], cache);
        finisher.search.best()
    }
}
