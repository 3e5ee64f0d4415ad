//! Many games of a match at once, each player's leaves evaluated together.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::{Effort, Opening, Played};
use crate::base::parallel::map_workers;
use crate::classic::root_prover::RootProver;
use crate::games::{Game, Outcome, Side, Text, Turn};
use crate::play::Threefold;
use crate::search::Evaluator;
use crate::search::{Batch, Cache, Gathered, Leaf, Plan, Search, Settings};

/// One of the two players.
#[derive(Clone, Debug)]
pub struct Contestant<E> {
    /// Judges positions.
    pub evaluator: E,
    /// How it searches.
    pub search: Settings,
    /// Simulations for each of its actions.
    pub simulations: u32,
}

/// Pairs that a thread plays at the same time: enough for full batches, few enough for modest
/// memory.
const PAIRS_AT_ONCE: usize = 64;

/// Plays two games from each opening, colours exchanged, on `threads` threads; the games of each
/// opening, in the order of the openings, that in which the first player moves first in front.
/// `watch` is told how many games are finished.
///
/// Many games are in play at once, and each player's leaves are evaluated together; the result
/// does not depend on how many. Nobody measures the time of a turn.
pub fn play_batched<G: Game, A: Evaluator<G> + Clone + Send, B: Evaluator<G> + Clone + Send>(
    openings: &[Opening<G>],
    first: &Contestant<A>,
    second: &Contestant<B>,
    threads: usize,
    watch: impl Fn(u64) + Sync,
) -> Vec<[Played; 2]> {
    // Small enough parts that all threads have some.
    let size = openings.len().div_ceil(threads.max(1)).clamp(1, PAIRS_AT_ONCE);
    let parts: Vec<&[Opening<G>]> = openings.chunks(size).collect();
    let caches = [first.search, second.search]
        .map(|settings| Cache::new(settings.cache_mib, G::SPEC.actions()));
    let (next, finished) = (AtomicUsize::new(0), AtomicU64::new(0));
    let work = |mut players: Players<'_, A, B>| {
        let mut played = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(part) = parts.get(index) else {
                return played;
            };
            let games = play(part, &mut players, |more| {
                watch(finished.fetch_add(more, Ordering::Relaxed) + more);
            });
            played.push((index, games));
        }
    };
    let workers = (0..threads.max(1)).map(|_| Players::new(first, second, &caches)).collect();
    let mut played: Vec<_> = map_workers(workers, work, || {}).into_iter().flatten().collect();
    played.sort_unstable_by_key(|&(index, _)| index);
    played.into_iter().flat_map(|(_, games)| games).collect()
}

/// The two players, as one thread uses them.
struct Players<'a, A, B> {
    first: A,
    second: B,
    searches: [Settings; 2],
    budgets: [u32; 2],
    caches: &'a [Cache; 2],
}

impl<'a, A: Clone, B: Clone> Players<'a, A, B> {
    fn new(first: &Contestant<A>, second: &Contestant<B>, caches: &'a [Cache; 2]) -> Self {
        let budgets = [first.simulations, second.simulations];
        let searches = [first.search, second.search];
        let (first, second) = (first.evaluator.clone(), second.evaluator.clone());
        Self { first, second, searches, budgets, caches }
    }
}

