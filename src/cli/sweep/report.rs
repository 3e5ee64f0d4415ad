//! The result of a sweep as a table, as JSON and as a picture.

use std::io::{Write, stdout};

use serde::Serialize;

use super::budget::Budget;
use crate::cli::picture::Picture;
use crate::stats::Estimate;
use crate::stats::chart::{List, Rated};

/// What came of a row.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Outcome {
    pub name: String,
    pub settings: Vec<String>,
    /// The end of its last stage.
    pub until: Budget,
    /// Against the config as it is, at the end of that stage.
    pub elo: Option<Estimate>,
    /// Share of positions in which its players are right: mean, lowest and highest.
    pub accuracy: Option<[f64; 3]>,
    /// Means of the last iterations, in nats.
    pub policy_loss: Option<f64>,
    pub value_loss: Option<f64>,
    pub fresh_value_loss: Option<f64>,
    /// Mean number of iterations.
    pub iterations: f64,
    /// Median seconds of a training on one thread.
    pub seconds: f64,
}

const HEADINGS: [&str; 9] = [
    "settings",
    "Elo",
    "accuracy, %",
    "policy",
    "value",
    "on new games",
    "until",
    "iterations",
    "seconds",
];

/// Prints the table: the config as it is, then rows by Elo, those that were dropped early last.
pub(super) fn print(outcomes: &[Outcome]) -> std::io::Result<()> {
    let rows = outcomes.iter().map(cells);
    let table: Vec<[String; 9]> = [HEADINGS.map(str::to_owned)].into_iter().chain(rows).collect();
    // Columns that no row fills are left out.
    let is_filled = |column: usize| table[1..].iter().any(|row| !row[column].is_empty());
    let columns: Vec<usize> = (0..9).filter(|&column| is_filled(column)).collect();
    let mut out = stdout().lock();
    for row in &table {
        let cells = columns.iter().map(|&column| {
            let width = table.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
            let cell = &row[column];
            if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    out.flush()
}

fn cells(outcome: &Outcome) -> [String; 9] {
    let loss = |loss: Option<f64>| loss.map_or(String::new(), |loss| format!("{loss:.3}"));
    let gap = outcome.fresh_value_loss.zip(outcome.value_loss).map(|(fresh, old)| fresh - old);
    [
        outcome.name.clone(),
        outcome.elo.map_or(String::new(), elo),
        outcome.accuracy.map_or(String::new(), |shares| {
            let [mean, low, high] = shares.map(|share| 100.0 * share);
            format!("{mean:.1} ({low:.1} to {high:.1})")
        }),
        loss(outcome.policy_loss),
        loss(outcome.value_loss),
        gap.map_or(String::new(), |gap| format!("{gap:+.3}")),
        outcome.until.to_string(),
        format!("{:.0}", outcome.iterations),
        format!("{:.0}", outcome.seconds),
    ]
}

/// An Elo difference with half its interval.
pub(super) fn elo(Estimate { value, low, high }: Estimate) -> String {
    format!("{value:+.0} ± {:.0}", (high - low) / 2.0)
}

/// Draws the Elo differences of all rows.
pub(super) fn draw(
    files: &[Picture],
    dark: bool,
    title: &str,
    outcomes: &[Outcome],
) -> anyhow::Result<()> {
    let row = |outcome: &Outcome| {
        let name = format!("{} ({})", outcome.name, outcome.until);
        Some(Rated { name, x: outcome.elo? })
    };
    let list = List {
        title: format!("{title}: settings, with 95 % intervals"),
        label: "Elo against the config as it is".to_owned(),
        rows: outcomes.iter().filter_map(row).collect(),
    };
    files.iter().try_for_each(|file| file.write(&list.scene(), dark))
}
