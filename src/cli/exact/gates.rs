//! What players must reach.

use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail};

use super::report::Report;
use crate::base::spelling::nearest;
use crate::cli::{Failure, GATE};

/// A share that must be above a bound.
#[derive(Clone, Debug)]
pub struct Requirement {
    text: String,
    measure: String,
    /// From 0 to 1.
    bound: f64,
    /// Whether the bound itself is enough.
    inclusive: bool,
}

impl FromStr for Requirement {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let Some((measure, rest)) = text.split_once('>') else {
            bail!("`{text}` is not of the form MEASURE>=SHARE, as in win3>=95%");
        };
        let inclusive = rest.starts_with('=');
        let bound = rest.trim_start_matches('=').trim();
        let bound = share(bound)
            .with_context(|| format!("`{bound}` in `{text}` is no share: write 0.95 or 95%"))?;
        let (text, measure) = (text.to_owned(), measure.trim().to_owned());
        Ok(Self { text, measure, bound, inclusive })
    }
}

/// Reads `95%` or `0.95`.
fn share(text: &str) -> Option<f64> {
    let share = match text.strip_suffix('%') {
        Some(percent) => percent.trim_end().parse::<f64>().ok()? / 100.0,
        None => text.parse().ok()?,
    };
    (0.0..=1.0).contains(&share).then_some(share)
}

impl Requirement {
    /// Whether it is about something that is measured.
    pub fn check(&self, known: &[&str]) -> Result<()> {
        if known.contains(&self.measure.as_str()) {
            return Ok(());
        }
        let hint = nearest(&self.measure, known.iter().copied());
        let hint = hint.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
        bail!(
            "--require: `{}` is not measured here{hint}; known are {}",
            self.measure,
            known.join(", ")
        )
    }

    fn is_met(&self, share: f64) -> bool {
        share > self.bound || self.inclusive && share == self.bound
    }
}

/// A failure of its own status if a player does not reach what is required.
pub fn judge(requirements: &[Requirement], reports: &[Report]) -> Result<(), Failure> {
    for report in reports {
        for requirement in requirements {
            let share = report.share(&requirement.measure).unwrap_or(0.0);
            if !requirement.is_met(share) {
                let (text, title) = (&requirement.text, report.title());
                let error = anyhow!("{text} is required, but {title} has {:.1} %", 100.0 * share);
                return Err(Failure { status: GATE, error });
            }
        }
    }
    Ok(())
}
