//! Requirements on the accuracy of players (`--require`).

use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail};

use super::report::ExactReport;
use crate::base::spelling::nearest;
use crate::cli::{Failure, GATE};

/// An accuracy that must be above a bound.
#[derive(Clone, Debug)]
pub(super) struct Requirement {
    text: String,
    measure: String,
    /// From 0 to 1.
    bound: f64,
    /// Whether the bound itself meets the requirement (`>=`).
    inclusive: bool,
}

impl FromStr for Requirement {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let Some((measure, rest)) = text.split_once('>') else {
            bail!("`{text}` is not of the form KIND>=ACCURACY, as in win3>=95%");
        };
        let inclusive = rest.starts_with('=');
        let bound = rest.trim_start_matches('=').trim();
        let bound = fraction(bound)
            .with_context(|| format!("`{bound}` in `{text}` is no accuracy; write 0.95 or 95%"))?;
        let (text, measure) = (text.to_owned(), measure.trim().to_owned());
        Ok(Self { text, measure, bound, inclusive })
    }
}

/// Parses `95%` or `0.95`.
fn fraction(text: &str) -> Option<f64> {
    let fraction = match text.strip_suffix('%') {
        Some(percent) => percent.trim_end().parse::<f64>().ok()? / 100.0,
        None => text.parse().ok()?,
    };
    (0.0..=1.0).contains(&fraction).then_some(fraction)
}

impl Requirement {
    /// Checks that the requirement is about a kind of positions that is tested.
    pub(super) fn check(&self, known: &[&str]) -> Result<()> {
        check_known("--require", &self.measure, known)
    }

    fn is_met(&self, accuracy: f64) -> bool {
        accuracy > self.bound || self.inclusive && accuracy == self.bound
    }
}

/// Checks that an option names a kind of positions that is tested.
pub(super) fn check_known(option: &str, measure: &str, known: &[&str]) -> Result<()> {
    if known.contains(&measure) {
        return Ok(());
    }
    let hint = nearest(measure, known.iter().copied());
    let hint = hint.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
    bail!("{option}: `{measure}` is not tested here{hint}; known are {}", known.join(", "))
}

/// Fails with exit status 3 if a player does not meet a requirement.
pub(super) fn check(requirements: &[Requirement], reports: &[ExactReport]) -> Result<(), Failure> {
    for report in reports {
        for requirement in requirements {
            let share = report.share(&requirement.measure);
            let accuracy = share.map_or(0.0, |share| share.value);
            if !requirement.is_met(accuracy) {
                let (text, title) = (&requirement.text, report.title());
                let error = anyhow!("--require {text}: {title} has {:.1} %", 100.0 * accuracy);
                return Err(Failure { status: GATE, error });
            }
        }
    }
    Ok(())
}
