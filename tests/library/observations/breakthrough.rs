use std::collections::BTreeSet;

use super::{for_random_games, plane};
use crate::games::picture::Picture;
use crate::games::{Breakthrough, BreakthroughRules, Game, Side};

/// The cells of a symbol as the side to move sees them: as drawn for White, flipped for Black.
fn seen<const N: usize>(game: &Breakthrough<N>, symbol: char) -> BTreeSet<usize> {
    let drawn = (0..N * N).filter(|&cell| game.symbol(cell) == symbol);
    match game.to_move() {
        Side::P1 => drawn.collect(),
        Side::P2 => drawn.map(|cell| (N - 1 - cell / N) * N + cell % N).collect(),
    }
}

#[test]
fn both_sides_see_their_home_rows_at_the_bottom() {
    let mut positions = 0;
    for_random_games::<Breakthrough<6>>(&BreakthroughRules {}, 50, |game, _| {
        let [own, other] = if game.to_move() == Side::P1 { ['o', 'x'] } else { ['x', 'o'] };
        assert_eq!(plane(game, "own pieces"), seen(game, own), "{game}");
        assert_eq!(plane(game, "the opponent's pieces"), seen(game, other), "{game}");
        positions += 1;
    });
    assert!(positions > 500, "{positions} positions tell little");
}
