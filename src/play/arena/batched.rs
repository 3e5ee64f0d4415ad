//! Many games of a match at once, in which the leaves of each player are evaluated together.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::{Effort, Opening, Played};
use crate::base::parallel::{in_order, map_workers};
use crate::exact::book::Book;
use crate::exact::root_prover::{Actions, RootProver};
use crate::games::{Action, Outcome, Side, Text, Turn};
use crate::play::Threefold;
use crate::registry::Position;
use crate::search::{
    Batch, BoxedEvaluator, Cache, GameSlots, Leaf, Plan, Search, SearchedGame, Searching, Settings,
};

/// One of the two players of a batched match.
pub(crate) struct BatchedPlayer {
    /// An evaluator for each thread.
    pub evaluators: Vec<BoxedEvaluator>,
    /// Settings of its search.
    pub search: Settings,
    /// Simulations of the search of each turn.
    pub simulations: u32,
    /// Wins that it knows without a search.
    pub book: Option<Arc<Book>>,
}

/// The most games that a thread plays at the same time: enough for full batches, few enough for
/// modest memory.
const MOST_SLOTS: usize = 128;

/// Plays two games from each opening, colours exchanged, on as many threads as both players have
/// evaluators. Returns the games of each opening, in the order of the openings; the first of a pair
/// is the game in which the first player moves first. `watch` receives the number of finished
/// games.
///
/// The results do not depend on the number of threads or of games in progress. Turns are not timed.
#[cfg(test)]
pub(crate) fn play_batched(
    openings: &[Opening],
    players: &mut [BatchedPlayer; 2],
    watch: &(dyn Fn(u64) + Sync),
) -> Vec<[Played; 2]> {
    let played = play_batched_until(openings, players, watch, &AtomicBool::new(false));
    played.into_iter().flatten().collect()
}

/// As [`play_batched`], until `stop` is set. A pair of games that is not finished then is `None`.
pub(crate) fn play_batched_until(
    openings: &[Opening],
    players: &mut [BatchedPlayer; 2],
    watch: &(dyn Fn(u64) + Sync),
    stop: &AtomicBool,
) -> Vec<Option<[Played; 2]>> {
    let games = 2 * openings.len();
    let settings = players.each_ref().map(|player| (player.search, player.simulations.max(1)));
    let books = players.each_ref().map(|player| player.book.clone());
    let [first, second] = players;
    let evaluators = first.evaluators.iter_mut().zip(&mut second.evaluators);
    let evaluators: Vec<_> = evaluators.map(|(first, second)| [first, second]).collect();
    let actions = openings.first().map_or(0, |opening| opening.position.spec().actions());
    let job = MatchJob {
        openings,
        settings,
        books,
        caches: settings.map(|(search, _)| Cache::new(search.cache_mib, actions)),
        // Few enough slots that every thread gets some of the games.
        slots: openings.len().div_ceil(evaluators.len().max(1)).saturating_mul(2).min(MOST_SLOTS),
        next: AtomicUsize::new(0),
        finished: AtomicU64::new(0),
        watch,
        stop,
    };
    let done = map_workers(evaluators, |evaluators| job.play(evaluators), || {});
    let mut played = in_order(games, done).into_iter();
    let pairs = std::iter::from_fn(|| Some([played.next()?, played.next()?]));
    pairs.map(|[one, two]| Some([one?, two?])).collect()
}

/// The games of a match, shared by all threads.
struct MatchJob<'a> {
    openings: &'a [Opening],
    /// How each player searches, and its simulations for each turn.
    settings: [(Settings, u32); 2],
    books: [Option<Arc<Book>>; 2],
    caches: [Cache; 2],
    /// Games in progress on each thread.
    slots: usize,
    /// The number of the next game: openings in order, two games each.
    next: AtomicUsize,
    finished: AtomicU64,
    watch: &'a (dyn Fn(u64) + Sync),
    stop: &'a AtomicBool,
}

impl MatchJob<'_> {
    /// Plays games on this thread until none are left, or until `stop` is set; returns the finished
    /// ones with their numbers.
    fn play(&self, mut evaluators: [&mut BoxedEvaluator; 2]) -> Vec<(usize, Played)> {
        let mut root_provers = [0, 1].map(|player: usize| {
            let (search, _) = &self.settings[player];
            RootProver::new(search).with_book(self.books[player].as_ref(), search)
        });
        let mut batches = [Batch::default(), Batch::default()];
        let mut slots = GameSlots::new(self.slots);
        let mut played = Vec::new();
        let caches = self.caches.each_ref();
        loop {
            batches.iter_mut().for_each(Batch::clear);
            let finish = |game: MatchGame| {
                (self.watch)(self.finished.fetch_add(1, Ordering::Relaxed) + 1);
                played.push(game.played());
            };
            slots.fill(&mut batches, &caches, &mut root_provers, || self.start(), finish);
            if slots.is_empty() || self.stop.load(Ordering::Relaxed) {
                return played;
            }
            for (player, evaluator) in evaluators.iter_mut().enumerate() {
                batches[player].run(&mut ***evaluator);
                slots.hand_out(player, &mut batches[player], caches[player]);
            }
        }
    }

    /// Starts the next game.
    fn start(&self) -> Option<MatchGame> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let opening = self.openings.get(number / 2)?;
        Some(MatchGame::new(number, opening, self.settings))
    }
}