/// The two games from each opening, all in play at once. `watch` is told of games that were
/// finished since it was called last.
fn play<G: Game, A: Evaluator<G>, B: Evaluator<G>>(
    openings: &[Opening<G>],
    players: &mut Players<'_, A, B>,
    mut watch: impl FnMut(u64),
) -> Vec<[Played; 2]> {
    let sides = [Side::P1, Side::P2];
    let start = |opening| sides.map(|side| Duel::new(opening, side, players.searches));
    let mut games: Vec<[Duel<G>; 2]> = openings.iter().map(start).collect();
    let mut batches = [Batch::default(), Batch::default()];
    let mut root_provers = players.searches.map(|settings| RootProver::new(&settings));
    let mut known = 0;
    loop {
        batches.iter_mut().for_each(Batch::clear);
        for game in games.as_flattened_mut() {
            game.advance(players.budgets, &mut batches, players.caches, &mut root_provers);
        }
        let duels = games.as_flattened();
        let finished = duels.iter().filter(|game| game.waits_for.is_none()).count();
        watch((finished - std::mem::replace(&mut known, finished)) as u64);
        if finished == duels.len() {
            return games.into_iter().map(|pair| pair.map(Duel::played)).collect();
        }
        let [one, two] = &mut batches;
        one.run(&mut players.first);
        two.run(&mut players.second);
        for (player, batch) in batches.iter_mut().enumerate() {
            let games = games.as_flattened_mut().iter_mut();
            let mut waiting = games.filter(|game| game.waits_for == Some(player));
            batch.hand_out(&players.caches[player], |_, evaluation| {
                let game = waiting.next().expect("a game for each evaluation");
                game.searches[player].apply(&game.leaf, evaluation);
            });
        }
    }
}

/// A game of the match.
struct Duel<G> {
    position: G,
    /// The side that the first player has.
    first: Side,
    /// The turns so far.
    moves: Vec<Text>,
    /// Whether the third occurrence of a position is a draw.
    threefold: Threefold,
    /// The turn that has begun.
    turn: Turn,
    efforts: [Effort; 2],
    /// Each player thinks for himself.
    searches: [Search<G>; 2],
    leaf: Leaf<G>,
    /// The player who searches the position; none before he has begun.
    searching: Option<usize>,
    /// The player whose evaluation of the leaf is awaited; none once the game is over.
    waits_for: Option<usize>,
}

impl<G: Game> Duel<G> {
    fn new(opening: &Opening<G>, first: Side, settings: [Settings; 2]) -> Self {
        Self {
            position: opening.position,
            first,
            moves: opening.moves.clone(),
            threefold: opening.threefold.clone(),
            turn: Turn::default(),
            efforts: Default::default(),
            searches: settings.map(Search::new),
            leaf: Leaf::default(),
            searching: None,
            waits_for: None,
        }
    }

    fn played(self) -> Played {
        let outcome = self.threefold.outcome(&self.position);
        let Self { moves, first, efforts, .. } = self;
        let outcome = outcome.unwrap_or(Outcome::Draw);
        Played { moves, first, outcome, efforts, forfeit: None }
    }

    /// Searches and plays until an evaluation is needed or the game is over.
    fn advance(
        &mut self,
        budgets: [u32; 2],
        batches: &mut [Batch<G>; 2],
        caches: &[Cache; 2],
        root_provers: &mut [RootProver<G>; 2],
    ) {
        self.waits_for = None;
        while self.threefold.outcome(&self.position).is_none() {
            let player = usize::from(self.position.to_move() != self.first);
            let search = &mut self.searches[player];
            if self.searching.is_none() {
                let simulations = Some(budgets[player].max(1));
                let plan = Plan { simulations, noise: None, skip_forced: search.settings().proofs };
                search.begin(self.position, plan);
                self.searching = Some(player);
            }
            match batches[player].gather(search, &mut self.leaf, &caches[player]) {
                Gathered::Leaf => {
                    self.waits_for = Some(player);
                    return;
                }
                Gathered::End => {}
                Gathered::Busy | Gathered::Done => self.play(player, &mut root_provers[player]),
            }
        }
    }

    /// Plays what a player found.
    fn play(&mut self, player: usize, root_prover: &mut RootProver<G>) {
        let search = &mut self.searches[player];
        root_prover.begin();
        root_prover.look(search, &self.position, &|| true);
        let turn = root_prover.turn(search, &self.position, &|| true);
        let action = turn.expect("an open position has legal actions")[0];
        let effort = &mut self.efforts[player];
        effort.work += u64::from(self.searches[player].simulations());
        let before = self.position.ply();
        (self.position, self.turn) = self.turn.extended(&self.position, action);
        if self.position.ply() > before {
            effort.turns += 1;
            self.threefold.note(&self.position);
            self.moves.push(std::mem::take(&mut self.turn).text);
        }
        self.searches.iter_mut().for_each(|search| search.advance(action));
        self.searching = None;
    }
}
