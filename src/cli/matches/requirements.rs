//! Conditions on the result of a match: the sequential test and `--require`.

use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

use crate::base::spelling::nearest;
use crate::cli::{Failure, GATE};
use crate::play::arena::Tally;
use crate::stats::{Decision, Pentanomial, Sprt, Summary};

/// The conditions of a match; any that is not met ends the program with exit status 3.
pub(super) struct Gates {
    sprt: Option<Sprt>,
    requirements: Vec<Requirement>,
}

/// An estimate that must be above a bound.
#[derive(Clone, Debug)]
pub(super) struct Requirement {
    text: String,
    measure: &'static str,
    bound: f64,
    /// Whether the bound itself meets the requirement (`>=`).
    inclusive: bool,
}

/// The estimates that `--require` knows.
const MEASURES: [&str; 4] = ["score", "elo", "normalized_elo", "los"];

/// Parses `LOWER,UPPER`.
pub(super) fn bounds(text: &str) -> Result<[f64; 2], String> {
    let wrong = || format!("`{text}` is not of the form LOWER,UPPER, as in 0,10");
    let (lower, upper) = text.split_once(',').ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
    Ok([number(lower)?, number(upper)?])
}

impl FromStr for Requirement {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, bound) = text
            .split_once('>')
            .with_context(|| format!("`{text}` is not of the form NAME>NUMBER, as in elo>0"))?;
        let (bound, inclusive) = bound.strip_prefix('=').map_or((bound, false), |it| (it, true));
        let (name, bound) = (name.trim(), bound.trim());
        let Some(&measure) = MEASURES.iter().find(|&&measure| measure == name) else {
            let hint = nearest(name, MEASURES.into_iter());
            let hint = hint.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
            bail!("there is no estimate `{name}`{hint}; known are {}", MEASURES.join(", "));
        };
        let number = bound.parse().ok().filter(|number: &f64| number.is_finite());
        let bound = number.with_context(|| format!("`{bound}` in `{text}` is not a number"))?;
        Ok(Self { text: text.to_owned(), measure, bound, inclusive })
    }
}

impl Requirement {
    /// Returns the value of the estimate, NaN without games.
    fn estimate(&self, tally: &Tally) -> f64 {
        let of_summary = |value: fn(&Summary) -> f64| {
            Pentanomial::new(tally.pairs).summary().map_or(f64::NAN, |summary| value(&summary))
        };
        match self.measure {
            "score" => tally.score(),
            "elo" => of_summary(|summary| summary.elo.value),
            "normalized_elo" => of_summary(|summary| summary.normalized_elo.value),
            _ => of_summary(|summary| summary.los),
        }
    }

    fn is_met(&self, tally: &Tally) -> bool {
        let value = self.estimate(tally);
        value > self.bound || self.inclusive && value == self.bound
    }
}

impl Gates {
    /// Returns the gates. Fails if the bounds or error probabilities are out of range.
    pub(super) fn new(
        bounds: Option<[f64; 2]>,
        [alpha, beta]: [f64; 2],
        requirements: &[Requirement],
    ) -> Result<Self> {
        let sprt = bounds.map(|bounds| Sprt { bounds, alpha, beta, ..Sprt::default() });
        if let Some(Err((key, reason))) = sprt.map(|sprt| sprt.check()) {
            let option = if key == "bounds" { "sprt" } else { key };
            bail!("--{option}: {reason}");
        }
        Ok(Self { sprt, requirements: requirements.to_vec() })
    }

    /// Whether the sequential test has accepted a hypothesis.
    pub(super) fn is_decided(&self, tally: &Tally) -> bool {
        self.sprt_state(tally).is_some_and(|(_, _, decision)| decision != Decision::Continue)
    }

    fn sprt_state(&self, tally: &Tally) -> Option<(Sprt, f64, Decision)> {
        let sprt = self.sprt?;
        let llr = sprt.llr(&Pentanomial::new(tally.pairs));
        Some((sprt, llr, sprt.decide(llr)))
    }

    /// Returns a line for each gate.
    pub(super) fn lines(&self, tally: &Tally) -> Vec<String> {
        let test = self.sprt_state(tally).map(|(sprt, llr, decision)| {
            let ([h0, h1], [lower, upper]) = (sprt.bounds, sprt.thresholds());
            let result = match decision {
                Decision::AcceptH0 => format!("H0 accepted, no more than {h0}"),
                Decision::AcceptH1 => format!("H1 accepted, at least {h1}"),
                Decision::Continue => "undecided".to_owned(),
            };
            format!(
                "SPRT of normalised Elo {h0} against {h1}: {result} (LLR {llr:.2}, thresholds \
                 {lower:.2} and {upper:.2})"
            )
        });
        let required = self.requirements.iter().map(|requirement| {
            let (text, value) = (&requirement.text, requirement.estimate(tally));
            let status = if requirement.is_met(tally) { "met" } else { "not met" };
            format!("--require {text}: {status}, the value is {value:.3}")
        });
        test.into_iter().chain(required).collect()
    }

    /// Returns the test, or null, and the requirements as JSON.
    pub(super) fn json(&self, tally: &Tally) -> [Value; 2] {
        let test = self.sprt_state(tally).map_or(Value::Null, |(sprt, llr, decision)| {
            json!({
                "scale": sprt.scale, "bounds": sprt.bounds, "alpha": sprt.alpha,
                "beta": sprt.beta, "thresholds": sprt.thresholds(), "llr": llr,
                "decision": decision,
            })
        });
        let required = self.requirements.iter().map(|requirement| {
            json!({
                "condition": requirement.text, "value": requirement.estimate(tally),
                "met": requirement.is_met(tally),
            })
        });
        [test, required.collect()]
    }

    /// Fails with exit status 3 if a gate is not met.
    pub(super) fn check(&self, tally: &Tally) -> Result<(), Failure> {
        let gate = |error| Err(Failure { status: GATE, error });
        match self.sprt_state(tally) {
            Some((sprt, _, Decision::AcceptH0)) => {
                let [h0, _] = sprt.bounds;
                return gate(anyhow!("the SPRT accepted H0: no more than {h0} normalised Elo"));
            }
            Some((_, _, Decision::Continue)) => {
                let games = tally.games();
                return gate(anyhow!("the SPRT is undecided after {games} games; raise --games"));
            }
            Some((_, _, Decision::AcceptH1)) | None => {}
        }
        match self.requirements.iter().find(|requirement| !requirement.is_met(tally)) {
            Some(missed) => {
                let value = missed.estimate(tally);
                gate(anyhow!("--require {}: the value is {value:.3}", missed.text))
            }
            None => Ok(()),
        }
    }
}
