//! Whether one number a player explains the results of a pool, or some beat each other in a ring.

use serde::Serialize;

use super::ELO_PER_NAT;
use super::distributions::{chi_square_tail, normal_cdf};
use super::ratings::{Encounter, Ratings};

/// How badly ratings explain the games they were made from.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Intransitivity {
    /// Sum over all pairs of players that met of the square of their points, less those expected,
    /// over the variance (Pearson).
    pub chi_square: f64,
    /// Pairs that met beyond the fewest that join all players.
    pub degrees: u32,
    /// The probability of so large a sum, if one strength a player were the whole truth. Below some
    /// per cent it is not. With less than about five games a pair it is not to be trusted.
    pub p_value: f64,
    /// The ring of three that is hardest to explain, if any three have all met.
    pub cycle: Option<Cycle>,
}

/// Three players who have all met, each of whom did better against the next than ratings explain.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Cycle {
    /// The three: the first has an edge over the second, the second over the third, and the third
    /// over the first.
    pub players: [usize; 3],
    /// What the edges add up to, in Elo. Without a ring it would be near 0, whatever the strengths.
    pub elo: f64,
    /// The same in standard deviations.
    pub z: f64,
    /// The probability of so strong a ring somewhere among all threes, if there were none in truth
    /// (Bonferroni).
    pub p_value: f64,
}

/// What the games of a pair say about their difference, beyond the ratings: one step of Newton's
/// method from there, in natural logarithms.
#[derive(Clone, Copy, Default, Debug)]
struct Residual {
    /// Points less those expected, of the lower numbered player.
    points: f64,
    /// Their variance; 0 if the two never met.
    variance: f64,
}

impl Residual {
    fn edge(&self) -> f64 {
        self.points / self.variance
    }
}

/// Judges ratings by the games they were made from.
pub(super) fn judge(ratings: &Ratings, encounters: &[Encounter]) -> Intransitivity {
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

/// One for each pair, at `lower * players + higher`.
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

/// The three players around whom the edges add up to the least likely sum. Ratings cancel around a
/// ring, so that the sum is 0 but for chance, and its variance that of three independent matches.
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

/// All `a < b < c` below `players`.
fn triples(players: usize) -> impl Iterator<Item = [usize; 3]> {
    let pairs = (0..players).flat_map(move |a| (a + 1..players).map(move |b| [a, b]));
    pairs.flat_map(move |[a, b]| (b + 1..players).map(move |c| [a, b, c]))
}
