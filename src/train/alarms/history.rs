//! The newest iterations as the metrics tell them.

use std::collections::BTreeMap;

use serde_json::Value;

/// Iterations that are looked back upon.
pub const KEPT: usize = 25;

/// An iteration.
#[derive(Clone, Debug, Default)]
pub struct Row {
    pub iteration: u64,
    selfplay: Value,
    learn: Value,
}

impl Row {
    /// What a key says; none if it is missing or says nothing, as in the metrics of an earlier
    /// version of this program.
    pub fn number(&self, key: &str) -> Option<f64> {
        [&self.selfplay, &self.learn].into_iter().find_map(|line| line.get(key)?.as_f64())
    }

    /// Whether something else than the network judged positions, so that its games tell nothing of
    /// it.
    fn is_bootstrapped(&self) -> bool {
        self.selfplay.get("bootstrap") == Some(&Value::Bool(true))
    }

    /// The names of the alarms that were in force.
    pub fn alarms(&self) -> Vec<&str> {
        let names = self.learn.get("alarms").and_then(Value::as_array);
        names.into_iter().flatten().filter_map(Value::as_str).collect()
    }
}

/// The newest iterations of a run, oldest first.
#[derive(Clone, Debug, Default)]
pub struct History {
    rows: Vec<Row>,
}

impl History {
    /// From the lines of a metrics file, up to an iteration. Where a run was set back, the file has
    /// iterations twice, and the later lines count.
    pub fn read(lines: &[Value], until: u64) -> Self {
        let mut rows = BTreeMap::<u64, Row>::new();
        for line in lines {
            let iteration = line.get("iteration").and_then(Value::as_u64);
            let Some(iteration) = iteration.filter(|&iteration| iteration <= until) else {
                continue;
            };
            let row = rows.entry(iteration).or_insert(Row { iteration, ..Row::default() });
            match line.get("phase").and_then(Value::as_str) {
                Some("selfplay") => row.selfplay = line.clone(),
                Some("learn") => row.learn = line.clone(),
                _ => {}
            }
        }
        // An evaluation may be of iteration 0, in which nothing was played.
        let is_whole = |row: &Row| row.selfplay.is_object() && row.learn.is_object();
        let mut history = Self { rows: rows.into_values().filter(is_whole).collect() };
        history.forget();
        history
    }

    /// Adds the newest iteration.
    pub fn add(&mut self, iteration: u64, selfplay: Value, learn: Value) {
        self.rows.push(Row { iteration, selfplay, learn });
        self.forget();
    }

    /// Notes which alarms are in force after the newest iteration.
    pub fn set_alarms(&mut self, alarms: Vec<&'static str>) {
        if let Some(Row { learn: Value::Object(learn), .. }) = self.rows.last_mut() {
            learn.insert("alarms".into(), alarms.into());
        }
    }

    fn forget(&mut self) {
        let old = self.rows.len().saturating_sub(KEPT);
        self.rows.drain(..old);
    }

    /// Those of the network's own games: the ones after the last that was bootstrapped.
    pub(super) fn rows(&self) -> &[Row] {
        let last = self.rows.iter().rposition(Row::is_bootstrapped);
        &self.rows[last.map_or(0, |last| last + 1)..]
    }
}
