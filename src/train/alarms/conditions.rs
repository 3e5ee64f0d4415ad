//! The checks of the alarms. A check returns `None` if the metrics are missing or too few.

use super::history::Row;
use super::window::Stretch;

/// The result of a check of the newest iterations.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Sign {
    /// Whether the values reach the limit that raises the alarm.
    pub raises: bool,
    /// Whether the values reach the limit that keeps the alarm in force.
    pub keeps: bool,
    /// The measured values and their iterations.
    pub seen: String,
}

impl Sign {
    /// A sign from a value that should be low: `value >= raised` raises the alarm, and
    /// `value >= kept` keeps it in force.
    fn high(value: f64, [raised, kept]: [f64; 2], seen: String) -> Self {
        Self { raises: value >= raised, keeps: value >= kept, seen }
    }

    /// A sign from the lowest and the highest of several values that should be low: the alarm is
    /// raised if all reach `raised`, and over if none reaches `kept`.
    fn high_in_all([lowest, highest]: [f64; 2], [raised, kept]: [f64; 2], seen: String) -> Self {
        Self { raises: lowest >= raised, keeps: highest >= kept, seen }
    }
}

/// The last iteration up to which low entropy of the policy raises the alarm.
const EARLY: u64 = 20;

/// Number of iterations within which a fall of the entropy counts as sudden.
const SUDDEN: usize = 10;

/// The entropy of the policy is low early in the run, or falls suddenly.
pub(super) fn policy_collapse(rows: &[Row]) -> Option<Sign> {
    let newest = Stretch::newest(rows, 3)?;
    let entropy = newest.mean("entropy")?;
    let seen = format!("the entropy of the network's policy is {entropy:.2} nats in {newest}");
    let early = newest.last() <= EARLY;
    let sign = Sign { raises: early && entropy <= 0.1, keeps: entropy <= 0.15, seen };
    Some(sudden_collapse(rows, newest, entropy).unwrap_or(sign))
}

/// The entropy of the policy falls while its loss on new games rises.
fn sudden_collapse(rows: &[Row], newest: Stretch<'_>, entropy: f64) -> Option<Sign> {
    let fresh = newest.mean("fresh_policy_loss")?;
    let recent = &rows[rows.len().saturating_sub(SUDDEN + 3)..];
    let collapsed = |fall: f64, rise: f64| {
        Stretch::all(recent, 3).find_map(|then| {
            let (before, fresh_before) = (then.mean("entropy")?, then.mean("fresh_policy_loss")?);
            let has_collapsed = entropy <= fall * before && fresh >= rise * fresh_before;
            has_collapsed.then_some((then, before, fresh_before))
        })
    };
    let raising = collapsed(0.5, 1.1);
    let raises = raising.is_some();
    let (then, before, fresh_before) = raising.or_else(|| collapsed(0.6, 1.05))?;
    let seen = format!(
        "the entropy of the network's policy has fallen from {before:.2} nats in {then} to \
         {entropy:.2} in {newest}, and its loss on new games has risen from {fresh_before:.2} to \
         {fresh:.2}"
    );
    Some(Sign { raises, keeps: true, seen })
}

/// The value loss is much higher on new games than in training.
pub(super) fn value_overfitting(rows: &[Row]) -> Option<Sign> {
    let newest = Stretch::newest(rows, 4)?;
    let gap = |row: &Row| Some(row.number("fresh_value_loss")? - row.number("value_loss")?);
    let (fresh, training) = (newest.mean("fresh_value_loss")?, newest.mean("value_loss")?);
    let seen = format!(
        "the value loss is {fresh:.2} on new games and {training:.2} in training in {newest}"
    );
    Some(Sign::high_in_all(newest.range(gap)?, [0.15, 0.1], seen))
}

