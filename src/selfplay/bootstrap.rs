//! How a training begins in a game that chance never decides: an untrained network draws all of its
//! games there, and learns nothing from them.

use super::random_play;
use crate::base::rng::{Purpose, stream};
use crate::games::Outcome;
use crate::registry::Variant;

/// The iterations that a heuristic plays instead of the untrained network.
const ITERATIONS: u64 = 2;

/// Random games, and the share of them that chance has to decide.
const GAMES: u64 = 64;
const DECIDED: f64 = 0.1;

/// Whether the games of this iteration, counted from 1, are played by the heuristic of alpha-beta.
/// That depends on the game alone.
pub(crate) fn is_bootstrapped(variant: &Variant, iteration: u64) -> bool {
    iteration <= ITERATIONS && is_needed(variant)
}

/// Whether hardly a random game is decided, and a heuristic tells positions apart.
fn is_needed(variant: &Variant) -> bool {
    let mut rng = stream(0, 0, 0, Purpose::Playout);
    let (mut decided, mut has_heuristic) = (0, false);
    for index in 0..GAMES {
        let game = random_play::game(variant, index, &mut rng);
        decided += u64::from(game.outcome != Outcome::Draw);
        if decided as f64 >= DECIDED * GAMES as f64 {
            return false;
        }
        has_heuristic |= random_play::has_heuristic(variant, &game);
    }
    has_heuristic
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{self, preset};

    #[test]
    fn one_game_that_ships_needs_it() {
        let names = registry::all().iter().map(|game| game.name);
        let needing = |name: &&str| is_bootstrapped(&preset(name).unwrap(), 1);
        assert_eq!(names.filter(needing).collect::<Vec<_>>(), ["checkers_gomoku"]);
        let variant = preset("checkers_gomoku").unwrap();
        assert!(
            is_bootstrapped(&variant, ITERATIONS) && !is_bootstrapped(&variant, ITERATIONS + 1)
        );
    }
}
