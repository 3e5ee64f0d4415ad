//! The configs that a run had before its settings were changed.
//!
//! `config.toml` is the newest one. `config-000012.toml` is the one that was in force up to
//! iteration 12; the file is written when the run is resumed after it with other settings. So the
//! config of an iteration is in the file of the lowest number from that iteration on.
//!
//! Files are written aside and renamed, the old config before the new one. The process may be
//! killed in between: the old one is then kept again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;
use toml::Table;

use super::Config;
#[cfg(feature = "net")]
use crate::base::durable::write_whole;
use crate::base::foreign;
use crate::runs::checkpoint::Run;
use crate::runs::exported::Changed;

/// Keys with their old and new values.
pub(crate) type Differences = BTreeMap<String, [Value; 2]>;

/// Makes `config` the run's config. If the one before differs, it is kept for the iterations up to
/// `last` that were trained with it. Returns the changed keys with the old and the new value.
///
/// # Errors
///
/// If a file cannot be written, or the config before cannot be read as text. If it is no valid
/// config, it is kept, and the returned error says so.
#[cfg(feature = "net")]
pub(crate) fn keep(run: &Run, config: &Config, last: u64) -> Result<Result<Differences>> {
    let path = run.config_path();
    let mut changed = Ok(BTreeMap::new());
    if last > 0 && path.is_file() {
        let before = read(path.clone())?;
        changed = differences(&before, &config.to_toml());
        let is_kept = numbers(run).last().is_some_and(|&number| number >= last);
        let is_same = changed.as_ref().is_ok_and(BTreeMap::is_empty);
        // Settings of a start that finished no iteration were in force for none.
        if !is_kept && !is_same {
            write(path_of(run, last), &before)?;
        }
    }
    run.write_config(&config.to_toml())?;
    Ok(changed)
}

/// Forgets the configs of iterations after this one, from which the run goes on: it was set back.
///
/// # Errors
///
/// If a file cannot be read, written or removed.
#[cfg(feature = "net")]
pub(crate) fn forget_after(run: &Run, iteration: u64) -> Result<()> {
    let text = text_at(run, iteration)?;
    if text != read(run.config_path())? {
        write(path_of(run, iteration), &text)?;
    }
    for number in numbers(run).into_iter().filter(|&number| number > iteration) {
        let path = path_of(run, number);
        fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
    }
    Ok(())
}

/// The text of the config with which an iteration was trained.
///
/// # Errors
///
/// If it cannot be read.
pub(crate) fn text_at(run: &Run, iteration: u64) -> Result<String> {
    let number = numbers(run).into_iter().find(|&number| number >= iteration);
    read(number.map_or_else(|| run.config_path(), |number| path_of(run, number)))
}

/// What was changed up to this iteration, in the order of time.
///
/// # Errors
///
/// If a file cannot be read.
pub(crate) fn changes(run: &Run, iteration: u64) -> Result<Vec<Changed>> {
    let mut changed = Vec::new();
    for after in numbers(run).into_iter().filter(|&number| number < iteration) {
        match differences(&text_at(run, after)?, &text_at(run, after + 1)?) {
            Ok(keys) if keys.is_empty() => {}
            Ok(keys) => changed.push(Changed { after, keys }),
            Err(_) => changed.push(Changed { after, keys: Differences::new() }),
        }
    }
    Ok(changed)
}

/// The keys in which two configs differ, with both values. Keys that a text does not have count
/// with their defaults.
fn differences(old: &str, new: &str) -> Result<Differences> {
    let [old, new] = [flat(old)?, flat(new)?];
    let keys: BTreeSet<_> = old.keys().chain(new.keys()).collect();
    let values = |key: &String| [&old, &new].map(|of| of.get(key).cloned().unwrap_or_default());
    let differing = keys.into_iter().map(|key| (key.clone(), values(key)));
    Ok(differing.filter(|(_, [old, new])| old != new).collect())
}

/// The values of a config's text by `section.key`.
fn flat(text: &str) -> Result<BTreeMap<String, Value>> {
    let cpu = crate::base::device::DeviceName::Cpu;
    values_of(&Config::parse_on(cpu, text, "the config", &[])?)
}

/// The values of a config by `section.key`.
pub(super) fn values_of(config: &Config) -> Result<BTreeMap<String, Value>> {
    // By way of the text, in which numbers have no more digits than they need.
    let table: Table = config.to_toml().parse()?;
    let mut values = BTreeMap::new();
    for (section, value) in table {
        match value {
            toml::Value::Table(keys) => {
                for (key, value) in keys {
                    values.insert(format!("{section}.{key}"), serde_json::to_value(value)?);
                }
            }
            value => drop(values.insert(section, serde_json::to_value(value)?)),
        }
    }
    Ok(values)
}

