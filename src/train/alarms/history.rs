//! The metrics of the newest iterations.

use std::collections::BTreeMap;

use serde_json::Value;

/// Number of iterations that are kept.
pub(super) const KEPT: usize = 25;

/// The metrics of an iteration.
#[derive(Clone, Debug, Default)]
pub(super) struct Row {
    pub iteration: u64,
    selfplay: Value,
    learn: Value,
}

impl Row {
    /// The value of a key. `None` if it is missing or null, as in metrics of earlier versions.
    pub(super) fn number(&self, key: &str) -> Option<f64> {
        [&self.selfplay, &self.learn].into_iter().find_map(|line| line.get(key)?.as_f64())
    }

    /// Returns whether the network was not the evaluator, so that the games say nothing about it.
    fn is_bootstrapped(&self) -> bool {
        self.selfplay.get("bootstrap") == Some(&Value::Bool(true))
    }

    /// The names of the alarms in force.
    pub(super) fn alarms(&self) -> Vec<&str> {
        let names = self.learn.get("alarms").and_then(Value::as_array);
        names.into_iter().flatten().filter_map(Value::as_str).collect()
    }
}

/// The newest iterations of a run, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    rows: Vec<Row>,
    /// Whether the game is drawn if both sides play well.
    drawn: bool,
}

impl History {
    /// Reads the lines of a metrics file up to an iteration. If a run was reset to an earlier
    /// checkpoint, the file has iterations twice, and the later lines count.
    pub(crate) fn read(lines: &[Value], until: u64) -> Self {
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
        // Drops iterations with an evaluation only, and incomplete ones.
        let is_whole = |row: &Row| row.selfplay.is_object() && row.learn.is_object();
        let mut history =
            Self { rows: rows.into_values().filter(is_whole).collect(), drawn: false };
        history.forget();
        history
    }

    /// The same history of a game that is `drawn` if both sides play well, or not.
    #[must_use]
    pub(crate) fn of_game(self, drawn: bool) -> Self {
        Self { drawn, ..self }
    }

    /// Whether draws of the newest games are what good play gives.
    pub(super) fn draws_are_good(&self) -> bool {
        let newest = self.rows().last().and_then(|row| row.number("draws"));
        self.drawn && newest.is_some_and(|draws| draws >= 0.5)
    }

    /// Adds the newest iteration.
    pub(crate) fn add(&mut self, iteration: u64, selfplay: Value, learn: Value) {
        self.rows.push(Row { iteration, selfplay, learn });
        self.forget();
    }

    /// Stores the names of the alarms in force in the newest iteration.
    pub(crate) fn set_alarms(&mut self, alarms: Vec<&'static str>) {
        if let Some(Row { learn: Value::Object(learn), .. }) = self.rows.last_mut() {
            learn.insert("alarms".into(), alarms.into());
        }
    }

    fn forget(&mut self) {
        let old = self.rows.len().saturating_sub(KEPT);
        self.rows.drain(..old);
    }

    /// The iterations after the last bootstrap iteration, whose games are the network's own.
    pub(super) fn rows(&self) -> &[Row] {
        let last = self.rows.iter().rposition(Row::is_bootstrapped);
        &self.rows[last.map_or(0, |last| last + 1)..]
    }
}
