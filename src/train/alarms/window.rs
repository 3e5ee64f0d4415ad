//! Successive iterations, over which the alarms average.

use std::fmt;

use super::history::Row;

/// Number of games below which shares and means are too uncertain.
const ENOUGH_GAMES: f64 = 100.0;

/// Successive iterations, at least one.
#[derive(Clone, Copy)]
pub(super) struct Stretch<'a>(&'a [Row]);

impl<'a> Stretch<'a> {
    /// The newest `count` iterations; `None` if there are fewer or they have too few games.
    pub(super) fn newest(rows: &'a [Row], count: usize) -> Option<Self> {
        let stretch = Self(rows.get(rows.len().checked_sub(count)?..)?);
        let games = stretch.mean("games")? * count as f64;
        (games >= ENOUGH_GAMES).then_some(stretch)
    }

    /// All stretches of `count` successive iterations.
    pub(super) fn all(rows: &'a [Row], count: usize) -> impl Iterator<Item = Self> {
        rows.windows(count).map(Self)
    }

    /// The mean of a key; `None` if an iteration lacks it.
    pub(super) fn mean(self, key: &str) -> Option<f64> {
        self.mean_of(|row| row.number(key))
    }

    /// The mean of a measure; `None` if it is `None` in an iteration.
    pub(super) fn mean_of(self, measure: impl Fn(&Row) -> Option<f64>) -> Option<f64> {
        let sum: Option<f64> = self.0.iter().map(measure).sum();
        sum.map(|sum| sum / self.0.len() as f64)
    }

    /// The lowest and the highest value of a measure; `None` if it is `None` in an iteration.
    pub(super) fn range(self, measure: impl Fn(&Row) -> Option<f64>) -> Option<[f64; 2]> {
        let start = Some([f64::INFINITY, f64::NEG_INFINITY]);
        self.0.iter().map(measure).fold(start, |range, value| {
            let ([lowest, highest], value) = (range?, value?);
            Some([lowest.min(value), highest.max(value)])
        })
    }

    /// The number of the last iteration.
    pub(super) fn last(self) -> u64 {
        self.0.last().map_or(0, |row| row.iteration)
    }
}

/// As in "iterations 87 to 91".
impl fmt::Display for Stretch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.0.first().map_or(0, |row| row.iteration);
        write!(f, "iterations {first} to {}", self.last())
    }
}
