//! Tests whether one rating per player explains the results of a pool, or whether there are cycles
//! such as A beats B beats C beats A.

use serde::Serialize;

use super::ELO_PER_NAT;
use super::distributions::{chi_square_tail, normal_cdf};
use super::ratings::{Encounter, Ratings};

/// How far the results of a pool deviate from those that its ratings predict.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(crate) struct Intransitivity {
    /// Pearson's statistic: the sum, over all pairs of players that met, of
    /// `(points - expected points)^2 / variance`.
    pub chi_square: f64,
    /// Degrees of freedom: the number of pairs that met, less the number of players, plus one.
    pub degrees: u32,
    /// The probability of a statistic at least this large if one rating per player explained all
    /// results. It is unreliable with fewer than about five games per pair.
    pub p_value: f64,
    /// The most significant cycle of three players; none if no three have all met.
    pub cycle: Option<Cycle>,
}

/// Three players who have all met, each of whom did better against the next than the ratings
/// predict.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub(crate) struct Cycle {
    /// The players: the first has an edge over the second, the second over the third, and the third
    /// over the first.
    pub players: [usize; 3],
    /// The sum of the three edges in Elo. Without a cycle it is near 0, whatever the ratings.
    pub elo: f64,
    /// The same sum in standard deviations.
    pub z: f64,
    /// The probability of a cycle at least this strong among all triples if there were none, with
    /// Bonferroni's correction.
    pub p_value: f64,
}

/// The deviation of a pair's games from the ratings. [`edge`](Self::edge) is one step of Newton's
/// method from the ratings, in natural logarithms.
#[derive(Clone, Copy, Default, Debug)]
struct Residual {
    /// Points less expected points, of the player with the lower number.
    points: f64,
    /// Variance of the points; 0 if the two never met.
    variance: f64,
}

impl Residual {
    fn edge(&self) -> f64 {
        self.points / self.variance
    }
}

/// Tests ratings against the games that they were computed from.
pub(super) fn evaluate(ratings: &Ratings, encounters: &[Encounter]) -> Intransitivity {
    let players = ratings.players();
    let residuals = residuals(ratings, encounters);
    let met = residuals.iter().filter(|residual| residual.variance > 0.0);
    let chi_square = met.clone().map(|residual| residual.points * residual.edge()).sum();
    let degrees = (met.count() + 1).saturating_sub(players) as u32;
    Intransitivity {
        chi_square,
        degrees,
        p_value: chi_square_tail(chi_square, degrees),
        cycle: strongest_cycle(players, &residuals),
    }
}

/// The residual of each pair, at index `lower * players + higher`.
fn residuals(ratings: &Ratings, encounters: &[Encounter]) -> Vec<Residual> {
    let players = ratings.players();
    let mut residuals = vec![Residual::default(); players * players];
    for met in encounters.iter().filter(|met| met.first.max(met.second) < players) {
        let moments = ratings.moments(met.first, met.second);
        let [won, drawn, _] = met.results.map(|count| count as f64);
        let surplus = won + drawn / 2.0 - met.games() * moments.expected;
        let lower = met.first.min(met.second);
        let residual = &mut residuals[lower * players + met.first.max(met.second)];
        residual.points += if met.first == lower { surplus } else { -surplus };
        residual.variance += met.games() * moments.variance;
    }
    residuals
}

/// Finds the three players with the most significant sum of edges. Ratings cancel around a cycle,
/// so the sum has mean 0 and the variance of three independent matches.
fn strongest_cycle(players: usize, residuals: &[Residual]) -> Option<Cycle> {
    let between = |lower: usize, higher: usize| residuals[lower * players + higher];
    let mut threes = 0_u64;
    let mut strongest: Option<Cycle> = None;
    for [a, b, c] in triples(players) {
        let sides = [between(a, b), between(b, c), between(a, c)];
        if sides.iter().any(|side| side.variance <= 0.0) {
            continue;
        }
        threes += 1;
        let sum = sides[0].edge() + sides[1].edge() - sides[2].edge();
        let z = sum / sides.iter().map(|side| side.variance.recip()).sum::<f64>().sqrt();
        if strongest.is_none_or(|cycle| z.abs() > cycle.z) {
            let players = if z > 0.0 { [a, b, c] } else { [a, c, b] };
            let elo = sum.abs() * ELO_PER_NAT;
            strongest = Some(Cycle { players, elo, z: z.abs(), p_value: 1.0 });
        }
    }
    let corrected = |z: f64| (threes as f64 * 2.0 * normal_cdf(-z)).min(1.0);
    strongest.map(|cycle| Cycle { p_value: corrected(cycle.z), ..cycle })
}

/// All triples `a < b < c` below `players`.
fn triples(players: usize) -> impl Iterator<Item = [usize; 3]> {
    let pairs = (0..players).flat_map(move |a| (a + 1..players).map(move |b| [a, b]));
    pairs.flat_map(move |[a, b]| (b + 1..players).map(move |c| [a, b, c]))
}
