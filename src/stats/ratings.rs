//! Ratings of a pool of players from all games between them.
//!
//! The model is that of Bradley and Terry (1952), with draws after Davidson (1970) and a first-move
//! advantage after Davidson and Beaver (1977). Let `d` be the rating of the player who moves first,
//! less that of the other player, plus the advantage, all in natural logarithms. The probabilities
//! of a win, a draw and a loss of the first player are then in the ratio
//!
//! ```text
//! exp(d / 2)  :  nu  :  exp(-d / 2)
//! ```
//!
//! A difference of 400 Elo therefore means odds of ten to one in decisive games, and `nu` is the
//! ratio of draws to wins between equal players. Ratings, advantage and `ln nu` are the maximum of
//! the posterior, which is unique and found by Newton's method. Their covariance is the inverse of
//! the negative matrix of second derivatives there.
//!
//! Two weak priors keep the ratings finite, whatever the results:
//!
//! * Every player has half a game more, half won and half lost, without a first-move advantage and
//!   spread over the opponents in proportion to the games played. For two players this is the prior
//!   of Jeffreys.
//! * The advantage and `ln nu` are normally distributed about 0 with a deviation of 3, which is 521
//!   Elo.

use thiserror::Error;

use super::distributions::normal_cdf;
use super::intransitivity::{self, Intransitivity};
use super::matrix::Matrix;
use super::{ELO_PER_NAT, Estimate};

/// Standard deviation of the prior of the advantage and of `ln nu`.
const PRIOR_DEVIATION: f64 = 3.0;

/// The most players of a pool: memory grows with the square of their number, time with the cube.
const MOST_PLAYERS: usize = 5000;

/// Games between two players of a pool in which the same one always moved first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Encounter {
    /// Number of the player who moved first.
    pub first: usize,
    /// Number of the other player.
    pub second: usize,
    /// Numbers of games that the first player won, drew and lost.
    pub results: [u64; 3],
}

impl Encounter {
    /// Number of games played.
    pub(crate) fn games(&self) -> f64 {
        // Counts from files may be any.
        self.results.iter().map(|&count| count as f64).sum()
    }
}

/// Settings of the rating fit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct RatingSettings {
    /// The player whose rating is fixed.
    pub anchor: usize,
    /// The rating of the anchor.
    pub anchor_rating: f64,
    /// Virtual games of each player, half won and half lost: the weight of the prior.
    pub prior_games: f64,
}

impl Default for RatingSettings {
    fn default() -> Self {
        Self { anchor: 0, anchor_rating: 0.0, prior_games: 0.5 }
    }
}

/// Why ratings could not be computed.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(crate) enum RatingsError {
    /// A player's number is too large.
    #[error("unknown player {player}: there are {players} players, numbered from 0")]
    Unknown {
        /// The number.
        player: usize,
        /// Number of players.
        players: usize,
    },
    /// An encounter has the same player on both sides.
    #[error("player {player} cannot play against itself")]
    AgainstItself {
        /// The player's number.
        player: usize,
    },
    /// Some players are not connected by any chain of games.
    #[error("no chain of games connects these groups of players: {groups:?}")]
    Unconnected {
        /// The connected groups, each in ascending order.
        groups: Vec<Vec<usize>>,
    },
    /// There are too many players for the memory that ratings need.
    #[error("there are {players} players, ratings are computed for at most {MOST_PLAYERS}")]
    TooMany {
        /// Number of players.
        players: usize,
    },
    /// The number of virtual games is out of range.
    #[error("prior_games must be a positive number, at most 1000")]
    Prior,
    /// The results are too extreme for Newton's method.
    #[error("the ratings of these results could not be computed: Newton's method did not converge")]
    Singular,
}

/// The ratings of a pool.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Ratings {
    model: Model,
    anchor: usize,
    anchor_rating: f64,
    /// Covariance of all parameters of the model; zero in the row and column of the anchor.
    covariance: Matrix,
}

/// The parameters of the model in natural logarithms: ratings of the players, advantage, `ln nu`.
#[derive(Clone, PartialEq, Debug)]
struct Model {
    parameters: Vec<f64>,
}

/// Virtual games between two players, half won and half lost.
#[derive(Clone, Copy, Debug)]
struct Prior {
    one: usize,
    two: usize,
    games: f64,
}

