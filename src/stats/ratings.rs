//! Strengths of a pool of players from all games between them.
//!
//! The model is that of Bradley and Terry (1952) with draws after Davidson (1970) and an advantage
//! of the first move after Davidson and Beaver (1977). With `d` the strength of the player who
//! moves first, less that of the other one, plus the advantage, all in natural logarithms, a win,
//! a draw and a loss of the first are to each other as
//!
//! ```text
//! exp(d / 2)  :  nu  :  exp(-d / 2)
//! ```
//!
//! so that 400 Elo are odds of ten to one in games that are decided, and `nu` is the ratio of draws
//! to wins among equals. The strengths, the advantage and the logarithm of `nu` are chosen to make
//! all results together most likely. That has exactly one solution, found by Newton's method, and
//! the inverse of its matrix of second derivatives is the covariance of what was found.
//!
//! Two mild prior beliefs keep it finite, whatever the results. Every player has played half a
//! game more, half won and half lost and with nobody moving first, spread over his opponents as
//! his games are; of two players alone this is the prior of Jeffreys. The advantage and the
//! logarithm of `nu` are normal about 0 with a deviation of 3, which is 521 Elo.

use thiserror::Error;

use super::distributions::normal_cdf;
use super::intransitivity::{self, Intransitivity};
use super::matrix::Matrix;
use super::{ELO_PER_NAT, Estimate};

/// Deviation of the prior of the advantage and of the logarithm of `nu`.
const PRIOR_DEVIATION: f64 = 3.0;

/// Games between two players of a pool, named by their numbers, with the first move always on the
/// same side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Encounter {
    /// The player who had the first move.
    pub first: usize,
    /// The other one.
    pub second: usize,
    /// Games the first player won, drew and lost.
    pub results: [u64; 3],
}

impl Encounter {
    /// Games played.
    pub fn games(&self) -> f64 {
        self.results.iter().sum::<u64>() as f64
    }
}

/// How ratings are made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// The player whose rating is fixed.
    pub anchor: usize,
    /// The rating of the anchor.
    pub anchor_rating: f64,
    /// Games that each player is taken to have played more, half won and half lost.
    pub prior_games: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { anchor: 0, anchor_rating: 0.0, prior_games: 0.5 }
    }
}

/// Why there are no ratings.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum RatingsError {
    /// A player is named that is not there.
    #[error("there is no player {player}; there are {players}, numbered from 0")]
    Unknown {
        /// The number given.
        player: usize,
        /// The players there are.
        players: usize,
    },
    /// A player has met himself.
    #[error("player {player} cannot have played against himself")]
    Alone {
        /// His number.
        player: usize,
    },
    /// There are players between whom no chain of games leads.
    #[error("no chain of games joins these groups of players: {groups:?}")]
    Unconnected {
        /// The groups that are joined, each ascending.
        groups: Vec<Vec<usize>>,
    },
    /// The games that each player is taken to have played more must be above 0.
    #[error("the prior games must be a positive number, at most 1000")]
    Prior,
    /// The numbers were too extreme for the method.
    #[error("no ratings could be found for these results")]
    Singular,
}

/// The strengths of a pool.
#[derive(Clone, PartialEq, Debug)]
pub struct Ratings {
    model: Model,
    anchor: usize,
    anchor_rating: f64,
    /// Of all parameters of the model; zero in the row and column of the anchor.
    covariance: Matrix,
}

/// The parameters, in natural logarithms: strengths by player, then advantage, then `ln nu`.
#[derive(Clone, PartialEq, Debug)]
struct Model {
    parameters: Vec<f64>,
}

/// The games of a player with one other that nobody played.
#[derive(Clone, Copy, Debug)]
struct Prior {
    one: usize,
    two: usize,
    games: f64,
}

