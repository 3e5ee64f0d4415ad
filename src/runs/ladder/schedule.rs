//! The choice of the matches that give most information about the ratings.
//!
//! First, a chain of matches connects all players. After that, the next match is the one that most
//! reduces the expected sum of the variances of all rating differences. That is a greedy A-optimal
//! design (Chernoff 1953; Atkinson, Donev and Tobias 2007). A match with information `w` about the
//! difference `a` of two players changes the covariance `C` of the ratings to
//!
//! ```text
//! C - w C a (C a)^T / (1 + w a^T C a)
//! ```
//!
//! (Sherman and Morrison 1950). The information of a game is the variance of its points under the
//! current ratings, which is largest between equal players. So players of similar strength with
//! uncertain ratings are paired. The choice does not depend on the anchor.

use super::journal::{Fixture, Journal};
use super::standings::Fit;
use crate::stats::{ELO_PER_NAT, Encounter, ratings};

/// Pairs of games in a match: enough to evaluate some positions in batches, few enough to update
/// the ratings often. It is a constant, so that the games depend on seed and players only.
pub(crate) const PAIRS: u64 = 8;

/// Returns the matches of the next round between the `active` players, the most informative first;
/// empty if no openings are left. `available` returns the number of openings, up to its argument.
pub(crate) fn round(
    journal: &Journal,
    active: &[usize],
    available: &mut dyn FnMut(u64) -> u64,
) -> Vec<Fixture> {
    let mut fixture = |[one, two]: [usize; 2]| {
        let opening = journal.pairs_between([one, two]);
        let pairs = available(opening + PAIRS).saturating_sub(opening);
        let (first, second) = (one.min(two), one.max(two));
        (pairs > 0).then_some(Fixture { first, second, opening, pairs })
    };
    let mut active = active.to_vec();
    active.sort_unstable();
    active.dedup();
    let encounters = journal.encounters();
    let missing = links(journal.players.len(), &encounters, &active);
    if !missing.is_empty() {
        return missing.into_iter().filter_map(fixture).collect();
    }
    let Some(mut design) = Design::new(journal.players.len(), &encounters, &active) else {
        return Vec::new();
    };
    let mut plan: Vec<Fixture> = Vec::new();
    let mut candidates = pairings(&active);
    while plan.len() < (active.len() / 2).max(1)
        && let Some(index) = design.best(&candidates)
    {
        let pairing = candidates.remove(index);
        if let Some(fixture) = fixture(pairing) {
            design.play(pairing, fixture.pairs as f64);
            plan.push(fixture);
        }
    }
    plan
}

/// All pairings of the active players, the lower number first.
fn pairings(active: &[usize]) -> Vec<[usize; 2]> {
    let from = |(at, &one): (usize, &usize)| {
        active[at + 1..].iter().map(move |&two| [one, two]).collect::<Vec<_>>()
    };
    active.iter().enumerate().flat_map(from).collect()
}

/// The matches that connect active players that no games connect yet. Each group is connected to
/// the previous ones by the two players that entered nearest to each other. Checkpoints enter in
/// the order of their training, so such players have similar strength.
fn links(players: usize, encounters: &[Encounter], active: &[usize]) -> Vec<[usize; 2]> {
    let groups = ratings::groups(players, encounters).into_iter();
    let among = |group: Vec<usize>| group.into_iter().filter(|it| active.contains(it)).collect();
    let mut groups: Vec<Vec<usize>> =
        groups.map(among).filter(|it: &Vec<_>| !it.is_empty()).collect();
    groups.sort_unstable();
    let mut links = Vec::new();
    let mut groups = groups.into_iter();
    let mut joined = groups.next().unwrap_or_default();
    for group in groups {
        let across = joined.iter().flat_map(|&one| group.iter().map(move |&two| [one, two]));
        links.extend(across.min_by_key(|&[one, two]| (one.abs_diff(two), one.min(two))));
        joined.extend(group);
    }
    links
}

/// The covariance of the active players' ratings, and the information of possible matches.
struct Design {
    /// The active players, in the order of the rows and columns of the matrices.
    players: Vec<usize>,
    /// Covariance of their strengths, in natural logarithms, row by row.
    covariance: Vec<f64>,
    /// Information of a pair of games between two of them, row by row.
    information: Vec<f64>,
}

impl Design {
    /// `None` if the ratings cannot be computed.
    fn new(players: usize, encounters: &[Encounter], active: &[usize]) -> Option<Self> {
        let fit = Fit::of(players, encounters, *active.first()?).ok()?;
        let at = active.iter().map(|&player| fit.place(player)).collect::<Option<Vec<_>>>()?;
        let cells = || at.iter().flat_map(|&one| at.iter().map(move |&two| [one, two]));
        let natural = ELO_PER_NAT.powi(-2);
        Some(Self {
            players: active.to_vec(),
            covariance: cells().map(|[a, b]| fit.ratings.covariance(a, b) * natural).collect(),
            information: cells()
                .map(|[a, b]| {
                    variance(fit.ratings.probabilities(a, b))
                        + variance(fit.ratings.probabilities(b, a))
                })
                .collect(),
        })
    }

    fn row(&self, player: usize) -> usize {
        self.players.iter().position(|&it| it == player).unwrap_or_default()
    }

    /// The index of the pairing with the largest gain; the first of equals.
    fn best(&self, candidates: &[[usize; 2]]) -> Option<usize> {
        let gains = candidates.iter().map(|&pairing| self.gain(pairing));
        let best = |best: Option<(usize, f64)>, (index, gain): (usize, f64)| match best {
            Some((_, most)) if gain <= most => best,
            _ => Some((index, gain)),
        };
        gains.enumerate().fold(None, best).map(|(index, _)| index)
    }

    /// The reduction by a match of the sum of all ratings' variances about their mean. The sum of
    /// the variances of all rating differences is proportional to it.
    fn gain(&self, pairing: [usize; 2]) -> f64 {
        let Effect { moved, share } = self.effect(pairing, PAIRS as f64);
        let mean = moved.iter().sum::<f64>() / moved.len() as f64;
        share * moved.iter().map(|part| (part - mean).powi(2)).sum::<f64>()
    }

    /// Updates the covariance as if a match had been played.
    fn play(&mut self, pairing: [usize; 2], pairs: f64) {
        let Effect { moved, share } = self.effect(pairing, pairs);
        let size = self.players.len();
        for (row, one) in moved.iter().enumerate() {
            for (column, two) in moved.iter().enumerate() {
                self.covariance[row * size + column] -= share * one * two;
            }
        }
    }

    fn effect(&self, pairing: [usize; 2], pairs: f64) -> Effect {
        let (size, [one, two]) = (self.players.len(), pairing.map(|player| self.row(player)));
        let cell = |row: usize, column: usize| self.covariance[row * size + column];
        let moved: Vec<f64> = (0..size).map(|row| cell(row, one) - cell(row, two)).collect();
        let information = pairs * self.information[one * size + two];
        let share = information / (1.0 + information * (moved[one] - moved[two]));
        Effect { moved, share }
    }
}

/// The effect of a match on the covariance: `share * moved * moved^T` is subtracted.
struct Effect {
    /// Covariance of each player's strength with the difference of the two players of the match.
    moved: Vec<f64>,
    share: f64,
}

/// The variance of the points of a game.
fn variance([win, draw, loss]: [f64; 3]) -> f64 {
    (win + loss) / 4.0 - (win + draw / 2.0 - 0.5).powi(2)
}
