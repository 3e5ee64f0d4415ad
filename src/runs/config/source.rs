//! Parsing of a config that remembers where each key was written, for error messages.

use anyhow::{Result, anyhow};
use serde::{Deserialize, Serialize};
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Table, Value};

use super::Config;
use crate::base::spelling::nearest;
use crate::base::toml_value;

/// The most parts of a key between dots. A table is made of each part.
const MOST_PARTS: usize = 8;

/// The text of a config and the settings applied to it.
pub(super) struct Source<'a> {
    text: &'a str,
    name: &'a str,
    table: Table,
    /// Key and text of each applied setting.
    settings: Vec<(String, String)>,
    given: Given,
}

/// How the settings were given, for error messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Given {
    /// As values of `--set`.
    Set,
    /// As player options, behind the `?` of a player spec.
    Option,
}

impl Given {
    /// Names a setting `section.key=value` as it was given.
    fn name(self, setting: &str) -> String {
        match self {
            Self::Set => format!("--set {setting}"),
            Self::Option => {
                let option = setting.split_once('.').map_or(setting, |(_, option)| option);
                format!("the player option {option}")
            }
        }
    }
}

impl<'a> Source<'a> {
    /// Parses the text and checks its keys; values are checked once all settings are applied.
    pub(super) fn parse(text: &'a str, name: &'a str, given: Given) -> Result<Self> {
        let table = text.parse::<Table>().map_err(|error| {
            let line = line_of(text, error.span().map_or(0, |span| span.start));
            anyhow!("{name}:{line}: {}", error.message())
        })?;
        let source = Self { text, name, table, settings: Vec::new(), given };
        source.check_keys(&source.table)?;
        Ok(source)
    }

    /// Applies a setting `section.key=value`; a value that is not TOML is a string.
    pub(super) fn set(&mut self, setting: &str) -> Result<()> {
        let (key, value) = setting
            .split_once('=')
            .map(|(key, value)| (key.trim(), value.trim()))
            .filter(|(key, _)| !key.is_empty())
            .ok_or_else(|| anyhow!("{}: expected section.key=value", self.given.name(setting)))?;
        let value = toml_value::read(value);
        if key.split('.').count() > MOST_PARTS {
            return Err(anyhow!("--set {setting}: unknown key, expected section.key=value"));
        }
        let mut change = value;
        for part in key.rsplit('.') {
            change = Value::Table(Table::from_iter([(part.to_owned(), change)]));
        }
        self.settings.push((key.to_owned(), setting.to_owned()));
        if let Value::Table(change) = change {
            self.check_keys(&change)?;
            merge(&mut self.table, change);
        }
        Ok(())
    }

    /// Sets the defaults of a section: the keys that are already set keep their values.
    pub(super) fn set_defaults(&mut self, section: &str, values: &impl Serialize) {
        let values = Value::try_from(values).expect("settings are plain values");
        let mut table = Table::from_iter([(section.to_owned(), values)]);
        merge(&mut table, std::mem::take(&mut self.table));
        self.table = table;
    }

    /// Returns the config, once all settings are applied.
    pub(super) fn read(&self) -> Result<Config> {
        if !self.table.contains_key("game") {
            return Err(anyhow!(
                "{}: the key `game` is missing; set it to a name that `tavoliere games` lists",
                self.name
            ));
        }
        // One key at a time, so that an error can be located.
        for (section, value) in &self.table {
            let keys: Vec<(String, Table)> = match value {
                Value::Table(table) if section != "rules" => {
                    let one = |(key, value): (&String, &Value)| {
                        let inner = Table::from_iter([(key.clone(), value.clone())]);
                        let outer = Table::from_iter([(section.clone(), Value::Table(inner))]);
                        (format!("{section}.{key}"), outer)
                    };
                    table.iter().map(one).collect()
                }
                _ => vec![(section.clone(), Table::from_iter([(section.clone(), value.clone())]))],
            };
            for (key, table) in keys {
                Config::deserialize(table)
                    .map_err(|error| self.fault(&key, &plain(error.message().trim_end())))?;
            }
        }
        Config::deserialize(self.table.clone()).map_err(|error| anyhow!("{}: {error}", self.name))
    }

    /// Returns an error about a key: where it was written, and what is wrong.
    pub(super) fn fault(&self, key: &str, reason: &str) -> anyhow::Error {
        anyhow!("{}: `{key}`: {reason}", self.place(key))
    }

    /// Where a key was written: a setting, or a line of the file; only the file if in neither.
    fn place(&self, key: &str) -> String {
        let about = |(set, _): &&(String, String)| {
            set == key || starts_section(set, key) || starts_section(key, set)
        };
        if let Some((_, setting)) = self.settings.iter().rev().find(about) {
            return self.given.name(setting);
        }
        match self.offset(key) {
            Some(offset) => format!("{}:{}", self.name, line_of(self.text, offset)),
            None => self.name.to_owned(),
        }
    }