/// Rates players numbered from 0 by their games, in any order.
///
/// # Errors
///
/// If an encounter makes no sense, or games do not join all players.
pub fn rate(
    players: usize,
    encounters: &[Encounter],
    settings: &Settings,
) -> Result<Ratings, RatingsError> {
    check(players, encounters, settings)?;
    let groups = groups(players, encounters);
    if groups.len() > 1 {
        return Err(RatingsError::Unconnected { groups });
    }
    let prior = prior_of(players, encounters, settings.prior_games);
    let mut model = Model { parameters: vec![0.0; players + 2] };
    let covariance = model.climb(encounters, &prior, settings.anchor);
    let covariance = covariance.ok_or(RatingsError::Singular)?;
    let Settings { anchor, anchor_rating, .. } = *settings;
    Ok(Ratings { model, anchor, anchor_rating, covariance })
}

fn check(
    players: usize,
    encounters: &[Encounter],
    settings: &Settings,
) -> Result<(), RatingsError> {
    let named = encounters.iter().flat_map(|met| [met.first, met.second]);
    if let Some(player) = named.chain([settings.anchor]).find(|&player| player >= players) {
        return Err(RatingsError::Unknown { player, players });
    }
    if let Some(met) = encounters.iter().find(|met| met.first == met.second) {
        return Err(RatingsError::Alone { player: met.first });
    }
    let prior = settings.prior_games;
    if prior > 0.0 && prior <= 1000.0 { Ok(()) } else { Err(RatingsError::Prior) }
}

/// The groups of players that games join, directly or by others, each ascending.
///
/// # Panics
///
/// If an encounter names a player that is not there.
pub fn groups(players: usize, encounters: &[Encounter]) -> Vec<Vec<usize>> {
    let mut group: Vec<usize> = (0..players).collect();
    for met in encounters.iter().filter(|met| met.games() > 0.0) {
        let (from, to) = (group[met.first], group[met.second]);
        group.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
    }
    let members = |wanted: usize| (0..players).filter(|&player| group[player] == wanted).collect();
    let groups = (0..players).map(members);
    groups.filter(|members: &Vec<usize>| !members.is_empty()).collect()
}

/// Spreads the games of the prior over the pairs that have met.
fn prior_of(players: usize, encounters: &[Encounter], games: f64) -> Vec<Prior> {
    let mut played = vec![0.0; players];
    for met in encounters {
        played[met.first] += met.games();
        played[met.second] += met.games();
    }
    let with_games = encounters.iter().filter(|met| met.games() > 0.0);
    let share = |met: &Encounter, player: usize| met.games() / played[player];
    with_games
        .map(|met| Prior {
            one: met.first,
            two: met.second,
            games: games * (share(met, met.first) + share(met, met.second)),
        })
        .collect()
}

/// First and second derivatives of the logarithm of a likelihood, the second with the sign turned.
struct Derivatives {
    gradient: Vec<f64>,
    curvature: Matrix,
}

impl Derivatives {
    /// Adds those of a term that depends on the sum of some parameters, each with its sign.
    fn add(&mut self, terms: &[(usize, f64)], gradient: f64, curvature: f64) {
        for &(row, sign) in terms {
            self.gradient[row] += sign * gradient;
        }
        self.add_mixed(terms, terms, curvature);
    }

    fn add_mixed(&mut self, rows: &[(usize, f64)], columns: &[(usize, f64)], curvature: f64) {
        for &(row, sign) in rows {
            for &(column, other) in columns {
                self.curvature[[row, column]] += sign * other * curvature;
            }
        }
    }
}

impl Model {
    fn advantage(&self) -> usize {
        self.parameters.len() - 2
    }

    fn drawing(&self) -> usize {
        self.parameters.len() - 1
    }

    /// The difference in strength that a player has before the first move.
    fn difference(&self, one: usize, two: usize) -> f64 {
        self.parameters[one] - self.parameters[two]
    }

    /// Probabilities that the first player wins, draws and loses.
    fn probabilities(&self, first: usize, second: usize) -> [f64; 3] {
        let half = (self.difference(first, second) + self.parameters[self.advantage()]) / 2.0;
        let logarithms = [half, self.parameters[self.drawing()], -half];
        let highest = logarithms.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let weights = logarithms.map(|logarithm| (logarithm - highest).exp());
        let total: f64 = weights.iter().sum();
        weights.map(|weight| weight / total)
    }