/// Computes ratings of `players` players, numbered from 0. The order of encounters does not matter.
///
/// # Errors
///
/// If an encounter or a setting is invalid, or if the games do not connect all players.
pub(crate) fn rate(
    players: usize,
    encounters: &[Encounter],
    settings: &RatingSettings,
) -> Result<Ratings, RatingsError> {
    check(players, encounters, settings)?;
    let groups = groups(players, encounters);
    if groups.len() > 1 {
        return Err(RatingsError::Unconnected { groups });
    }
    let prior = prior_of(players, encounters, settings.prior_games);
    let mut model = Model { parameters: vec![0.0; players + 2] };
    let covariance = model.maximise(encounters, &prior, settings.anchor);
    let covariance = covariance.ok_or(RatingsError::Singular)?;
    let RatingSettings { anchor, anchor_rating, .. } = *settings;
    Ok(Ratings { model, anchor, anchor_rating, covariance })
}

fn check(
    players: usize,
    encounters: &[Encounter],
    settings: &RatingSettings,
) -> Result<(), RatingsError> {
    if players > MOST_PLAYERS {
        return Err(RatingsError::TooMany { players });
    }
    let named = encounters.iter().flat_map(|met| [met.first, met.second]);
    if let Some(player) = named.chain([settings.anchor]).find(|&player| player >= players) {
        return Err(RatingsError::Unknown { player, players });
    }
    if let Some(met) = encounters.iter().find(|met| met.first == met.second) {
        return Err(RatingsError::AgainstItself { player: met.first });
    }
    let prior = settings.prior_games;
    if prior > 0.0 && prior <= 1000.0 { Ok(()) } else { Err(RatingsError::Prior) }
}

/// Returns the groups of players that are connected by games, each in ascending order.
///
/// # Panics
///
/// If an encounter has a player's number that is not below `players`.
pub(crate) fn groups(players: usize, encounters: &[Encounter]) -> Vec<Vec<usize>> {
    let mut group: Vec<usize> = (0..players).collect();
    for met in encounters.iter().filter(|met| met.games() > 0.0) {
        let (from, to) = (group[met.first], group[met.second]);
        group.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
    }
    let members = |wanted: usize| (0..players).filter(|&player| group[player] == wanted).collect();
    let groups = (0..players).map(members);
    groups.filter(|members: &Vec<usize>| !members.is_empty()).collect()
}

/// Distributes the virtual games over the pairs that have met.
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

/// Gradient and negative second derivatives of a log-likelihood.
struct Derivatives {
    gradient: Vec<f64>,
    curvature: Matrix,
}

impl Derivatives {
    /// Adds the derivatives of a term that depends on a signed sum of parameters.
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

    /// The difference of two ratings, without the first-move advantage.
    fn difference(&self, one: usize, two: usize) -> f64 {
        self.parameters[one] - self.parameters[two]
    }

    /// Probabilities of a win, a draw and a loss of the first player.
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
            // A result that never occurred contributes nothing, even if its probability is 0.
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

    /// Mean and variance of the first player's points in a game.
    fn moments(&self, first: usize, second: usize) -> Moments {
        let [win, draw, loss] = self.probabilities(first, second);
        let expected = win + draw / 2.0;
        Moments { expected, variance: (win + loss) / 4.0 - (expected - 0.5).powi(2) }
    }