/// The value loss on new games is above the baseline, which predicts only the share of draws.
pub(super) fn value_astray(rows: &[Row]) -> Option<Sign> {
    let newest = Stretch::newest(rows, 4)?;
    let baseline = |row: &Row| row.number("draws").map(entropy_of_results);
    let excess = |row: &Row| Some(row.number("fresh_value_loss")? - baseline(row)?);
    let seen = format!(
        "the value loss on new games is {:.2} in {newest}; the baseline that predicts only their \
         share of draws, {}, has {:.2}",
        newest.mean("fresh_value_loss")?,
        percent(newest.mean("draws")?),
        newest.mean_of(baseline)?
    );
    Some(Sign::high_in_all(newest.range(excess)?, [0.1, 0.05], seen))
}

/// Most games are drawn.
pub(super) fn draw_death(rows: &[Row]) -> Option<Sign> {
    let newest = Stretch::newest(rows, 5)?;
    let draws = newest.mean("draws")?;
    let seen = format!("{} of the games of {newest} were drawn", percent(draws));
    Some(Sign::high(draws, [0.5, 0.4], seen))
}

/// Few games or positions are distinct.
pub(super) fn games_alike(rows: &[Row]) -> Option<Sign> {
    let newest = Stretch::newest(rows, 3)?;
    let (games, positions) = (newest.mean("distinct_games")?, newest.mean("distinct_positions")?);
    let seen = format!(
        "{} of the games of {newest} are distinct, and {} of their positions",
        percent(games),
        percent(positions)
    );
    let alike = |least: [f64; 2]| games <= least[0] || positions <= least[1];
    Some(Sign { raises: alike([0.5, 0.2]), keeps: alike([0.6, 0.25]), seen })
}

/// `max_plies` ends many games.
pub(super) fn games_cut(rows: &[Row]) -> Option<Sign> {
    let newest = Stretch::newest(rows, 5)?;
    let cut = newest.mean("cut_short")?;
    let seen = format!("{} of the games of {newest} were ended by max_plies", percent(cut));
    Some(Sign::high(cut, [0.2, 0.1], seen))
}

/// The training losses rise.
pub(super) fn loss_rising(rows: &[Row]) -> Option<Sign> {
    let newest = Stretch::newest(rows, 5)?;
    let loss =
        |stretch: Stretch<'_>| Some(stretch.mean("policy_loss")? + stretch.mean("value_loss")?);
    let (now, lowest) = (loss(newest)?, lowest(rows, 5, loss)?);
    let seen = format!(
        "the sum of policy and value loss in training is {now:.2} in {newest}, up from {:.2} in {}",
        lowest.value, lowest.stretch
    );
    Some(Sign::high(now, [1.25, 1.15].map(|times| times * lowest.value), seen))
}

/// The norm of the gradient is far above its lowest.
pub(super) fn gradient_exploding(rows: &[Row]) -> Option<Sign> {
    let newest = Stretch::newest(rows, 3)?;
    let norm = |stretch: Stretch<'_>| stretch.mean("gradient_norm");
    let (now, lowest) = (norm(newest)?, lowest(rows, 3, norm)?);
    let seen = format!(
        "the norm of the gradient is {now:.1} in {newest}, up from {:.1} in {}",
        lowest.value, lowest.stretch
    );
    Some(Sign::high(now, [3.0, 2.0].map(|times| times * lowest.value), seen))
}

/// A lowest value and its iterations.
struct Lowest<'a> {
    value: f64,
    stretch: Stretch<'a>,
}

/// The lowest value of a measure over all stretches of `count` iterations.
fn lowest<'a>(
    rows: &'a [Row],
    count: usize,
    measure: impl Fn(Stretch<'a>) -> Option<f64>,
) -> Option<Lowest<'a>> {
    let all = Stretch::all(rows, count)
        .filter_map(|stretch| Some(Lowest { value: measure(stretch)?, stretch }));
    all.min_by(|a, b| a.value.total_cmp(&b.value))
}

/// The entropy, in nats, of win, draw and loss if only the share of draws is known: wins and losses
/// have equal shares.
fn entropy_of_results(draws: f64) -> f64 {
    let decided = (1.0 - draws) / 2.0;
    let shares = [decided, draws, decided].into_iter().filter(|&share| share > 0.0);
    shares.map(|share| -share * share.ln()).sum()
}

fn percent(share: f64) -> String {
    format!("{:.0}%", 100.0 * share)
}
