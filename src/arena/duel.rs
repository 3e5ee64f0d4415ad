//! Many games of a match at once, each player's leaves evaluated together.

use super::Contestant;
use crate::evaluator::Evaluator;
use crate::game::{Game, Outcome, Side};
use crate::search::{Batch, Cache, Gathered, Leaf, Plan, Search, Settings};

/// The two players, as one thread uses them.
pub(super) struct Players<'a, A, B> {
    first: A,
    second: B,
    searches: [Settings; 2],
    budgets: [u32; 2],
    caches: &'a [Cache; 2],
}

impl<'a, A: Clone, B: Clone> Players<'a, A, B> {
    pub fn new(
        first: &Contestant<A>,
        second: &Contestant<B>,
        budgets: [u32; 2],
        caches: &'a [Cache; 2],
    ) -> Self {
        let searches = [first.search, second.search];
        let (first, second) = (first.evaluator.clone(), second.evaluator.clone());
        Self { first, second, searches, budgets, caches }
    }
}

/// The results of the two games from each opening, all in play at once. `watch` is told of games
/// that were finished since it was called last.
pub(super) fn play<G: Game, A: Evaluator<G>, B: Evaluator<G>>(
    openings: &[G],
    players: &mut Players<'_, A, B>,
    mut watch: impl FnMut(u64),
) -> Vec<[Outcome; 2]> {
    let sides = [Side::P1, Side::P2];
    let start = |&start: &G| sides.map(|side| Duel::new(start, side, players.searches));
    let mut games: Vec<Duel<G>> = openings.iter().flat_map(start).collect();
    let mut batches = [Batch::default(), Batch::default()];
    let mut known = 0;
    loop {
        batches.iter_mut().for_each(Batch::clear);
        for game in &mut games {
            game.advance(players.budgets, &mut batches, players.caches);
        }
        let finished = games.iter().filter(|game| game.waits_for.is_none()).count();
        watch((finished - std::mem::replace(&mut known, finished)) as u64);
        if finished == games.len() {
            let outcome = |game: &Duel<G>| game.position.outcome().unwrap_or(Outcome::Draw);
            return games
                .chunks_exact(2)
                .map(|pair| [outcome(&pair[0]), outcome(&pair[1])])
                .collect();
        }
        let [one, two] = &mut batches;
        one.run(&mut players.first);
        two.run(&mut players.second);
        for (player, batch) in batches.iter_mut().enumerate() {
            let mut waiting = games.iter_mut().filter(|game| game.waits_for == Some(player));
            batch.hand_out(&players.caches[player], |_, judgement| {
                let game = waiting.next().expect("a game for each judgement");
                game.searches[player].apply(&game.leaf, judgement);
            });
        }
    }
}

/// A game of the match.
struct Duel<G> {
    position: G,
    /// The side that the first player has.
    first: Side,
    /// Each player thinks for himself.
    searches: [Search<G>; 2],
    leaf: Leaf<G>,
    /// The player who searches the position; none before he has begun.
    searching: Option<usize>,
    /// The player whose evaluation of the leaf is awaited; none once the game is over.
    waits_for: Option<usize>,
}

impl<G: Game> Duel<G> {
    fn new(position: G, first: Side, settings: [Settings; 2]) -> Self {
        let searches = settings.map(Search::new);
        let leaf = Leaf::default();
        Self { position, first, searches, leaf, searching: None, waits_for: None }
    }

    /// Searches and plays until an evaluation is needed or the game is over.
    fn advance(&mut self, budgets: [u32; 2], batches: &mut [Batch<G>; 2], caches: &[Cache; 2]) {
        self.waits_for = None;
        while self.position.outcome().is_none() {
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
                Gathered::Busy | Gathered::Done => self.play(player),
            }
        }
    }

    /// Plays what a player found.
    fn play(&mut self, player: usize) {
        let action = self.searches[player].best().expect("an open position has legal actions");
        self.position.play(action);
        self.searches.iter_mut().for_each(|search| search.advance(action));
        self.searching = None;
    }
}