    /// The logarithm of the posterior probability, up to a constant.
    fn posterior(&self, encounters: &[Encounter], prior: &[Prior]) -> f64 {
        let games = encounters.iter().map(|met| {
            let chances = self.probabilities(met.first, met.second);
            let terms = met.results.iter().zip(chances);
            // What did not happen says nothing, however unlikely.
            terms
                .filter(|(count, _)| **count > 0)
                .map(|(&count, chance)| count as f64 * chance.ln())
                .sum::<f64>()
        });
        let virtual_games = prior.iter().map(|met| {
            let difference = self.difference(met.one, met.two);
            -met.games * (softplus(difference) + softplus(-difference)) / 2.0
        });
        let rest = self.parameters[self.advantage()..].iter();
        let rest = rest.map(|parameter| -(parameter / PRIOR_DEVIATION).powi(2) / 2.0);
        games.chain(virtual_games).chain(rest).sum()
    }

    fn derivatives(&self, encounters: &[Encounter], prior: &[Prior]) -> Derivatives {
        let size = self.parameters.len();
        let (advantage, drawing) = (self.advantage(), self.drawing());
        let mut sum = Derivatives { gradient: vec![0.0; size], curvature: Matrix::zeros(size) };
        for met in encounters {
            let Moments { expected, variance } = self.moments(met.first, met.second);
            let [_, draw, _] = self.probabilities(met.first, met.second);
            let (games, [won, drawn, lost]) = (met.games(), met.results.map(|count| count as f64));
            let difference = [(met.first, 1.0), (met.second, -1.0), (advantage, 1.0)];
            let gradient = (won - lost) / 2.0 - games * (expected - 0.5);
            sum.add(&difference, gradient, games * variance);
            sum.add(&[(drawing, 1.0)], drawn - games * draw, games * draw * (1.0 - draw));
            let mixed = -games * (expected - 0.5) * draw;
            sum.add_mixed(&difference, &[(drawing, 1.0)], mixed);
            sum.add_mixed(&[(drawing, 1.0)], &difference, mixed);
        }
        for met in prior {
            let win = 1.0 / (1.0 + (-self.difference(met.one, met.two)).exp());
            let difference = [(met.one, 1.0), (met.two, -1.0)];
            sum.add(&difference, met.games * (0.5 - win), met.games * win * (1.0 - win));
        }
        for parameter in [advantage, drawing] {
            let precision = PRIOR_DEVIATION.powi(-2);
            let gradient = -self.parameters[parameter] * precision;
            sum.add(&[(parameter, 1.0)], gradient, precision);
        }
        sum
    }

    /// Mean and variance of the points of a game.
    fn moments(&self, first: usize, second: usize) -> Moments {
        let [win, draw, loss] = self.probabilities(first, second);
        let expected = win + draw / 2.0;
        Moments { expected, variance: (win + loss) / 4.0 - (expected - 0.5).powi(2) }
    }

    /// Newton's method from where the parameters are, each step halved until it gains something;
    /// the covariance at the top, or none if numbers fail.
    fn climb(
        &mut self,
        encounters: &[Encounter],
        prior: &[Prior],
        anchor: usize,
    ) -> Option<Matrix> {
        const ROUNDS: usize = 200;
        const ENOUGH: f64 = 1e-8;
        let mut height = self.posterior(encounters, prior);
        for _ in 0..ROUNDS {
            let Derivatives { gradient, curvature } = self.derivatives(encounters, prior);
            let (lower, gradient) = without(anchor, &curvature, &gradient)?;
            let mut step = with_zero(anchor, lower.solve(&gradient));
            let longest =
                |step: &[f64]| step.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
            if longest(&step) < ENOUGH {
                return Some(with_zeros(anchor, &lower.inverse(), self.parameters.len()));
            }
            height = loop {
                let parameters = self.parameters.iter().zip(&step).map(|(at, by)| at + by);
                let there = Self { parameters: parameters.collect() };
                let reached = there.posterior(encounters, prior);
                // At the top rounding may hide the gain.
                if reached >= height || longest(&step) < 1e-6 {
                    *self = there;
                    break reached;
                }
                step.iter_mut().for_each(|part| *part /= 2.0);
            };
        }
        None
    }
}

/// Mean and variance of the points of a game for the player who moves first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    pub expected: f64,
    pub variance: f64,
}

