//! Susan: stones with few adjacent empty cells are in danger.

use crate::games::Susan;

/// The penalty for a stone, by the number of adjacent empty cells.
const DANGER: [i32; 7] = [0, 60, 24, 10, 4, 1, 0];

impl Susan {
    /// The score of [`Game::heuristic`](crate::games::Game::heuristic).
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
