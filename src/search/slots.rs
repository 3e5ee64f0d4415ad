//! Games in progress whose leaves are evaluated together: the loop of self-play and of matches.

use super::{Batch, Cache, Gathered, Leaf, Search};

/// A game in progress: search, play an action, search again.
pub(crate) trait SearchedGame {
    /// Mutable state that all games of a worker share.
    type Context;

    /// Whether the game is over. Then it has no search.
    fn is_over(&self) -> bool;

    /// The search of the current position.
    fn search(&mut self) -> Searching<'_>;

    /// Plays an action by the search, which is done, and begins the next search unless the game is
    /// over.
    fn play(&mut self, context: &mut Self::Context);
}

/// The search of a game's current position.
pub(crate) struct Searching<'a> {
    /// The player who searches, an index into the batches.
    pub player: usize,
    /// Its search.
    pub search: &'a mut Search,
    /// The leaf that waits for its evaluation, once one was gathered.
    pub leaf: &'a mut Leaf,
}

/// Slots for games in progress. A finished game makes room for the next, so that batches stay full.
pub(crate) struct GameSlots<S> {
    slots: Vec<Slot<S>>,
    capacity: usize,
}

struct Slot<S> {
    game: S,
    /// The player whose evaluation the game waits for.
    waits_for: usize,
}

impl<S> GameSlots<S> {
    /// Room for this number of games.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { slots: Vec::new(), capacity }
    }

    /// Whether no game is in progress.
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The number of games in progress.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Removes the last `count` games, of which none may wait for an evaluation.
    pub(crate) fn take_last(&mut self, count: usize) -> Vec<S> {
        self.slots.drain(self.slots.len() - count..).map(|slot| slot.game).collect()
    }

    /// Adds games that do not wait for an evaluation.
    pub(crate) fn extend(&mut self, games: Vec<S>) {
        self.slots.extend(games.into_iter().map(|game| Slot { game, waits_for: 0 }));
    }

    /// Brings every game to its next leaf, in the order of the slots, and adds the leaf to the
    /// batch of the player who searches; `caches` has one cache for each player. A finished game
    /// goes to `finish`, and `start` fills free slots until it has no more games.
    pub(crate) fn fill(
        &mut self,
        batches: &mut [Batch],
        caches: &[&Cache],
        context: &mut S::Context,
        mut start: impl FnMut() -> Option<S>,
        mut finish: impl FnMut(S),
    ) where
        S: SearchedGame,
    {
        let mut index = 0;
        while index < self.slots.len() || self.start(&mut start) {
            let slot = &mut self.slots[index];
            match next_leaf(&mut slot.game, batches, caches, context) {
                Some(player) => {
                    slot.waits_for = player;
                    index += 1;
                }
                None => finish(self.slots.swap_remove(index).game),
            }
        }
    }

    /// Starts a game if there is room and one is left to start.
    fn start(&mut self, start: &mut impl FnMut() -> Option<S>) -> bool {
        let game = if self.slots.len() < self.capacity { start() } else { None };
        let is_started = game.is_some();
        self.slots.extend(game.map(|game| Slot { game, waits_for: 0 }));
        is_started
    }

    /// Applies the evaluations of a player's batch to the games that wait for them.
    pub(crate) fn hand_out(&mut self, player: usize, batch: &mut Batch, cache: &Cache)
    where
        S: SearchedGame,
    {
        // The leaves of a batch are in the order of the slots.
        let mut waiting = self.slots.iter_mut().filter(|slot| slot.waits_for == player);
        batch.hand_out(cache, |_, evaluation| {
            let slot = waiting.next().expect("a game for each evaluation");
            let Searching { search, leaf, .. } = slot.game.search();
            search.apply(leaf, evaluation);
        });
    }
}

/// Searches and plays until the game needs an evaluation; returns the player who needs it. `None`
/// once the game is over.
fn next_leaf<S: SearchedGame>(
    game: &mut S,
    batches: &mut [Batch],
    caches: &[&Cache],
    context: &mut S::Context,
) -> Option<usize> {
    while !game.is_over() {
        let Searching { player, search, leaf } = game.search();
        match batches[player].gather(search, leaf, caches[player]) {
            Gathered::Leaf => return Some(player),
            Gathered::End => {}
            // The only leaf of the game has been applied, so `Busy` cannot mean a pending
            // evaluation.
            Gathered::Busy | Gathered::Done => game.play(context),
        }
    }
    None
}
