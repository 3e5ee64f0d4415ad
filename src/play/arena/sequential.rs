//! The games of a match, one after the other on each thread, for any players.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::{Effort, Opening, Played};
use crate::base::parallel::ordered_map;
use crate::games::{Game, Outcome, Side};
use crate::play::players::Pairing;

/// Plays two games from each opening, colours exchanged, with a thread for each pairing. All
/// pairings must be instances of the same two players. Returns the games of each opening, in the
/// order of the openings; the first of a pair is the game in which the first player moves first. A
/// player that forfeits a game loses it. `watch` receives the number of finished games.
///
/// For players with a time limit pass one pairing only, which plays on the calling thread:
/// otherwise games would take CPU time from each other.
pub(crate) fn play_sequential<G: Game>(
    openings: &[Opening<G>],
    pairings: &mut [Pairing<G>],
    watch: &(dyn Fn(u64) + Sync),
) -> Vec<[Played; 2]> {
    let finished = AtomicU64::new(0);
    ordered_map(pairings, openings, |players, opening| {
        [Side::P1, Side::P2].map(|side| {
            let game = play_game(opening, side, players);
            watch(finished.fetch_add(1, Ordering::Relaxed) + 1);
            game
        })
    })
}

/// A game in which the first player has `side`.
fn play_game<G: Game>(opening: &Opening<G>, side: Side, players: &mut Pairing<G>) -> Played {
    let number = 2 * opening.number + side.index() as u64;
    players.iter_mut().for_each(|player| player.begin_game(number));
    let Opening { mut position, mut moves, mut threefold, .. } = opening.clone();
    let mut efforts = [Effort::default(); 2];
    while threefold.outcome(&position).is_none() {
        let player = usize::from(position.to_move() != side);
        let begun = Instant::now();
        let chosen = match players[player].choose(&position, &moves) {
            Ok(chosen) => chosen,
            Err(forfeit) => return Played::forfeited(&position, moves, side, efforts, forfeit),
        };
        let time = begun.elapsed();
        efforts[player].add(&Effort { turns: 1, work: chosen.work, time });
        players.iter_mut().for_each(|player| player.advance(&chosen.turn));
        chosen.turn.play_on(&mut position);
        threefold.note(&position);
        moves.push(chosen.turn.text);
    }
    let outcome = threefold.outcome(&position).unwrap_or(Outcome::Draw);
    Played { moves, first: side, outcome, efforts, forfeit: None }
}
