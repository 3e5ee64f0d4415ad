//! Levels of a trained player: the same network for beginners and for experts.

use anyhow::Result;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::base::checks::{Fault, within};
use crate::base::printable::printable;
use crate::base::spelling::nearest;
use crate::search::Weakening;

/// A level of a trained player.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Level {
    /// Its name for people.
    pub name: String,
    /// Rating on the scale of docs/evaluation.md, if it was measured.
    pub elo: Option<f64>,
    /// 95 % interval of the rating.
    pub interval: Option<[f64; 2]>,
    /// Simulations of each search.
    pub simulations: u32,
    /// Positions that the root prover visits for each simulation.
    pub proof_nodes: u32,
    /// Noise in the evaluations.
    #[serde(flatten)]
    pub weakening: Weakening,
}

impl Level {
    /// Checks the range of every value.
    ///
    /// # Errors
    ///
    /// If one is out of range: the first one.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        within("length of a name", self.name.chars().count(), [1, 40])?;
        if printable(&self.name) != self.name.as_str() {
            return Err(("name", format!("must have no control characters: {:?}", self.name)));
        }
        within("simulations", self.simulations, [1, 1_000_000])?;
        within("proof_nodes", self.proof_nodes, [0, 1_000_000])?;
        self.weakening.check()?;
        let mut elo = self.elo.into_iter().chain(self.interval.into_iter().flatten());
        elo.try_for_each(|elo| within("elo", elo, [-1e5, 1e5]))
    }
}

/// The levels of a player for which none were measured, the weakest first.
pub fn default_levels() -> Vec<Level> {
    let level = |name: &str, simulations, proof_nodes, temperature, value_noise| Level {
        name: name.to_owned(),
        elo: None,
        interval: None,
        simulations,
        proof_nodes,
        weakening: Weakening { temperature, value_noise },
    };
    vec![
        level("Beginner", 4, 0, 2.0, 3.0),
        level("Casual", 8, 0, 1.5, 2.0),
        level("Intermediate", 16, 0, 1.0, 1.25),
        level("Advanced", 32, 0, 0.5, 0.5),
        level("Expert", 64, 0, 0.0, 0.0),
        level("Strongest", 800, 500, 0.0, 0.0),
    ]
}

/// A player has no such level.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct UnknownLevel(String);

/// The level of this number, counted from 1 for the weakest, or of this name in small or large
/// letters.
///
/// # Errors
///
/// If there is none; the error lists them.
pub fn find_level<'a>(levels: &'a [Level], text: &str) -> Result<&'a Level> {
    let by_number =
        text.parse::<usize>().ok().and_then(|number| levels.get(number.wrapping_sub(1)));
    let is_it = |level: &&Level| level.name.eq_ignore_ascii_case(text);
    let names = levels.iter().map(|level| level.name.as_str());
    by_number.or_else(|| levels.iter().find(is_it)).ok_or_else(|| {
        let near = nearest(text, names.clone());
        let hint = near.map_or_else(|| ".".to_owned(), |near| format!(", did you mean {near}?"));
        let listed = names.enumerate().map(|(index, name)| format!("{} {name}", index + 1));
        let listed = listed.collect::<Vec<_>>().join(", ");
        UnknownLevel(format!("there is no level `{text}`{hint} Levels: {listed}")).into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_numbers_and_names() {
        let levels = default_levels();
        assert!(levels.iter().all(|level| level.check().is_ok()));
        assert_eq!(find_level(&levels, "1").unwrap().name, "Beginner");
        assert_eq!(find_level(&levels, "strongest").unwrap(), levels.last().unwrap());
        for (text, words) in [
            ("0", "Levels: 1 Beginner, 2 Casual"),
            ("7", "no level `7`"),
            ("casul", "did you mean Casual?"),
        ] {
            let error = find_level(&levels, text).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let level = default_levels().remove(0);
        let refused = |level: Level| level.check().unwrap_err().0;
        assert_eq!(refused(Level { simulations: 0, ..level.clone() }), "simulations");
        assert_eq!(refused(Level { name: String::new(), ..level.clone() }), "length of a name");
        assert_eq!(refused(Level { elo: Some(f64::NAN), ..level.clone() }), "elo");
        let weakening = Weakening { temperature: -1.0, ..level.weakening };
        assert_eq!(refused(Level { weakening, ..level }), "temperature");
    }
}
