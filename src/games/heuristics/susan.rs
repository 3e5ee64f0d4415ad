//! Susan: the fewer empty cells beside a stone, the nearer its end.

use crate::games::Susan;

/// What a stone with so many empty cells beside it costs its owner.
const DANGER: [i32; 7] = [0, 60, 24, 10, 4, 1, 0];

impl Susan {
    /// The [heuristic](crate::games::Game::heuristic).
    pub(in crate::games) fn static_evaluation(&self) -> i32 {
        let [one, two, four] = self.liberties();
        let danger = |stones: u128| -> i32 {
            let count = |liberties: usize| {
                let digit = |set: u128, bit: usize| if liberties & bit != 0 { set } else { !set };
                let cells = stones & digit(one, 1) & digit(two, 2) & digit(four, 4);
                cells.count_ones() as i32
            };
            (1..7).map(|liberties| DANGER[liberties] * count(liberties)).sum()
        };
        let [own, other] = self.stones();
        danger(other) - danger(own)
    }
}
