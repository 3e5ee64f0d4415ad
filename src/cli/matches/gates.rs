//! What the result of a match has to be: the sequential test, and requirements.

use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail};
use serde_json::{Value, json};

use crate::base::spelling::nearest;
use crate::cli::{Failure, GATE};
use crate::play::arena::Tally;
use crate::stats::{Decision, Pentanomial, Sprt, Summary};

/// The gates that were asked for.
pub struct Gates {
    sprt: Option<Sprt>,
    requirements: Vec<Requirement>,
}

/// A number of the result that must be above a bound.
#[derive(Clone, Debug)]
pub struct Requirement {
    text: String,
    measure: &'static str,
    bound: f64,
    /// Whether the bound itself is enough.
    inclusive: bool,
}

/// The numbers that can be required.
const MEASURES: [&str; 4] = ["score", "elo", "normalized_elo", "los"];

/// Reads `LOWER,UPPER`.
pub fn bounds(text: &str) -> Result<[f64; 2], String> {
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
            bail!("`{name}` is not measured{hint}; known are {}", MEASURES.join(", "));
        };
        let number = bound.parse().ok().filter(|number: &f64| number.is_finite());
        let bound = number.with_context(|| format!("`{bound}` in `{text}` is not a number"))?;
        Ok(Self { text: text.to_owned(), measure, bound, inclusive })
    }
}

impl Requirement {
    /// The estimate that it is about.
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
    /// The gates, if they make sense.
    pub fn new(
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

    /// Whether the test has come to its end.
    pub fn is_decided(&self, tally: &Tally) -> bool {
        self.verdict(tally).is_some_and(|(_, _, decision)| decision != Decision::Continue)
    }

    fn verdict(&self, tally: &Tally) -> Option<(Sprt, f64, Decision)> {
        let sprt = self.sprt?;
        let llr = sprt.llr(&Pentanomial::new(tally.pairs));
        Some((sprt, llr, sprt.decide(llr)))
    }

    /// A line for each gate.
    pub fn lines(&self, tally: &Tally) -> Vec<String> {
        let test = self.verdict(tally).map(|(sprt, llr, decision)| {
            let ([h0, h1], [lower, upper]) = (sprt.bounds, sprt.thresholds());
            let verdict = match decision {
                Decision::AcceptH0 => format!("H0 accepted, no more than {h0}"),
                Decision::AcceptH1 => format!("H1 accepted, at least {h1}"),
                Decision::Continue => "undecided".to_owned(),
            };
            format!(
                "SPRT of normalised Elo {h0} against {h1}: {verdict} (LLR {llr:.2}, thresholds \
                 {lower:.2} and {upper:.2})"
            )
        });
        let required = self.requirements.iter().map(|requirement| {
            let (text, value) = (&requirement.text, requirement.estimate(tally));
            let verdict = if requirement.is_met(tally) { "met" } else { "not met" };
            format!("required {text}: {verdict}, it is {value:.3}")
        });
        test.into_iter().chain(required).collect()
    }

    /// The same as JSON: the test, or null, and the requirements.
    pub fn json(&self, tally: &Tally) -> [Value; 2] {
        let test = self.verdict(tally).map_or(Value::Null, |(sprt, llr, decision)| {
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

    /// A failure of its own status if a gate is not met.
    pub fn judge(&self, tally: &Tally) -> Result<(), Failure> {
        let gate = |error| Err(Failure { status: GATE, error });
        match self.verdict(tally) {
            Some((sprt, _, Decision::AcceptH0)) => {
                let [h0, _] = sprt.bounds;
                return gate(anyhow!("the test found no more than {h0} normalised Elo"));
            }
            Some((_, _, Decision::Continue)) => {
                let games = tally.games();
                return gate(anyhow!(
                    "the test is undecided after {games} games; allow more by --games"
                ));
            }
            Some((_, _, Decision::AcceptH1)) | None => {}
        }
        match self.requirements.iter().find(|requirement| !requirement.is_met(tally)) {
            Some(missed) => {
                let value = missed.estimate(tally);
                gate(anyhow!("{} is required, but it is {value:.3}", missed.text))
            }
            None => Ok(()),
        }
    }
}