    /// Maximises the posterior by Newton's method, halving each step until the posterior grows.
    /// Returns the covariance at the maximum, or none if the iteration fails.
    fn maximise(
        &mut self,
        encounters: &[Encounter],
        prior: &[Prior],
        anchor: usize,
    ) -> Option<Matrix> {
        const MAX_STEPS: usize = 200;
        const TOLERANCE: f64 = 1e-8;
        let mut height = self.posterior(encounters, prior);
        for _ in 0..MAX_STEPS {
            let Derivatives { gradient, curvature } = self.derivatives(encounters, prior);
            let order = order(anchor, &curvature, gradient.len());
            let lower = ordered(&order, &curvature).cholesky()?;
            let gradient: Vec<f64> = order.iter().map(|&index| gradient[index]).collect();
            let mut step = vec![0.0; self.parameters.len()];
            order.iter().zip(lower.solve(&gradient)).for_each(|(&index, part)| step[index] = part);
            let longest =
                |step: &[f64]| step.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
            if longest(&step) < TOLERANCE {
                return Some(expand(&order, &lower.inverse(), self.parameters.len()));
            }
            height = loop {
                let parameters = self.parameters.iter().zip(&step).map(|(at, by)| at + by);
                let there = Self { parameters: parameters.collect() };
                let reached = there.posterior(encounters, prior);
                // Close to the maximum rounding may hide the gain.
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

/// Mean and variance of the points in a game of the player who moves first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moments {
    pub expected: f64,
    pub variance: f64,
}

/// `ln(1 + exp(x))` without overflow for large `x`.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// The order in which parameters are eliminated: those that depend on few others first, and not the
/// anchor. In a run, where each network meets the panel and the network before it, time grows with
/// the square of their number so, not with its cube.
fn order(anchor: usize, curvature: &Matrix, size: usize) -> Vec<usize> {
    let others = |row| (0..size).filter(|&column| curvature[[row, column]] != 0.0).count();
    let mut order: Vec<usize> = (0..size).filter(|&index| index != anchor).collect();
    order.sort_by_cached_key(|&index| others(index));
    order
}

/// The rows and columns of a matrix in this order.
fn ordered(order: &[usize], matrix: &Matrix) -> Matrix {
    let mut small = Matrix::zeros(order.len());
    for (row, &from_row) in order.iter().enumerate() {
        for (column, &from_column) in order.iter().enumerate() {
            small[[row, column]] = matrix[[from_row, from_column]];
        }
    }
    small
}

/// The inverse of [`ordered`], with zeros for the anchor.
fn expand(order: &[usize], small: &Matrix, size: usize) -> Matrix {
    let mut matrix = Matrix::zeros(size);
    for (row, &to_row) in order.iter().enumerate() {
        for (column, &to_column) in order.iter().enumerate() {
            matrix[[to_row, to_column]] = small[[row, column]];
        }
    }
    matrix
}

impl Ratings {
    /// Number of players in the pool.
    pub(crate) fn players(&self) -> usize {
        self.model.advantage()
    }

    /// Returns a player's rating in Elo, with the interval of its difference from the anchor's
    /// rating. The anchor's interval has width 0.
    ///
    /// # Panics
    ///
    /// If there is no such player, as in the other methods.
    pub(crate) fn rating(&self, player: usize) -> Estimate {
        self.difference(player, self.anchor).map(|elo| elo + self.anchor_rating)
    }

    /// Returns the difference of two ratings in Elo with its interval. Ratings are correlated, so
    /// the interval does not follow from those of the two ratings.
    pub(crate) fn difference(&self, one: usize, two: usize) -> Estimate {
        let difference = self.model.difference(one, two);
        Estimate::normal(difference * ELO_PER_NAT, self.deviation(one, two) * ELO_PER_NAT)
    }

    /// Returns the covariance of two players' ratings, in Elo squared.
    pub(crate) fn covariance(&self, one: usize, two: usize) -> f64 {
        assert!(one.max(two) < self.players(), "there are {} players", self.players());
        self.covariance[[one, two]] * ELO_PER_NAT * ELO_PER_NAT
    }

    /// Returns the likelihood of superiority: the probability that `one` is stronger than `two`.
    pub(crate) fn los(&self, one: usize, two: usize) -> f64 {
        if one == two {
            return 0.5;
        }
        normal_cdf(self.model.difference(one, two) / self.deviation(one, two))
    }

    /// Returns the first-move advantage in Elo.
    pub(crate) fn first_move(&self) -> Estimate {
        self.parameter(self.model.advantage()).map(|advantage| advantage * ELO_PER_NAT)
    }

    /// Returns `nu`, the ratio of draws to wins of one side between equal players.
    pub(crate) fn drawing(&self) -> Estimate {
        self.parameter(self.model.drawing()).map(f64::exp)
    }

    /// Returns the probabilities of a win, a draw and a loss of the player who moves first.
    pub(crate) fn probabilities(&self, first: usize, second: usize) -> [f64; 3] {
        self.model.probabilities(first, second)
    }

    /// Tests whether these ratings explain the games that they were computed from.
    pub(crate) fn intransitivity(&self, encounters: &[Encounter]) -> Intransitivity {
        intransitivity::evaluate(self, encounters)
    }

    /// Mean and variance of the first player's points in a game.
    pub(super) fn moments(&self, first: usize, second: usize) -> Moments {
        self.model.moments(first, second)
    }

    fn parameter(&self, index: usize) -> Estimate {
        Estimate::normal(self.model.parameters[index], self.covariance[[index, index]].sqrt())
    }

    /// The standard deviation of a difference of ratings, in natural logarithms.
    fn deviation(&self, one: usize, two: usize) -> f64 {
        assert!(one.max(two) < self.players(), "there are {} players", self.players());
        let variances = self.covariance[[one, one]] + self.covariance[[two, two]];
        (variances - 2.0 * self.covariance[[one, two]]).max(0.0).sqrt()
    }
}
