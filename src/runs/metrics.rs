//! The metrics of a run: an append-only file with one JSON object a line.
//!
//! A run that is set back to an earlier checkpoint plays its later iterations again. The lines of
//! the abandoned ones stay in the file, before a line of the phase `set_back`; [`current`] drops
//! them.

use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::base::json_log::each_line;

/// Returns a line of metrics: the `values` of a phase of an iteration, with the current time.
pub(crate) fn line(iteration: u64, phase: &str, values: Value) -> Value {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let mut line = json!({ "iteration": iteration, "time": time, "phase": phase });
    if let (Value::Object(line), Value::Object(values)) = (&mut line, values) {
        line.extend(values);
    }
    line
}

/// The line that marks those of iterations `to + 1` to `from` before it as superseded, because the
/// run was set back to iteration `to`.
pub(crate) fn set_back(to: u64, from: u64) -> Value {
    line(to, SET_BACK, json!({ "from": from }))
}

/// The phase of [`set_back`].
const SET_BACK: &str = "set_back";

/// The iteration of a line.
pub(crate) fn iteration(line: &Value) -> Option<u64> {
    line.get("iteration").and_then(Value::as_u64)
}

/// What tells whether a line counts.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct LinePlace {
    iteration: Option<u64>,
    phase: Option<String>,
}

/// Where in a file of metrics the run goes on from an earlier iteration than it had reached.
///
/// Games of an iteration supersede all lines before them of this iteration and of later ones. A
/// line of the phase `set_back` says the same; earlier versions wrote none.
#[derive(Clone, Default, Debug)]
pub(crate) struct SetBacks {
    /// Number of a line, and the first iteration of those that it supersedes. Both ascend: a line
    /// with the same or a later first iteration than a later line says nothing more.
    found: Vec<(u64, u64)>,
    /// The last iteration so far.
    reached: u64,
}

impl SetBacks {
    /// Looks at the next line.
    pub(crate) fn add(&mut self, number: u64, place: &LinePlace) {
        let Some(iteration) = place.iteration else { return };
        let superseded = match place.phase.as_deref() {
            Some("selfplay") => iteration,
            Some(SET_BACK) => iteration.saturating_add(1),
            _ => u64::MAX,
        };
        if superseded <= self.reached {
            while self.found.last().is_some_and(|&(_, first)| first >= superseded) {
                self.found.pop();
            }
            self.found.push((number, superseded));
            self.reached = superseded;
        }
        self.reached = self.reached.max(iteration);
    }

    /// Whether a line counts: no later one supersedes it.
    pub(crate) fn counts(&self, number: u64, place: &LinePlace) -> bool {
        let Some(iteration) = place.iteration else { return true };
        let later = self.found.partition_point(|&(from, _)| from <= number);
        self.found.get(later).is_none_or(|&(_, first)| iteration < first)
    }
}

/// Drops the lines that no longer count, and those of the phase `set_back`.
pub(crate) fn current(lines: Vec<Value>) -> Vec<Value> {
    let mut set_backs = SetBacks::default();
    (0..).zip(&lines).for_each(|(number, line)| set_backs.add(number, &LinePlace::of(line)));
    let counts = |(number, line): &(u64, Value)| {
        let place = LinePlace::of(line);
        !place.is_set_back() && set_backs.counts(*number, &place)
    };
    (0..).zip(lines).filter(counts).map(|(_, line)| line).collect()
}

impl LinePlace {
    /// The iteration, if the line has one.
    pub(crate) fn iteration(&self) -> Option<u64> {
        self.iteration
    }

    /// Whether the line only marks others.
    pub(crate) fn is_set_back(&self) -> bool {
        self.phase.as_deref() == Some(SET_BACK)
    }

    fn of(line: &Value) -> Self {
        let phase = line.get("phase").and_then(Value::as_str).map(str::to_owned);
        Self { iteration: iteration(line), phase }
    }
}