    fn offset(&self, key: &str) -> Option<usize> {
        let table = DeTable::parse(self.text).ok()?;
        let mut table: &DeTable<'_> = table.get_ref();
        let mut offset = None;
        for part in key.split('.') {
            let (name, value) = table.iter().find(|(name, _)| name.get_ref() == part)?;
            offset = Some(Spanned::span(name).start);
            match value.get_ref() {
                DeValue::Table(inner) => table = inner,
                _ => break,
            }
        }
        offset
    }

    /// Checks that all keys are known, except game options, which depend on the game.
    fn check_keys(&self, table: &Table) -> Result<()> {
        let known = known_keys();
        for (section, value) in table {
            match value {
                Value::Table(_) if section == "rules" => {}
                Value::Table(inner) if known.iter().any(|key| starts_section(key, section)) => {
                    for key in inner.keys() {
                        self.check_key(&known, &format!("{section}.{key}"))?;
                    }
                }
                _ => self.check_key(&known, section)?,
            }
        }
        Ok(())
    }

    fn check_key(&self, known: &[String], key: &str) -> Result<()> {
        let is_section = known.iter().any(|known| starts_section(known, key));
        if is_section || known.iter().any(|known| known == key) {
            return Ok(());
        }
        let hint = suggestion(known, key).map(|near| format!(", did you mean {near}?"));
        Err(anyhow!("{}: unknown key `{key}`{}", self.place(key), hint.unwrap_or_default()))
    }
}

/// A message of the parser, with types as people know them.
fn plain(message: &str) -> String {
    let types = ["u16", "u32", "u64", "usize"].map(|name| (name, "a whole number, 0 or more"));
    let floats = ["f32", "f64"].map(|name| (name, "a number"));
    let known = types.into_iter().chain(floats).chain([("a boolean", "true or false")]);
    let found = known.into_iter().find_map(|(name, meaning)| {
        let rest = message.strip_suffix(name)?.strip_suffix("expected ")?;
        Some(format!("{rest}expected {meaning}"))
    });
    found.unwrap_or_else(|| message.to_owned())
}

fn starts_section(key: &str, section: &str) -> bool {
    key.strip_prefix(section).is_some_and(|rest| rest.starts_with('.'))
}

/// All known keys, as `section.key`.
fn known_keys() -> Vec<String> {
    let all = Table::try_from(Config::default()).expect("a config is a table");
    let mut keys = vec!["rules".to_owned()];
    for (name, value) in all {
        match value {
            Value::Table(inner) => keys.extend(inner.keys().map(|key| format!("{name}.{key}"))),
            _ => keys.push(name),
        }
    }
    keys
}

/// The key that was probably meant, in backquotes.
fn suggestion(known: &[String], key: &str) -> Option<String> {
    let same = |other: &&String| other.split_once('.').is_some_and(|(_, leaf)| leaf == key);
    let keys: Vec<_> = known.iter().filter(same).map(|key| format!("`{key}`")).collect();
    if keys.is_empty() {
        similar(known, key).map(|near| format!("`{near}`"))
    } else {
        Some(keys.join(" or "))
    }
}

/// The same name in another section, a similar name in the same section, or a section.
fn similar(known: &[String], key: &str) -> Option<String> {
    let Some((section, leaf)) = key.split_once('.') else {
        let sections = known.iter().filter_map(|key| key.split_once('.')).map(|(name, _)| name);
        let plain = known.iter().map(String::as_str).filter(|key| !key.contains('.'));
        return nearest(key, sections.chain(plain)).map(str::to_owned);
    };
    let same = |key: &&String| key.split_once('.').is_some_and(|(_, other)| other == leaf);
    let elsewhere = || known.iter().filter(same).map(String::as_str);
    let within = || {
        let leaves = known.iter().filter_map(|key| key.split_once('.'));
        let leaves = leaves.filter(|(name, _)| *name == section).map(|(_, leaf)| leaf);
        nearest(leaf, leaves).map(|leaf| format!("{section}.{leaf}"))
    };
    nearest(key, elsewhere())
        .or_else(|| elsewhere().next())
        .map(str::to_owned)
        .or_else(within)
        .or_else(|| nearest(key, known.iter().map(String::as_str)).map(str::to_owned))
}

fn merge(table: &mut Table, change: Table) {
    for (key, value) in change {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(value)) => merge(inner, value),
            (_, value) => {
                table.insert(key, value);
            }
        }
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|&byte| byte == b'\n').count()
}
