//! Matches between two players: pairs of games from the same opening, colours exchanged.

use std::collections::HashSet;

use rand::RngExt;
use thiserror::Error;

use crate::evaluator::{Evaluator, Wdl};
use crate::game::{Game, Outcome, Side, Turn, legal_turns};
use crate::games::Variant;
use crate::rng::{Purpose, Rng, stream};
use crate::search::{self, Batch, Gathered, Leaf, Tree};

/// Pairs in play at the same time: enough for full batches, few enough for modest memory.
const PAIRS_IN_FLIGHT: usize = 256;

/// One of the two players.
#[derive(Debug)]
pub struct Contestant<E> {
    /// Judges positions.
    pub evaluator: E,
    /// How it searches.
    pub search: search::Settings,
}

/// The results of a match, as the first player sees them.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Pairs by the points they brought: 0, 1/2, 1, 3/2, 2.
    pub pairs: [u64; 5],
}

impl Tally {
    /// Games played.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Mean points of a game, from 0 to 1.
    pub fn score(&self) -> f64 {
        (self.wins as f64 + self.draws as f64 / 2.0) / self.games() as f64
    }

    /// The score's 95 % interval, by the normal approximation. The two games of a pair share an
    /// opening, so the independent trials are the pairs. One pair won and one lost are added, so
    /// that a row of nothing but wins does not claim to be certain (after Agresti and Coull 1998).
    pub fn interval(&self) -> [f64; 2] {
        let mut pairs = self.pairs.map(|count| count as f64);
        pairs[0] += 1.0;
        pairs[4] += 1.0;
        let total: f64 = pairs.iter().sum();
        let mean_of = |points: &dyn Fn(f64) -> f64| {
            let terms =
                pairs.iter().zip(0..).map(|(count, halves)| (count, f64::from(halves) / 4.0));
            terms.map(|(count, score)| count * points(score)).sum::<f64>() / total
        };
        let mean = mean_of(&|score| score);
        let variance = mean_of(&|score| (score - mean).powi(2));
        let margin = 1.96 * (variance / total).sqrt();
        [(mean - margin).max(0.0), (mean + margin).min(1.0)]
    }

    fn add(&mut self, [one, two]: [Outcome; 2]) {
        // The first player has the first move in the first game of a pair.
        let halves = [one.value_for(Side::P1), two.value_for(Side::P2)].map(|value| value + 1.0);
        for points in halves {
            match points {
                2.0 => self.wins += 1,
                1.0 => self.draws += 1,
                _ => self.losses += 1,
            }
        }
        self.pairs[(halves[0] + halves[1]) as usize] += 1;
    }
}

/// Plays two games from each opening, colours exchanged. Many are in play at once, and each
/// player's leaves are evaluated together. `watch` is told how many games are finished.
pub fn play<G: Game, A: Evaluator<G>, B: Evaluator<G>>(
    openings: &[G],
    simulations: u32,
    first: &mut Contestant<A>,
    second: &mut Contestant<B>,
    mut watch: impl FnMut(u64),
) -> Tally {
    let mut tally = Tally::default();
    for part in openings.chunks(PAIRS_IN_FLIGHT) {
        let before = tally.games();
        let games = play_at_once(part, simulations, first, second, |done| watch(before + done));
        for pair in games.chunks_exact(2) {
            let outcome = |game: &Duel<G>| game.position.outcome().unwrap_or(Outcome::Draw);
            tally.add([outcome(&pair[0]), outcome(&pair[1])]);
        }
    }
    tally
}

/// The finished games, two from each opening.
fn play_at_once<G: Game, A: Evaluator<G>, B: Evaluator<G>>(
    openings: &[G],
    simulations: u32,
    first: &mut Contestant<A>,
    second: &mut Contestant<B>,
    mut watch: impl FnMut(u64),
) -> Vec<Duel<G>> {
    let sides = [Side::P1, Side::P2];
    let mut games: Vec<Duel<G>> =
        openings.iter().flat_map(|&start| sides.map(|side| Duel::new(start, side))).collect();
    let searches = [first.search, second.search];
    let mut batches = [Batch::default(), Batch::default()];
    loop {
        batches.iter_mut().for_each(Batch::clear);
        for game in &mut games {
            game.waits_for = game.advance(simulations, &searches);
            if let Some(player) = game.waits_for {
                batches[player].push(&game.leaf);
            }
        }
        let finished = games.iter().filter(|game| game.waits_for.is_none()).count();
        watch(finished as u64);
        if finished == games.len() {
            return games;
        }
        let [one, two] = &mut batches;
        apply(&mut games, 0, one.evaluate(&mut first.evaluator));
        apply(&mut games, 1, two.evaluate(&mut second.evaluator));
    }
}

