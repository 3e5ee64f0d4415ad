//! The value of a position, and how it is written.

use serde::{Deserialize, Serialize};

/// The value of a position for the side to move, with best play of both sides: who wins does so in
/// as few turns as possible, who loses in as many.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) enum Value {
    /// Neither side can force a win.
    Neither,
    /// The side to move wins in this number of turns, of both sides; 0 if it has won.
    Win(u32),
    /// The side to move loses in this number of turns; 0 if it has lost.
    Loss(u32),
}

/// The code of a place that is not a position.
const NO_POSITION: u32 = 1;

/// The codes before those of distances.
const FIRST: u32 = 2;

impl Value {
    /// The code of the value: 0 for neither, then two for each number of turns, a loss first.
    pub(super) fn code(self) -> u32 {
        match self {
            Self::Neither => 0,
            Self::Loss(turns) => FIRST + 2 * turns,
            Self::Win(turns) => FIRST + 2 * turns + 1,
        }
    }

    /// The value with this code; `None` if it means that there is no position.
    pub(super) fn of_code(code: u32) -> Option<Self> {
        Some(match code {
            0 => Self::Neither,
            NO_POSITION => return None,
            _ if code.is_multiple_of(2) => Self::Loss((code - FIRST) / 2),
            _ => Self::Win((code - FIRST) / 2),
        })
    }

    /// The value before a turn that leads to this one: that of the other side, a turn farther.
    pub(crate) fn before(self) -> Self {
        match self {
            Self::Neither => Self::Neither,
            Self::Win(turns) => Self::Loss(turns + 1),
            Self::Loss(turns) => Self::Win(turns + 1),
        }
    }

    /// Orders values: an early win is best, an early loss worst.
    pub(crate) fn merit(self) -> i64 {
        const MORE_THAN_ANY: i64 = 1 << 32;
        match self {
            Self::Neither => 0,
            Self::Win(turns) => MORE_THAN_ANY - i64::from(turns),
            Self::Loss(turns) => i64::from(turns) - MORE_THAN_ANY,
        }
    }
}

/// The bytes of a value if distances are at most `longest`.
pub(super) fn width(longest: u32) -> usize {
    if Value::Win(longest).code() <= u8::MAX.into() { 1 } else { 2 }
}

/// Writes codes into the values of a slice, lowest byte first.
pub(super) fn put(values: &mut [u8], width: usize, number: u64, code: u32) {
    let place = number as usize * width;
    values[place..place + width].copy_from_slice(&code.to_le_bytes()[..width]);
}

/// Marks the place of a value as no position.
pub(super) fn put_no_position(values: &mut [u8], width: usize, number: u64) {
    put(values, width, number, NO_POSITION);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_stands_for_one_value() {
        let values =
            [Value::Neither, Value::Loss(0), Value::Win(0), Value::Loss(126), Value::Win(126)];
        assert_eq!(values.map(Value::code), [0, 2, 3, 254, 255]);
        for value in values {
            assert_eq!(Value::of_code(value.code()), Some(value));
        }
        assert_eq!(Value::of_code(1), None);
        assert_eq!([126, 127].map(width), [1, 2]);
    }

    #[test]
    fn earlier_wins_and_later_losses_are_better() {
        let order = [Value::Loss(2), Value::Loss(4), Value::Neither, Value::Win(5), Value::Win(3)];
        assert!(order.is_sorted_by_key(|value| value.merit()));
        assert_eq!(Value::Loss(2).before(), Value::Win(3));
    }
}
