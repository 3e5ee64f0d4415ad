//! What a sweep compares: rows of settings.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use toml::{Table, Value};

use crate::base::foreign;

/// The name of the config as it is, with which all rows are compared.
pub(super) const BASE: &str = "as it is";

/// The most rows of a sweep.
const MOST: usize = 1000;

/// Some settings of a config.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Row {
    pub name: String,
    /// `section.key=value` each.
    pub settings: Vec<String>,
}

impl Row {
    pub(super) fn base() -> Self {
        Self { name: BASE.to_owned(), settings: Vec::new() }
    }

    /// The name of the folder of its trainings.
    pub(super) fn folder(&self) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
        self.name.chars().map(|c| if plain(c) { c } else { '_' }).collect()
    }
}

/// Returns the rows of `--vary`, each value a row or, with `grid`, each combination of values; and
/// those of a file, only the named ones if there are names.
pub(super) fn read(
    vary: &[String],
    grid: bool,
    file: Option<&Path>,
    only: &[String],
) -> Result<Vec<Row>> {
    let values = vary.iter().map(|text| values(text)).collect::<Result<Vec<_>>>()?;
    let mut rows = if grid { combinations(&values) } else { one_at_a_time(&values) };
    if let Some(path) = file {
        rows.extend(of_file(path, only).with_context(|| path.display().to_string())?);
    }
    ensure!(!rows.is_empty(), "name settings to compare, as in --vary replay.reuse=2,8");
    ensure!(rows.len() <= MOST, "{} rows are too many: at most {MOST}", rows.len());
    let mut folders = HashSet::from([Row::base().folder()]);
    for row in &rows {
        ensure!(folders.insert(row.folder()), "there are two rows named `{}`", row.name);
    }
    Ok(rows)
}

/// A key and its values: the settings, with how each is displayed.
type Values = Vec<(String, String)>;

/// Reads `section.key=value,value`. Values are TOML, or else plain words.
fn values(text: &str) -> Result<Values> {
    let form = || format!("--vary {text}: expected section.key=value,value");
    let (key, list) = text.split_once('=').with_context(form)?;
    let key = key.trim();
    ensure!(!key.is_empty() && !list.trim().is_empty(), form());
    ensure!(key != "seed", "--vary {text}: a sweep varies the seed itself; use --seeds");
    let parsed = toml::from_str::<Table>(&format!("values = [{list}]")).ok();
    let values: Vec<String> = match parsed.as_ref().and_then(|table| table.get("values")) {
        Some(Value::Array(values)) => values.iter().map(Value::to_string).collect(),
        _ => list.split(',').map(|word| word.trim().to_owned()).collect(),
    };
    let setting = |value: String| {
        let shown = value.trim_matches(['"', '\'']).to_owned();
        (format!("{key}={value}"), format!("{key}={shown}"))
    };
    Ok(values.into_iter().map(setting).collect())
}

fn one_at_a_time(values: &[Values]) -> Vec<Row> {
    let row = |(setting, name): &(String, String)| Row {
        name: name.clone(),
        settings: vec![setting.clone()],
    };
    values.iter().flatten().map(row).collect()
}

fn combinations(values: &[Values]) -> Vec<Row> {
    let none = vec![Vec::<&(String, String)>::new()];
    let all = values.iter().fold(none, |before, values| {
        // Beyond the limit, more would be refused anyway.
        let longer = before.iter().flat_map(|row| {
            values.iter().map(move |value| row.iter().copied().chain([value]).collect())
        });
        longer.take(MOST + 1).collect()
    });
    let row = |parts: Vec<&(String, String)>| {
        let (settings, names): (Vec<String>, Vec<String>) = parts.into_iter().cloned().unzip();
        Row { name: names.join(", "), settings }
    };
    all.into_iter().filter(|parts| !parts.is_empty()).map(row).collect()
}

/// Reads a TOML file of rows: a name and a list of settings each.
fn of_file(path: &Path, only: &[String]) -> Result<Vec<Row>> {
    let text = foreign::read_text(path, foreign::TEXT)?;
    let rows: BTreeMap<String, Vec<String>> = toml::from_str(&text)
        .context("expected lines like \"larger\" = [\"network.channels=64\"]")?;
    if let Some(unknown) = only.iter().find(|name| !rows.contains_key(*name)) {
        let known: Vec<String> = rows.keys().map(|name| format!("`{name}`")).collect();
        bail!("there is no row `{unknown}`; there are {}", known.join(", "));
    }
    let wanted = |name: &String| only.is_empty() || only.contains(name);
    let rows = rows.into_iter().filter(|(name, _)| wanted(name));
    Ok(rows.map(|(name, settings)| Row { name, settings }).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::tests::common::folder::Folder;

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    fn named(rows: &[Row]) -> Vec<(&str, String)> {
        rows.iter().map(|row| (row.name.as_str(), row.settings.join(" "))).collect()
    }

    #[test]
    fn each_value_is_a_row() {
        let vary =
            texts(&["replay.reuse=2,8", "learner.schedule='constant'", "inference.engine=int8"]);
        let rows = read(&vary, false, None, &[]).unwrap();
        let expected = [
            ("replay.reuse=2", "replay.reuse=2"),
            ("replay.reuse=8", "replay.reuse=8"),
            ("learner.schedule=constant", "learner.schedule=\"constant\""),
            ("inference.engine=int8", "inference.engine=int8"),
        ];
        assert_eq!(named(&rows), expected.map(|(name, settings)| (name, settings.to_owned())));
        assert_eq!(rows[2].folder(), "learner.schedule_constant");
    }

    #[test]
    fn a_grid_has_all_combinations() {
        let rows = read(&texts(&["a.b=1,2", "c.d=[3],[4, 5]"]), true, None, &[]).unwrap();
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        let expected =
            ["a.b=1, c.d=[3]", "a.b=1, c.d=[4, 5]", "a.b=2, c.d=[3]", "a.b=2, c.d=[4, 5]"];
        assert_eq!(names, expected);
        assert_eq!(rows[1].settings, ["a.b=1", "c.d=[4, 5]"]);
        let many = vec![format!("a.b={}", ["1"; 40].join(",")); 3];
        assert!(read(&many, true, None, &[]).unwrap_err().to_string().contains("too many"));
    }

    #[test]
    fn a_file_has_rows_of_several_settings() {
        let folder = Folder::new();
        let path = folder.file("rows.toml");
        fs::write(&path, "'no restarts' = ['a.b=0', 'a.c=1']\n\"other\" = []\n").unwrap();
        let rows = read(&[], false, Some(&path), &texts(&["no restarts"])).unwrap();
        assert_eq!(named(&rows), [("no restarts", "a.b=0 a.c=1".to_owned())]);
        let error = read(&[], false, Some(&path), &texts(&["unknown"])).unwrap_err();
        assert!(format!("{error:#}").contains("there are `no restarts`, `other`"), "{error:#}");
    }

    #[test]
    fn what_makes_no_rows_is_refused() {
        for (vary, words) in [
            (&[][..], "--vary replay.reuse=2,8"),
            (&["seed=1,2"], "use --seeds"),
            (&["replay.reuse"], "expected section.key=value,value"),
            (&["replay.reuse="], "expected section.key=value,value"),
            (&["=3"], "expected section.key=value,value"),
            (&["a.b=1,1"], "two rows named `a.b=1`"),
        ] {
            let error = read(&texts(vary), false, None, &[]).unwrap_err().to_string();
            assert!(error.contains(words), "{vary:?}: {error}");
        }
    }
}
