//! What a sweep's folder remembers, so that nothing is mixed that cannot be compared.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

use super::budget::Budget;
use super::rows::Row;
use crate::base::durable::{lock, write_whole};
use crate::base::foreign;

/// Version of the folder's layout.
const FORMAT: u32 = 1;

/// Creates the folder. Returns the file that keeps others out.
pub(super) fn hold(folder: &Path) -> Result<fs::File> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let held = lock(&folder.join("lock")).context("cannot lock the folder")?;
    held.with_context(|| {
        format!(
            "another process is at work on the sweep in {}; if a sweep was killed, a training that \
             it has started goes on to the end of its stage",
            folder.display()
        )
    })
}

/// The file `sweep.json`. Rows, seeds and stages may be added to a sweep; nothing else changes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kept {
    format: u32,
    /// The config as it is, with the settings of all trainings.
    pub config: String,
    /// How long a training is.
    pub budget: Budget,
    /// The options of `tavoliere match`.
    pub matches: Vec<String>,
    /// The options of `tavoliere exact`; empty without a test.
    pub exact: Vec<String>,
    /// The settings of every row so far.
    pub rows: BTreeMap<String, Vec<String>>,
}

impl Kept {
    pub(super) fn new(
        config: String,
        budget: Budget,
        [matches, exact]: [Vec<String>; 2],
        rows: &[Row],
    ) -> Self {
        let rows = rows.iter().map(|row| (row.name.clone(), row.settings.clone())).collect();
        Self { format: FORMAT, config, budget, matches, exact, rows }
    }

    /// Checks that a sweep in the folder can go on with these conditions, and adds the rows to it.
    pub(super) fn join(mut self, folder: &Path) -> Result<()> {
        let path = folder.join("sweep.json");
        let name = || path.display().to_string();
        if let Ok(text) = foreign::read_text(&path, foreign::LIST) {
            let before: Self = serde_json::from_str(&text).with_context(name)?;
            self.check(&before).with_context(|| {
                format!(
                    "{} has a sweep that cannot be compared with this one; name another folder by \
                     --out",
                    folder.display()
                )
            })?;
            let known = before.rows.into_iter().filter(|(name, _)| !self.rows.contains_key(name));
            self.rows.extend(known.collect::<Vec<_>>());
        }
        write_whole(&path, &serde_json::to_vec_pretty(&self)?).with_context(name)
    }

    fn check(&self, before: &Self) -> Result<()> {
        let differs = [
            ("format", self.format != before.format),
            ("config, or --set,", self.config != before.config),
            ("--iterations or --time", self.budget != before.budget),
            ("options of the matches", self.matches != before.matches),
            ("test of accuracy", self.exact != before.exact),
        ];
        if let Some((what, _)) = differs.iter().find(|(_, differs)| *differs) {
            bail!("its {what} differs");
        }
        for (name, settings) in &self.rows {
            let other = before.rows.get(name).filter(|known| *known != settings);
            ensure!(other.is_none(), "its row `{name}` has other settings");
        }
        Ok(())
    }
}