/// A game of a match in progress.
struct MatchGame {
    /// Its number in the match. In even games the first player moves first.
    number: usize,
    position: Position,
    /// The turns so far.
    moves: Vec<Text>,
    /// Whether the third occurrence of a position is a draw.
    threefold: Threefold,
    /// The actions of the current turn so far: none, unless the search did not reach its last ones.
    turn: Turn,
    efforts: [Effort; 2],
    /// Each player has a tree of its own.
    searches: [Search; 2],
    /// Complete turns whose last actions the search did not reach, by single evaluations.
    finishers: [Search; 2],
    simulations: [u32; 2],
    leaf: Leaf,
}

impl MatchGame {
    fn new(number: usize, opening: &Opening, settings: [(Settings, u32); 2]) -> Self {
        let mut game = Self {
            number,
            position: opening.position,
            moves: opening.moves.clone(),
            threefold: opening.threefold.clone(),
            turn: Turn::default(),
            efforts: Default::default(),
            searches: settings.map(|(search, _)| Search::new(search)),
            finishers: settings.map(|(search, _)| Search::new(search)),
            simulations: settings.map(|(_, simulations)| simulations),
            leaf: Leaf::default(),
        };
        game.begin();
        game
    }

    /// The side of the first player.
    fn first(&self) -> Side {
        if self.number.is_multiple_of(2) { Side::P1 } else { Side::P2 }
    }

    /// The player to move.
    fn player(&self) -> usize {
        usize::from(self.position.to_move() != self.first())
    }

    /// Whether actions of the current turn have been played.
    fn is_begun(&self) -> bool {
        !self.turn.actions.is_empty()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.threefold.outcome(&self.position)
    }

    /// Begins the search of the current position, unless the game is over.
    fn begin(&mut self) {
        if self.outcome().is_none() {
            let player = self.player();
            let simulations = if self.is_begun() { 1 } else { self.simulations[player] };
            let position = self.position;
            let Searching { search, .. } = self.search();
            search.begin(position, Plan::simulations(simulations));
        }
    }

    /// The turn by the search, which is done, or its first actions.
    fn searched_turn(&mut self, root_provers: &mut [RootProver; 2]) -> Actions {
        let player = self.player();
        let (search, root_prover) = (&mut self.searches[player], &mut root_provers[player]);
        root_prover.begin(false);
        root_prover.look(search, &self.position, &|| true);
        self.efforts[player].work += u64::from(search.simulations());
        let turn = root_prover.turn(search, &self.position, &|| true);
        turn.expect("an open position has legal actions")
    }

    /// Plays an action.
    fn act(&mut self, action: Action) {
        let (before, player) = (self.position.ply(), self.player());
        (self.position, self.turn) = self.turn.extended(&self.position, action);
        if self.position.ply() > before {
            self.efforts[player].turns += 1;
            self.threefold.note(&self.position);
            self.moves.push(std::mem::take(&mut self.turn).text);
        }
        self.searches.iter_mut().for_each(|search| search.advance(action));
    }

    fn played(self) -> (usize, Played) {
        let outcome = self.outcome().unwrap_or(Outcome::Draw);
        let first = self.first();
        let Self { number, moves, efforts, .. } = self;
        (number, Played { moves, first, outcome, efforts, forfeit: None })
    }
}

impl SearchedGame for MatchGame {
    /// The root prover of each player.
    type Context = [RootProver; 2];

    fn is_over(&self) -> bool {
        self.outcome().is_some()
    }

    fn search(&mut self) -> Searching<'_> {
        let player = self.player();
        let searches = if self.is_begun() { &mut self.finishers } else { &mut self.searches };
        Searching { player, search: &mut searches[player], leaf: &mut self.leaf }
    }

    fn play(&mut self, root_provers: &mut [RootProver; 2]) {
        if self.is_begun() {
            let action = self.finishers[self.player()].best();
            self.act(action.expect("an open position has legal actions"));
        } else {
            let turn = self.searched_turn(root_provers);
            turn.into_iter().for_each(|action| self.act(action));
        }
        self.begin();
    }
}