/// Reads the lines of a phase that count, up to an iteration, without those of another form. The
/// others are not kept in memory: a long run has many.
///
/// # Errors
///
/// If the file cannot be read.
pub(crate) fn read_phase<T: DeserializeOwned>(
    path: &Path,
    phase: &str,
    last: u64,
) -> io::Result<Vec<T>> {
    let place = |line: &[u8]| serde_json::from_slice::<LinePlace>(line).ok();
    let mut set_backs = SetBacks::default();
    each_line(path, |number, line| {
        place(line).iter().for_each(|place| set_backs.add(number, place));
    })?;
    let mut lines = Vec::new();
    each_line(path, |number, line| {
        let counts = |place: &LinePlace| {
            place.phase.as_deref() == Some(phase)
                && place.iteration.is_none_or(|it| it <= last)
                && set_backs.counts(number, place)
        };
        if place(line).is_some_and(|place| counts(&place)) {
            lines.extend(serde_json::from_slice(line).ok());
        }
    })?;
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use super::*;
    use crate::base::json_log::{append, read};
    use crate::tests::common::folder::Folder;

    fn lines(texts: &[(u64, &str)]) -> Vec<Value> {
        texts.iter().map(|&(iteration, phase)| line(iteration, phase, json!({}))).collect()
    }

    /// The iterations and phases of the lines that count.
    fn kept(texts: &[(u64, &str)]) -> Vec<(u64, String)> {
        let phase = |line: &Value| line["phase"].as_str().unwrap_or_default().to_owned();
        current(lines(texts)).iter().map(|line| (iteration(line).unwrap(), phase(line))).collect()
    }

    #[test]
    fn what_was_measured_before_a_run_was_set_back_no_longer_counts() {
        let two = [(1, "selfplay"), (1, "learn"), (2, "selfplay"), (2, "learn")];
        let abandoned = [(3, "selfplay"), (3, "learn"), (4, "selfplay"), (4, "evaluation")];
        let again = [(3, "selfplay"), (3, "learn")];
        let owned = |line: (u64, &str)| (line.0, line.1.to_owned());
        let whole: Vec<_> = two.into_iter().chain(again).map(owned).collect();
        assert_eq!(kept(&[&two[..], &again].concat()), whole);
        // As this version writes it, as earlier ones did, and before the first new iteration ends.
        let marked = [(2, SET_BACK)];
        assert_eq!(kept(&[&two[..], &abandoned, &marked, &again].concat()), whole);
        assert_eq!(kept(&[&two[..], &abandoned, &again].concat()), whole);
        assert_eq!(kept(&[&two[..], &abandoned, &marked].concat()), whole[..4]);
        // Twice.
        let twice = [&two[..], &abandoned, &marked, &again, &abandoned, &marked, &again].concat();
        assert_eq!(kept(&twice), whole);
        assert_eq!(kept(&[(2, "evaluation"), (0, SET_BACK)]), []);
    }

    #[test]
    fn set_backs_that_say_nothing_more_are_forgotten() {
        let place = |iteration| LinePlace { iteration: Some(iteration), phase: None };
        let mut set_backs = SetBacks::default();
        for number in 0..1000 {
            // Each sets the run back, as the next one does.
            let phase = Some("selfplay".to_owned());
            set_backs.add(number, &LinePlace { iteration: Some(1), phase });
        }
        assert_eq!(set_backs.found, [(999, 1)]);
        assert!(!set_backs.counts(500, &place(1)) && set_backs.counts(500, &place(0)));
        assert!(set_backs.counts(999, &place(1)));
        for (number, to) in [(1000, 9), (1001, 7), (1002, 8)] {
            set_backs.add(number, &place(10));
            set_backs.add(number, &LinePlace::of(&set_back(to, 10)));
        }
        assert_eq!(set_backs.found, [(999, 1), (1001, 8), (1002, 9)]);
        assert!(!set_backs.counts(1000, &place(8)) && set_backs.counts(1001, &place(8)));
    }

    #[test]
    fn a_phase_is_read_as_all_lines_are() {
        let folder = Folder::new();
        let path = folder.file("metrics.jsonl");
        let evaluated = |iteration| [(iteration, "selfplay"), (iteration, "evaluation")];
        let times = [evaluated(1), evaluated(2), evaluated(3), evaluated(2)].concat();
        append(&path, &lines(&times)).unwrap();
        File::options().append(true).open(&path).unwrap().write_all(b"[3]\n{\"iter").unwrap();
        append(&path, &lines(&evaluated(3))).unwrap();
        let mut all = current(read(&path).unwrap());
        all.retain(|line| line["phase"] == "evaluation");
        assert_eq!(all.iter().map(iteration).collect::<Vec<_>>(), [Some(1), Some(2), Some(3)]);
        assert_eq!(read_phase::<Value>(&path, "evaluation", 3).unwrap(), all);
        assert!(read_phase::<Value>(&folder.file("none"), "x", 3).unwrap().is_empty());
    }

    #[test]
    fn a_run_that_was_never_set_back_keeps_all_lines() {
        let all = [(1, "selfplay"), (1, "learn"), (1, "evaluation"), (2, "selfplay"), (2, "learn")];
        assert_eq!(kept(&all).len(), all.len());
        let other = vec![json!({"phase": "selfplay"}), json!(3)];
        assert_eq!(current(other.clone()), other);
    }
}
