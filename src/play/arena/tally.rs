//! Wins, draws and losses of a match.

use crate::games::{Outcome, Side};

/// The results of a match for the first player.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Pairs by the points of the first player: 0, 1/2, 1, 3/2, 2.
    pub pairs: [u64; 5],
}

impl Tally {
    /// Games played.
    pub(crate) fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Mean points of a game, from 0 to 1.
    pub(crate) fn score(&self) -> f64 {
        (self.wins as f64 + self.draws as f64 / 2.0) / self.games() as f64
    }

    /// The 95 % confidence interval of the score, by the normal approximation. The two games of a
    /// pair share an opening, so the pairs are the independent trials. One pair won and one lost
    /// are added, so that the interval of a match with wins only is not empty (after Agresti and
    /// Coull 1998).
    pub(crate) fn interval(&self) -> [f64; 2] {
        let mut pairs = self.pairs.map(|count| count as f64);
        pairs[0] += 1.0;
        pairs[4] += 1.0;
        let total: f64 = pairs.iter().sum();
        let mean_of = |points: &dyn Fn(f64) -> f64| {
            let terms =
                pairs.iter().zip(0..).map(|(count, halves)| (count, f64::from(halves) / 4.0));
            terms.map(|(count, score)| count * points(score)).sum::<f64>() / total
        };
        let mean = mean_of(&|score| score);
        let variance = mean_of(&|score| (score - mean).powi(2));
        let margin = 1.96 * (variance / total).sqrt();
        [(mean - margin).max(0.0), (mean + margin).min(1.0)]
    }

    /// Adds the two games of a pair; in the first one the first player moves first.
    pub(crate) fn add(&mut self, [one, two]: [Outcome; 2]) {
        let halves = [one.value_for(Side::P1), two.value_for(Side::P2)].map(|value| value + 1.0);
        for points in halves {
            match points {
                2.0 => self.wins += 1,
                1.0 => self.draws += 1,
                _ => self.losses += 1,
            }
        }
        self.pairs[(halves[0] + halves[1]) as usize] += 1;
    }
}
