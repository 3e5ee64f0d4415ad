//! Matches between two players: pairs of games from the same opening, colours exchanged.

use rand::RngExt;

use crate::evaluator::{Evaluator, Wdl};
use crate::game::{Game, Outcome, Side, Turn, legal_turns};
use crate::games::Variant;
use crate::rng::{Purpose, stream};
use crate::search::{self, Batch, Gathered, Leaf, Tree};

/// How a match is played.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Pairs of games.
    pub pairs: u64,
    /// Random turns at the beginning of a game; openings that are decided at once are left out.
    pub opening: u32,
    /// Simulations for each action.
    pub simulations: u32,
    /// Names the openings.
    pub seed: u64,
}

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

    /// Half the width of the score's 95 % interval. The two games of a pair share an opening, so
    /// the variance is that of pairs, each an independent trial.
    pub fn margin(&self) -> f64 {
        let pairs: u64 = self.pairs.iter().sum();
        let score = self.score();
        let spread = self.pairs.iter().zip(0..).map(|(&count, halves)| {
            let points = f64::from(halves) / 4.0;
            count as f64 * (points - score).powi(2)
        });
        let variance = spread.sum::<f64>() / pairs as f64;
        1.96 * (variance / pairs as f64).sqrt()
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

/// Plays a match, all games at once; each player's leaves are evaluated together.
pub fn play<G: Game, A: Evaluator<G>, B: Evaluator<G>>(
    variant: &Variant<G>,
    settings: &Settings,
    first: &mut Contestant<A>,
    second: &mut Contestant<B>,
    mut watch: impl FnMut(u64),
) -> Tally {
    let mut games: Vec<Duel<G>> = (0..settings.pairs)
        .flat_map(|pair| {
            let start = opening(variant, settings, pair);
            [Side::P1, Side::P2].map(|side| Duel::new(start, side))
        })
        .collect();
    let searches = [first.search, second.search];
    let mut batches = [Batch::default(), Batch::default()];
    loop {
        batches.iter_mut().for_each(Batch::clear);
        for game in &mut games {
            game.waits_for = game.advance(settings.simulations, &searches);
            if let Some(player) = game.waits_for {
                batches[player].push(&game.leaf);
            }
        }
        let finished = games.iter().filter(|game| game.position.outcome().is_some()).count();
        watch(finished as u64);
        if finished == games.len() {
            break;
        }
        let [one, two] = &mut batches;
        apply(&mut games, 0, one.evaluate(&mut first.evaluator));
        apply(&mut games, 1, two.evaluate(&mut second.evaluator));
    }
    let mut tally = Tally::default();
    for pair in games.chunks_exact(2) {
        let outcome = |game: &Duel<G>| game.position.outcome().unwrap_or(Outcome::Draw);
        tally.add([outcome(&pair[0]), outcome(&pair[1])]);
    }
    tally
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

/// How often an opening is drawn anew before a position that is not open is accepted.
const ATTEMPTS: u64 = 1000;

/// The position after some random turns that leave the game open.
fn opening<G: Game>(variant: &Variant<G>, settings: &Settings, pair: u64) -> G {
    let start = variant.initial();
    let random = |attempt| {
        let mut rng = stream(settings.seed, attempt, pair, Purpose::Opening);
        (0..settings.opening).try_fold(start, |game, _| {
            let turns = legal_turns(&game);
            (!turns.is_empty()).then(|| after(&game, &turns[rng.random_range(0..turns.len())]))
        })
    };
    (0..ATTEMPTS).filter_map(random).find(is_open).unwrap_or(start)
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
