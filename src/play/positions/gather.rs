//! Gathers positions with proven correct turns from games between two players.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;

use super::classify::classify;
use super::{Kind, SuitePosition};
use crate::base::parallel::ordered_map;
use crate::base::rng::mix;
use crate::games::{Text, legal_turns};
use crate::play::arena::{Played, openings, play_sequential_until};
use crate::play::players::{Baseline, Pairing, PlayerSeed};
use crate::registry::{AnyProver, Position, Variant};

/// The positions to gather, and the games from which they are taken.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Request {
    /// The kinds of positions, which must have a proof.
    pub kinds: Vec<Kind>,
    /// The number of positions of each kind.
    pub each: usize,
    /// The depth of the proofs in turns.
    pub horizon: u32,
    /// The node limit of a proof; positions that need more are left out.
    pub nodes: u64,
    /// The most games to play.
    pub games: u64,
    /// The number of random turns at the beginning of a game.
    pub opening: u32,
    /// The players.
    pub players: [Baseline; 2],
    /// The seed of the openings and of the players.
    pub seed: u64,
}

/// Pairs of games in a batch, after which the missing kinds are updated.
const PAIRS: usize = 8;

/// Only the positions of this number of last turns of a game are examined: earlier ones are seldom
/// decided within the horizon.
const LAST: usize = 12;

/// Entries of the table of a prover.
const ENTRIES: usize = 1 << 19;

/// A position of a game that has not been classified.
struct Candidate {
    source: usize,
    moves: Vec<Text>,
    game: Position,
}

/// Plays games in pairs from random openings, and returns their positions of the requested kinds,
/// sorted by kind, with at most one of each kind from a game. Ends when there are enough positions,
/// when all games are played, or when `stop` is set. `watch` receives the number of positions
/// found. The result does not depend on the number of `threads`.
///
/// # Errors
///
/// If a player does not support this game, or if there are too few openings.
pub(crate) fn gather(
    variant: &Variant,
    request: &Request,
    threads: usize,
    stop: &AtomicBool,
    watch: impl Fn(u64),
) -> Result<Vec<SuitePosition>> {
    let mut provers: Vec<AnyProver> =
        (0..threads.max(1)).map(|_| AnyProver::new(ENTRIES)).collect();
    let mut seen = HashSet::new();
    let mut found: Vec<SuitePosition> = Vec::new();
    for batch in 0..request.games.div_ceil(2 * PAIRS as u64) {
        let missing = request.missing(&found);
        if missing.is_empty() || stop.load(Ordering::Relaxed) {
            break;
        }
        let games = play_batch(variant, request, batch, threads, stop)?;
        let candidates = candidates_of(variant, request, &games, &mut seen);
        let proven = ordered_map(&mut provers, &candidates, |prover, candidate| {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            prover.begin(request.nodes);
            // Positions that exceed the node limit are left out.
            classify(prover, &candidate.game, &missing, request.horizon).ok().flatten()
        });
        keep(request, candidates, proven, &mut found);
        watch(found.len() as u64);
    }
    found.sort_by_key(|position| position.kind);
    Ok(found)
}

impl Request {
    /// The kinds that have too few positions.
    fn missing(&self, found: &[SuitePosition]) -> Vec<Kind> {
        let enough = |kind: Kind| found.iter().filter(|it| it.kind == kind).count() >= self.each;
        self.kinds.iter().copied().filter(|&kind| !enough(kind)).collect()
    }
}

fn play_batch(
    variant: &Variant,
    request: &Request,
    batch: u64,
    threads: usize,
    stop: &AtomicBool,
) -> Result<Vec<Played>> {
    let seed = mix(request.seed ^ mix(batch));
    let openings = openings(variant, request.opening, PAIRS, seed)?;
    let [first, second] = &request.players;
    let seed = |player| PlayerSeed { seed, player };
    let game = variant.game();
    let pairing = |_| -> Result<Pairing> {
        Ok([first.player(game, seed(0))?, second.player(game, seed(1))?])
    };
    let mut pairings: Vec<_> = (0..threads.max(1)).map(pairing).collect::<Result<_>>()?;
    let pairs = play_sequential_until(&openings, &mut pairings, &|_| {}, stop);
    Ok(pairs.into_iter().flatten().flatten().collect())
}

/// The last positions of each game, without those seen before.
fn candidates_of(
    variant: &Variant,
    request: &Request,
    games: &[Played],
    seen: &mut HashSet<u64>,
) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for (source, played) in games.iter().enumerate() {
        let first = played.moves.len().saturating_sub(LAST).max(request.opening as usize);
        let mut game = variant.initial();
        for (ply, text) in played.moves.iter().enumerate() {
            if ply >= first && seen.insert(game.position_key()) {
                candidates.push(Candidate { source, moves: played.moves[..ply].to_vec(), game });
            }
            let turns = legal_turns(&game);
            let turn =
                turns.iter().find(|turn| turn.text == *text).expect("a turn that was played");
            turn.play_on(&mut game);
        }
    }
    candidates
}

/// Adds positions of missing kinds to `found`, in the order of the games.
fn keep(
    request: &Request,
    candidates: Vec<Candidate>,
    proven: Vec<Option<(Kind, Vec<Text>)>>,
    found: &mut Vec<SuitePosition>,
) {
    let mut taken = HashSet::new();
    for (Candidate { source, moves, game }, proven) in candidates.into_iter().zip(proven) {
        let Some((kind, right)) = proven else { continue };
        if request.missing(found).contains(&kind) && taken.insert((source, kind)) {
            let legal = legal_turns(&game).len();
            found.push(SuitePosition {
                kind,
                number: found.len() as u64,
                moves,
                game,
                right,
                legal,
            });
        }
    }
}
