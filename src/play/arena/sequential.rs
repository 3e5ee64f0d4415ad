//! The games of a match, one after the other on each thread, for any players.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use super::{Effort, Opening, Played};
use crate::base::parallel::ordered_map;
use crate::games::{Outcome, Side};
use crate::play::players::Pairing;

/// As [`play_sequential_until`], to the end.
#[cfg(test)]
pub(crate) fn play_sequential(
    openings: &[Opening],
    pairings: &mut [Pairing],
    watch: &(dyn Fn(u64) + Sync),
) -> Vec<[Played; 2]> {
    let played = play_sequential_until(openings, pairings, watch, &AtomicBool::new(false));
    played.into_iter().flatten().collect()
}

/// Plays two games from each opening, colours exchanged, with a thread for each pairing. All
/// pairings must be instances of the same two players. Returns the games of each opening, in the
/// order of the openings; the first of a pair is the game in which the first player moves first. A
/// player that forfeits a game loses it. `watch` receives the number of finished games.
///
/// For players with a time limit pass one pairing only, which plays on the calling thread:
/// otherwise games would take CPU time from each other.
///
/// It ends when `stop` is set. A pair of games that is not finished then is `None`. A turn that has
/// begun is finished first if its player cannot stop.
pub(crate) fn play_sequential_until(
    openings: &[Opening],
    pairings: &mut [Pairing],
    watch: &(dyn Fn(u64) + Sync),
    stop: &AtomicBool,
) -> Vec<Option<[Played; 2]>> {
    let finished = AtomicU64::new(0);
    let play = |players: &mut Pairing, opening: &Opening, side| {
        let game = play_game(opening, side, players, stop)?;
        watch(finished.fetch_add(1, Ordering::Relaxed) + 1);
        Some(game)
    };
    ordered_map(pairings, openings, |players, opening| {
        Some([play(players, opening, Side::P1)?, play(players, opening, Side::P2)?])
    })
}

/// A game in which the first player has `side`. `None` if `stop` was set before its end.
fn play_game(
    opening: &Opening,
    side: Side,
    players: &mut Pairing,
    stop: &AtomicBool,
) -> Option<Played> {
    let keep_going = || !stop.load(Ordering::Relaxed);
    let number = 2 * opening.number + side.index() as u64;
    players.iter_mut().for_each(|player| player.begin_game(number));
    let Opening { mut position, mut moves, mut threefold, .. } = opening.clone();
    let mut efforts = [Effort::default(); 2];
    while threefold.outcome(&position).is_none() {
        let player = usize::from(position.to_move() != side);
        let begun = Instant::now();
        let chosen = players[player].choose_while(&position, &moves, &keep_going);
        if !keep_going() {
            // The turn, or the failure of an engine that was ended, is of no account.
            return None;
        }
        let chosen = match chosen {
            Ok(chosen) => chosen,
            Err(forfeit) => {
                return Some(Played::forfeited(&position, moves, side, efforts, forfeit));
            }
        };
        let time = begun.elapsed();
        efforts[player].add(&Effort { turns: 1, work: chosen.work, time });
        players.iter_mut().for_each(|player| player.advance(&chosen.turn));
        chosen.turn.play_on(&mut position);
        threefold.note(&position);
        moves.push(chosen.turn.text);
    }
    let outcome = threefold.outcome(&position).unwrap_or(Outcome::Draw);
    Some(Played { moves, first: side, outcome, efforts, forfeit: None })
}
