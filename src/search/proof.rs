//! Proven bounds on the result of a position, from exact results below it.
//!
//! Source: Cazenave and Saffidine, "Score bounded Monte-Carlo tree search" (2010). A node of the
//! tree is a game state with its number of turns. So proofs hold under ply limits and for games
//! that repeat positions, and are never transferred to another node with the same board.

use crate::games::{Outcome, Side};

/// The least and the greatest result for `P1` under best play: -1 is a loss, 0 a draw, 1 a win.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    lower: i8,
    upper: i8,
}

impl Bounds {
    /// No result is excluded.
    pub(super) const OPEN: Self = Self { lower: -1, upper: 1 };

    /// The bounds of a proven result.
    pub(super) fn exact(outcome: Outcome) -> Self {
        let value = match outcome {
            Outcome::Win(Side::P1) => 1,
            Outcome::Draw => 0,
            Outcome::Win(Side::P2) => -1,
        };
        Self { lower: value, upper: value }
    }

    /// The bounds of a position in which `mover` is to move. `tried` are the bounds of its tried
    /// actions; `complete` says that those are all legal actions.
    pub(super) fn of_choice(
        mover: Side,
        tried: impl Iterator<Item = Self>,
        complete: bool,
    ) -> Self {
        let worst = Self { lower: -1, upper: -1 };
        let best = tried.map(|bounds| bounds.for_side(mover)).fold(worst, |best, bounds| Self {
            lower: best.lower.max(bounds.lower),
            upper: best.upper.max(bounds.upper),
        });
        let upper = if complete { best.upper } else { 1 };
        Self { upper, ..best }.for_side(mover)
    }

    /// Converts from the view of `P1` to that of `side`, and back.
    fn for_side(self, side: Side) -> Self {
        match side {
            Side::P1 => self,
            Side::P2 => Self { lower: -self.upper, upper: -self.lower },
        }
    }

    /// Whether the result is proven.
    #[inline]
    pub(super) fn is_proven(self) -> bool {
        self.lower == self.upper
    }

    /// The result, if it is proven.
    pub(super) fn outcome(self) -> Option<Outcome> {
        self.is_proven().then_some(match self.lower {
            1 => Outcome::Win(Side::P1),
            0 => Outcome::Draw,
            _ => Outcome::Win(Side::P2),
        })
    }

    /// Whether an action with these bounds is dominated for `mover`: it is lost, or worse than the
    /// lower bound of its `position`, which another action has reached.
    #[inline]
    pub(super) fn are_dominated(self, mover: Side, position: Self) -> bool {
        let upper = self.for_side(mover).upper;
        upper == -1 || upper < position.for_side(mover).lower
    }

    /// Whether the position is a proven loss for `side`.
    pub(super) fn is_lost_for(self, side: Side) -> bool {
        self.for_side(side).upper == -1
    }

    /// Clamps the result of a simulation, value and share of draws for `P1`, to the bounds.
    #[inline]
    pub(super) fn correct(self, [value, draw]: [f64; 2]) -> [f64; 2] {
        let exact = |bound: i8| [f64::from(bound), f64::from(u8::from(bound == 0))];
        if value < f64::from(self.lower) || self.is_proven() {
            exact(self.lower)
        } else if value > f64::from(self.upper) {
            exact(self.upper)
        } else {
            [value, draw]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIN: Bounds = Bounds { lower: 1, upper: 1 };
    const DRAW: Bounds = Bounds { lower: 0, upper: 0 };
    const LOSS: Bounds = Bounds { lower: -1, upper: -1 };

    fn choice(mover: Side, tried: &[Bounds], complete: bool) -> Bounds {
        Bounds::of_choice(mover, tried.iter().copied(), complete)
    }

    #[test]
    fn a_win_needs_one_action_and_a_loss_needs_all() {
        use Side::{P1, P2};
        assert_eq!(choice(P1, &[LOSS, WIN], false), WIN);
        assert_eq!(choice(P1, &[LOSS, LOSS], true), LOSS);
        assert_eq!(choice(P1, &[LOSS, LOSS], false), Bounds::OPEN);
        assert_eq!(choice(P1, &[LOSS, DRAW], true), DRAW);
        assert_eq!(choice(P1, &[LOSS, DRAW], false), Bounds { lower: 0, upper: 1 });
        assert_eq!(choice(P1, &[DRAW, Bounds::OPEN], true), Bounds { lower: 0, upper: 1 });
        assert_eq!(choice(P2, &[LOSS, WIN], false), LOSS);
        assert_eq!(choice(P2, &[WIN, WIN], true), WIN);
        assert_eq!(choice(P2, &[WIN, DRAW], true), DRAW);
        assert_eq!(choice(P2, &[DRAW], false), Bounds { lower: -1, upper: 0 });
    }

    #[test]
    fn lost_and_worse_actions_are_dominated() {
        let at_least_a_draw = Bounds { lower: 0, upper: 1 };
        assert!(LOSS.are_dominated(Side::P1, Bounds::OPEN));
        assert!(!DRAW.are_dominated(Side::P1, at_least_a_draw));
        assert!(WIN.are_dominated(Side::P2, Bounds::OPEN) && WIN.is_lost_for(Side::P2));
        assert!(!Bounds::OPEN.are_dominated(Side::P2, Bounds { lower: -1, upper: 0 }));
    }

    #[test]
    fn results_are_clamped_to_the_bounds() {
        let at_least_a_draw = Bounds { lower: 0, upper: 1 };
        assert_eq!(at_least_a_draw.correct([-0.5, 0.25]), [0.0, 1.0]);
        assert_eq!(at_least_a_draw.correct([0.5, 0.25]), [0.5, 0.25]);
        assert_eq!(WIN.correct([0.5, 0.25]), [1.0, 0.0]);
        assert_eq!(Bounds { lower: -1, upper: 0 }.correct([0.5, 0.0]), [0.0, 1.0]);
    }
}
