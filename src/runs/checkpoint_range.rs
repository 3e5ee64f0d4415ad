//! Player specs that name several checkpoints: `RUN@*`, and `RUN@0..40/5` for every fifth.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::runs::checkpoint::Run;

/// Expands a player spec into one for each checkpoint that it names; others are returned unchanged.
pub(crate) fn expand(text: &str) -> Result<Vec<String>> {
    let (place, options) = text.split_at(text.find('?').unwrap_or(text.len()));
    let Some((run, range)) = place.rsplit_once('@') else { return Ok(vec![text.to_owned()]) };
    let Some(range) = Range::read(range).with_context(|| format!("player `{text}`"))? else {
        return Ok(vec![text.to_owned()]);
    };
    let folder = ["policy:", "search:"].iter().find_map(|word| run.strip_prefix(word));
    let folder = Path::new(folder.unwrap_or(run));
    let found = Run::open(folder).map(|run| range.of(&run.checkpoints()));
    let found = found.and_then(|found| found).with_context(|| format!("player `{text}`"))?;
    Ok(found.iter().map(|iteration| format!("{run}@{iteration}{options}")).collect())
}

/// Iterations from the first to the last, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Range {
    /// `None` for the first checkpoint.
    first: Option<u64>,
    /// `None` for the last checkpoint.
    last: Option<u64>,
    step: u64,
}

impl Range {
    /// Parses `*` or `FIRST..LAST`, where both ends may be omitted and `/STEP` may follow. Returns
    /// `None` for other texts.
    fn read(text: &str) -> Result<Option<Self>> {
        let (range, step) = text.split_once('/').unwrap_or((text, "1"));
        let [first, last] = match (range, range.split_once("..")) {
            ("*", _) => ["", ""],
            (_, Some((first, last))) => [first, last],
            (_, None) => return Ok(None),
        };
        let number = |text: &str| -> Result<u64> {
            text.parse().with_context(|| {
                format!("`{text}` is not the number of an iteration, as in RUN@0..40/5")
            })
        };
        let end = |text: &str| (!text.is_empty()).then(|| number(text)).transpose();
        let range = Self { first: end(first)?, last: end(last)?, step: number(step)? };
        ensure!(range.step > 0, "the step after the `/` must be at least 1");
        Ok(Some(range))
    }

    /// Returns the iterations of the range that have a checkpoint.
    fn of(&self, checkpoints: &[u64]) -> Result<Vec<u64>> {
        let (Some(&lowest), Some(&highest)) = (checkpoints.first(), checkpoints.last()) else {
            anyhow::bail!("the run has no checkpoint yet");
        };
        let (first, last) = (self.first.unwrap_or(lowest), self.last.unwrap_or(highest));
        let wanted =
            |it: &&u64| (first..=last).contains(*it) && (*it - first).is_multiple_of(self.step);
        let found: Vec<u64> = checkpoints.iter().filter(wanted).copied().collect();
        ensure!(
            !found.is_empty() && self.last.is_none_or(|last| last <= highest),
            "the run has checkpoints {lowest} to {highest}, not {first} to {last} in steps of {}",
            self.step
        );
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(range: &str) -> Result<Vec<u64>> {
        let checkpoints: Vec<u64> = (0..=12).filter(|&number| number != 7).collect();
        Range::read(range)?.context("no range")?.of(&checkpoints)
    }

    #[test]
    fn ranges_pick_what_is_there() {
        assert_eq!(picked("*").unwrap().len(), 12);
        for (range, expected) in [
            ("*/5", vec![0, 5, 10]),
            ("2..8/3", vec![2, 5, 8]),
            ("6..8", vec![6, 8]),
            ("..2", vec![0, 1, 2]),
            ("11..", vec![11, 12]),
            ("4..4", vec![4]),
        ] {
            assert_eq!(picked(range).unwrap(), expected, "{range}");
        }
    }

    #[test]
    fn ranges_that_make_no_sense_are_refused() {
        for (range, words) in [
            ("*/0", "at least 1"),
            ("0..x", "`x` is not the number"),
            ("0../", "`` is not the number"),
            ("8..3", "checkpoints 0 to 12, not 8 to 3"),
            ("7..7", "not 7 to 7"),
            ("5..13", "not 5 to 13"),
            ("-1..3", "`-1` is not the number"),
        ] {
            let said = format!("{:#}", picked(range).unwrap_err());
            assert!(said.contains(words), "{range}: {said}");
        }
        assert_eq!(Range::read("12").unwrap(), None);
        assert_eq!(Range::read("home.example").unwrap(), None);
    }

    #[test]
    fn other_names_are_left_alone() {
        for name in ["random", "uct?rollouts=5", "runs/x@3?root=puct", "runs/x"] {
            assert_eq!(expand(name).unwrap(), [name]);
        }
        let said = format!("{:#}", expand("nowhere@*").unwrap_err());
        assert!(said.contains("player `nowhere@*`: there is no run in nowhere"), "{said}");
    }
}