/// Hands out the evaluations that a player's games wait for.
fn apply<'a, G: Game>(
    games: &mut [Duel<G>],
    player: usize,
    results: impl Iterator<Item = (&'a [f32], Wdl)>,
) {
    let waiting = games.iter_mut().filter(|game| game.waits_for == Some(player));
    for (game, (policy, wdl)) in waiting.zip(results) {
        game.tree.apply(&game.leaf, policy, wdl);
    }
}

/// There are too few openings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error(
    "after {turns} random turns only {found} different open positions were found for {wanted} \
     pairs of games; ask for fewer games or another number of turns"
)]
pub struct TooFewOpenings {
    turns: u32,
    found: usize,
    wanted: usize,
}

/// Different positions after `turns` random turns, one for each pair of games: players may not
/// draw random numbers, and the same opening would be the same game again. Positions in which a
/// side wins at once are left out.
///
/// # Errors
///
/// If there are too few of them.
pub fn openings<G: Game>(
    variant: &Variant<G>,
    turns: u32,
    pairs: usize,
    seed: u64,
) -> Result<Vec<G>, TooFewOpenings> {
    let attempts = 1000 + 20 * pairs as u64;
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    for attempt in 0..attempts {
        let mut rng = stream(seed, 0, attempt, Purpose::Opening);
        let drawn = random_position(variant.initial(), turns, &mut rng);
        found.extend(drawn.filter(|position| is_open(position) && seen.insert(*position)));
        if found.len() == pairs {
            return Ok(found);
        }
    }
    Err(TooFewOpenings { turns, found: found.len(), wanted: pairs })
}

/// The position after random turns; none if the game ends before.
fn random_position<G: Game>(mut game: G, turns: u32, rng: &mut Rng) -> Option<G> {
    for _ in 0..turns {
        let legal = legal_turns(&game);
        if legal.is_empty() {
            return None;
        }
        game = after(&game, &legal[rng.random_range(0..legal.len())]);
    }
    Some(game)
}

fn after<G: Game>(game: &G, turn: &Turn) -> G {
    let mut next = *game;
    turn.actions.iter().for_each(|&action| next.play(action));
    next
}

/// Whether nobody wins at once: not the side to move, nor the other after its best turn. Games
/// from positions that are decided say nothing about the players.
fn is_open<G: Game>(game: &G) -> bool {
    let is_safe = |turn: &Turn| {
        let next = after(game, turn);
        next.outcome().is_none() && !wins_at_once(&next)
    };
    !wins_at_once(game) && legal_turns(game).iter().any(is_safe)
}

fn wins_at_once<G: Game>(game: &G) -> bool {
    let won = Some(Outcome::Win(game.to_move()));
    legal_turns(game).iter().any(|turn| after(game, turn).outcome() == won)
}

/// A game of the match.
struct Duel<G> {
    position: G,
    /// The side that the first player has.
    first: Side,
    tree: Tree<G>,
    leaf: Leaf<G>,
    /// The player whose evaluation of the leaf is awaited.
    waits_for: Option<usize>,
}

impl<G: Game> Duel<G> {
    fn new(position: G, first: Side) -> Self {
        let mut tree = Tree::default();
        tree.begin(position);
        Self { position, first, tree, leaf: Leaf::default(), waits_for: None }
    }

    /// Searches and plays until an evaluation is needed, and says by whom; none once it is over.
    fn advance(&mut self, simulations: u32, searches: &[search::Settings; 2]) -> Option<usize> {
        while self.position.outcome().is_none() {
            let player = usize::from(self.position.to_move() != self.first);
            while self.tree.simulations() < simulations.max(1) {
                if self.tree.gather(&searches[player], &mut self.leaf) == Gathered::Leaf {
                    return Some(player);
                }
            }
            let action = self.tree.best().expect("an unfinished position has legal actions");
            self.position.play(action);
            if self.position.outcome().is_none() {
                self.tree.begin(self.position);
            }
        }
        None
    }
}