/// `ln(1 + exp(x))`, also for large `x`.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// The triangle of the curvature, and the gradient, with the anchor's row and column left out.
fn without(anchor: usize, curvature: &Matrix, gradient: &[f64]) -> Option<(Matrix, Vec<f64>)> {
    let kept: Vec<usize> = (0..gradient.len()).filter(|&index| index != anchor).collect();
    let mut small = Matrix::zeros(kept.len());
    for (row, &from_row) in kept.iter().enumerate() {
        for (column, &from_column) in kept.iter().enumerate() {
            small[[row, column]] = curvature[[from_row, from_column]];
        }
    }
    Some((small.cholesky()?, kept.iter().map(|&index| gradient[index]).collect()))
}

fn with_zero(anchor: usize, mut values: Vec<f64>) -> Vec<f64> {
    values.insert(anchor, 0.0);
    values
}

fn with_zeros(anchor: usize, small: &Matrix, size: usize) -> Matrix {
    let mut matrix = Matrix::zeros(size);
    let kept: Vec<usize> = (0..size).filter(|&index| index != anchor).collect();
    for (row, &to_row) in kept.iter().enumerate() {
        for (column, &to_column) in kept.iter().enumerate() {
            matrix[[to_row, to_column]] = small[[row, column]];
        }
    }
    matrix
}

impl Ratings {
    /// Players of the pool.
    pub fn players(&self) -> usize {
        self.model.advantage()
    }

    /// A player's rating in Elo, with the uncertainty of its difference to the anchor's, which has
    /// none.
    ///
    /// # Panics
    ///
    /// If there is no such player; so do the other methods.
    pub fn rating(&self, player: usize) -> Estimate {
        self.difference(player, self.anchor).map(|elo| elo + self.anchor_rating)
    }

    /// The difference of two ratings in Elo, with its own uncertainty: those of the two ratings
    /// have much in common.
    pub fn difference(&self, one: usize, two: usize) -> Estimate {
        let difference = self.model.difference(one, two);
        Estimate::normal(difference * ELO_PER_NAT, self.deviation(one, two) * ELO_PER_NAT)
    }

    /// The covariance of two players' ratings, in square Elo.
    pub fn covariance(&self, one: usize, two: usize) -> f64 {
        assert!(one.max(two) < self.players(), "there are {} players", self.players());
        self.covariance[[one, two]] * ELO_PER_NAT * ELO_PER_NAT
    }

    /// The probability that one player is stronger than another.
    pub fn los(&self, one: usize, two: usize) -> f64 {
        if one == two {
            return 0.5;
        }
        normal_cdf(self.model.difference(one, two) / self.deviation(one, two))
    }

    /// The advantage of the first move in Elo.
    pub fn first_move(&self) -> Estimate {
        self.parameter(self.model.advantage()).map(|advantage| advantage * ELO_PER_NAT)
    }

    /// The ratio of draws to wins of one side among equals, `nu`.
    pub fn drawing(&self) -> Estimate {
        self.parameter(self.model.drawing()).map(f64::exp)
    }

    /// Probabilities that the player who moves first wins, draws and loses.
    pub fn probabilities(&self, first: usize, second: usize) -> [f64; 3] {
        self.model.probabilities(first, second)
    }

    /// Whether these strengths explain the games they were made from.
    pub fn intransitivity(&self, encounters: &[Encounter]) -> Intransitivity {
        intransitivity::judge(self, encounters)
    }

    /// Mean and variance of the points of a game.
    pub(super) fn moments(&self, first: usize, second: usize) -> Moments {
        self.model.moments(first, second)
    }

    fn parameter(&self, index: usize) -> Estimate {
        Estimate::normal(self.model.parameters[index], self.covariance[[index, index]].sqrt())
    }

    /// The standard deviation of a difference of strengths.
    fn deviation(&self, one: usize, two: usize) -> f64 {
        assert!(one.max(two) < self.players(), "there are {} players", self.players());
        let variances = self.covariance[[one, one]] + self.covariance[[two, two]];
        (variances - 2.0 * self.covariance[[one, two]]).max(0.0).sqrt()
    }
}