/// The numbers of the files, ascending.
fn numbers(run: &Run) -> Vec<u64> {
    let entries = fs::read_dir(run.folder()).into_iter().flatten().flatten();
    let number = |entry: fs::DirEntry| {
        let name = entry.file_name();
        let digits = name.to_str()?.strip_prefix("config-")?.strip_suffix(".toml")?;
        let number = digits.parse().ok()?;
        // Files that training did not name count for nothing.
        (path_of(run, number).file_name()? == name).then_some(number)
    };
    let mut numbers: Vec<u64> = entries.filter_map(number).collect();
    numbers.sort_unstable();
    numbers
}

/// The files of all configs before the newest one.
#[cfg(feature = "serve")]
pub(crate) fn paths(run: &Run) -> Vec<PathBuf> {
    numbers(run).into_iter().map(|number| path_of(run, number)).collect()
}

/// The file of the config that was in force up to an iteration.
fn path_of(run: &Run, iteration: u64) -> PathBuf {
    run.folder().join(format!("config-{iteration:06}.toml"))
}

fn read(path: PathBuf) -> Result<String> {
    foreign::read_text(&path, foreign::TEXT)
        .with_context(|| format!("cannot read {}", path.display()))
}

#[cfg(feature = "net")]
fn write(path: PathBuf, text: &str) -> Result<()> {
    write_whole(&path, text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(feature = "net")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::common::folder::Folder;

    fn config(batch: u32) -> Config {
        let text = format!("game = 'connect_four'\n[learner]\nbatch = {batch}\n");
        Config::parse(&text, "x", &[]).unwrap()
    }

    fn run(folder: &Folder) -> Run {
        let variant = crate::registry::find("connect_four", &serde_json::Map::new()).unwrap();
        let info = crate::runs::checkpoint::RunInfo::new(&variant, 1, config(16).network);
        Run::begin(&folder.file("run"), &info).unwrap().0
    }

    fn batch_at(run: &Run, iteration: u64) -> Value {
        flat(&text_at(run, iteration).unwrap()).unwrap()["learner.batch"].clone()
    }

    fn told(run: &Run, iteration: u64) -> Vec<(u64, String)> {
        let told = |it: Changed| (it.after, serde_json::to_string(&it.keys).unwrap());
        changes(run, iteration).unwrap().into_iter().map(told).collect()
    }

    /// The number of keys that change when a run is resumed after iteration `last`.
    fn change(run: &Run, last: u64, batch: u32) -> usize {
        keep(run, &config(batch), last).unwrap().unwrap().len()
    }

    #[test]
    fn configs_are_kept_for_the_iterations_that_were_trained_with_them() {
        let folder = Folder::new();
        let run = run(&folder);
        assert_eq!((change(&run, 0, 16), change(&run, 0, 32)), (0, 0), "nothing was trained yet");
        assert_eq!(change(&run, 3, 32), 0);
        assert!(numbers(&run).is_empty());
        assert_eq!(change(&run, 3, 64), 1);
        assert_eq!(change(&run, 3, 128), 1, "no iteration was trained with 64");
        assert_eq!(change(&run, 5, 256), 1);
        assert_eq!(numbers(&run), [3, 5]);
        assert_eq!([1, 3, 4, 5, 6].map(|at| batch_at(&run, at)), [32, 32, 128, 128, 256]);
        let first = (3, r#"{"learner.batch":[32,128]}"#.to_owned());
        let second = (5, r#"{"learner.batch":[128,256]}"#.to_owned());
        assert_eq!(told(&run, 3), []);
        assert_eq!(told(&run, 5), std::slice::from_ref(&first));
        assert_eq!(told(&run, 6), [first, second]);
    }

    #[test]
    fn a_run_that_goes_on_from_an_earlier_iteration_forgets_later_configs() {
        let folder = Folder::new();
        let run = run(&folder);
        change(&run, 0, 16);
        assert_eq!(change(&run, 2, 32), 1);
        // Set back from iteration 4 to 1: until training goes on, this can be undone.
        assert_eq!(change(&run, 4, 64), 1);
        assert_eq!([2, 3, 4].map(|at| batch_at(&run, at)), [16, 32, 32]);
        forget_after(&run, 1).unwrap();
        forget_after(&run, 1).unwrap();
        assert_eq!(numbers(&run), [1]);
        assert_eq!([1, 2, 3].map(|at| batch_at(&run, at)), [16, 64, 64]);
    }

    #[test]
    fn a_config_that_cannot_be_read_is_kept() {
        let folder = Folder::new();
        let run = run(&folder);
        fs::write(run.config_path(), "game = 'connect_four'\nsomething = 3\n").unwrap();
        let error = keep(&run, &config(16), 2).unwrap().unwrap_err().to_string();
        assert!(error.contains("unknown key `something`"), "{error}");
        assert!(text_at(&run, 2).unwrap().contains("something"));
        assert_eq!(told(&run, 3), [(2, "{}".to_owned())]);
        assert_eq!(batch_at(&run, 3), 16);
    }
}
