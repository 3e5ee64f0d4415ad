//! Player options: the settings behind the `?` of a player spec.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Error, Result, anyhow, bail};
use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::Table;

use crate::base::device::DeviceName;
use crate::base::duration;
use crate::base::spelling::nearest;
use crate::base::toml_value;
use crate::search::{self, Weakening};

/// The options of a player spec: `key=value` pairs joined by `&`.
pub(super) struct PlayerOptions<'a>(Vec<(&'a str, &'a str)>);

impl<'a> PlayerOptions<'a> {
    pub(super) fn read(text: &'a str, player: &str, known: &[&str]) -> Result<Self> {
        let mut options = Vec::new();
        for part in text.split('&').filter(|part| !part.is_empty()) {
            let (key, value) = part
                .split_once('=')
                .with_context(|| format!("`{part}` is not of the form key=value"))?;
            if !known.contains(&key) {
                let hint = nearest(key, known.iter().copied());
                let hint = hint.map_or(".".into(), |near| format!(", did you mean `{near}`?"));
                let known = match known {
                    [] => "It has no options".to_owned(),
                    known => format!("Its options are {}", known.join(", ")),
                };
                bail!("`{key}` is not an option of {player}{hint} {known}");
            }
            if options.iter().any(|&(earlier, _)| earlier == key) {
                bail!("`{key}` is given twice");
            }
            options.push((key, value));
        }
        Ok(Self(options))
    }

    fn value(&self, key: &str) -> Option<&'a str> {
        self.0.iter().find(|option| option.0 == key).map(|option| option.1)
    }

    /// A number from 1 to `most`.
    pub(super) fn number(&self, key: &str, most: u32) -> Result<Option<u32>> {
        let read = |value: &str| {
            let number = value.parse().ok().filter(|number| (1..=most).contains(number));
            number.with_context(|| format!("{key}={value}: not a number from 1 to {most}"))
        };
        self.value(key).map(read).transpose()
    }

    /// A decimal number.
    fn decimal(&self, key: &str) -> Result<Option<f32>> {
        let read = |value: &str| {
            value.parse().ok().with_context(|| format!("{key}={value}: not a number"))
        };
        self.value(key).map(read).transpose()
    }

    /// The device; the CPU if none is given.
    pub(super) fn device(&self) -> Result<DeviceName> {
        self.value("device").map_or(Ok(DeviceName::Cpu), str::parse).map_err(anyhow::Error::msg)
    }

    /// The time limit of a turn.
    pub(super) fn time(&self) -> Result<Option<Duration>> {
        self.duration("time")
    }

    /// A time from 1 ms to 24 hours, in whole milliseconds, as names of players have it.
    pub(super) fn duration(&self, key: &str) -> Result<Option<Duration>> {
        const LONGEST: Duration = Duration::from_secs(86_400);
        let read = |value: &str| {
            let time = duration::parse(value).map_err(anyhow::Error::msg)?;
            let sensible = Duration::from_millis(1) <= time && time <= LONGEST;
            let whole = Duration::from_millis(time.as_millis() as u64);
            sensible.then_some(whole).with_context(|| format!("{key}={value}: not from 1ms to 24h"))
        };
        self.value(key).map(read).transpose()
    }
}

/// What a level sets, but for settings of the search.
const LIMITS: [&str; 4] = ["simulations", "time", "temperature", "value_noise"];

/// A level, and what may stand beside it.
const LEVEL_AND_DEVICE: [&str; 4] = ["level", "device", "engine", "precision"];

impl PlayerOptions<'_> {
    /// An option that a level sets.
    fn other_than_level(&self) -> Option<&str> {
        self.0.iter().map(|option| option.0).find(|key| !LEVEL_AND_DEVICE.contains(key))
    }

    fn book(&self) -> Result<BookChoice> {
        Ok(match self.value("book") {
            None => BookChoice::Usual,
            Some("off") => BookChoice::Off,
            Some("") => bail!("book=: write the file of a book, or off"),
            Some(file) => BookChoice::File(file.into()),
        })
    }

    fn weakening(&self) -> Result<Weakening> {
        let weakening = Weakening {
            temperature: self.decimal("temperature")?.unwrap_or(0.0),
            value_noise: self.decimal("value_noise")?.unwrap_or(0.0),
        };
        weakening.check().map_err(|(key, reason)| anyhow::anyhow!("{key} {reason}"))?;
        Ok(weakening)
    }
}

/// Which book of wins a trained player uses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum BookChoice {
    /// An exported player that of its game, if there is one; a checkpoint none.
    #[default]
    Usual,
    /// None.
    Off,
    /// The one in a file.
    File(PathBuf),
}

/// Player options that change settings of a section of the config.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Changes {
    section: &'static str,
    /// Keys and values.
    values: Vec<(String, String)>,
}

impl Changes {
    fn of(section: &'static str) -> Self {
        Self { section, values: Vec::new() }
    }

    /// As the command line has settings of a config, `section.key=value`.
    pub fn settings(&self) -> Vec<String> {
        let setting = |(key, value): &(_, _)| format!("{}.{key}={value}", self.section);
        self.values.iter().map(setting).collect()
    }

    /// The section, with these changes. The ranges of numbers are not checked.
    ///
    /// # Errors
    ///
    /// If a value is not of the kind that the section has.
    pub fn changed<T: Serialize + DeserializeOwned>(&self, section: T) -> Result<T> {
        let (mut section, mut table) = (section, None);
        for (key, value) in &self.values {
            let table = match &mut table {
                Some(table) => table,
                none => none.insert(Table::try_from(&section)?),
            };
            table.insert(key.clone(), toml_value::read(value));
            section = T::deserialize(table.clone())
                .map_err(|error| self.fault(key, error.message().trim_end()))?;
        }
        Ok(section)
    }

    /// The error about a setting: the option by which it was given, if any, and what is wrong.
    fn fault(&self, key: &str, reason: &str) -> Error {
        let section = self.section;
        match self.values.iter().find(|(given, _)| given == key) {
            Some((_, value)) => {
                anyhow!("the player option {key}={value}: `{section}.{key}`: {reason}")
            }
            None => anyhow!("`{section}.{key}`: {reason}"),
        }
    }
}

/// The options of a trained player.
#[derive(Clone, PartialEq, Debug)]
pub struct SearchOptions {
    /// The name or the number of a level, which sets simulations, noise and root prover.
    pub level: Option<String>,
    /// Noise in its evaluations.
    pub weakening: Weakening,
    /// Simulations of each search.
    pub simulations: Option<u32>,
    /// Time for each turn.
    pub time: Option<Duration>,
    /// Where its opening book is.
    pub book: BookChoice,
    /// The device of its network.
    pub device: DeviceName,
    /// Changes of the recommended search.
    pub search: Changes,
    /// Changes of the arithmetic.
    pub inference: Changes,
}

impl SearchOptions {
    /// Parses the text behind the `?`. The values of [`Changes`] are checked when they are applied.
    ///
    /// # Errors
    ///
    /// If an option is unknown, given twice or out of range.
    pub fn read(text: &str) -> Result<Self> {
        let table = serde_json::to_value(search::SettingsTable::default())?;
        let settings = table.as_object().into_iter().flat_map(|table| table.keys());
        let known = LIMITS.into_iter().chain(LEVEL_AND_DEVICE).chain(["book"]);
        let known: Vec<&str> = known.chain(settings.map(String::as_str)).collect();
        let options = PlayerOptions::read(text, "a trained player", &known)?;
        let level = options.value("level").map(str::to_owned);
        if let (Some(level), Some(other)) = (&level, options.other_than_level()) {
            bail!("level={level} and {other} exclude each other: a level sets {other} itself");
        }
        if let (Some(simulations), Some(time)) =
            (options.value("simulations"), options.value("time"))
        {
            bail!("simulations={simulations} and time={time} exclude each other: name one of them");
        }
        let others = |key| LIMITS.contains(&key) || ["level", "device", "book"].contains(&key);
        let (mut search, mut inference) = (Changes::of("search"), Changes::of("inference"));
        for &(key, value) in options.0.iter().filter(|option| !others(option.0)) {
            let is_arithmetic = ["engine", "precision"].contains(&key);
            let changes = if is_arithmetic { &mut inference } else { &mut search };
            changes.values.push((key.to_owned(), value.to_owned()));
        }
        Ok(Self {
            level,
            weakening: options.weakening()?,
            simulations: options.number("simulations", 10_000_000)?,
            time: options.time()?,
            book: options.book()?,
            device: options.device()?,
            search,
            inference,
        })
    }

    /// The first of these options that an exported player cannot keep: its files have a search and a
    /// number of simulations.
    pub fn beside_search(&self) -> Option<&str> {
        let usual = Weakening::default();
        let options = [
            ("level", self.level.is_some()),
            ("temperature", self.weakening.temperature != usual.temperature),
            ("value_noise", self.weakening.value_noise != usual.value_noise),
            ("time", self.time.is_some()),
            ("book", self.book != BookChoice::Usual),
            ("device", self.device != DeviceName::default()),
        ];
        let arithmetic = self.inference.values.iter().map(|(key, _)| &**key);
        options.into_iter().filter_map(|(key, given)| given.then_some(key)).chain(arithmetic).next()
    }

    /// A recommended search, changed by these options.
    ///
    /// # Errors
    ///
    /// A bad value, or a cache for which this machine does not have the memory.
    pub fn search(&self, recommended: search::Settings) -> Result<search::Settings> {
        let table = self.search.changed(search::SettingsTable::from(recommended))?;
        let settings = search::Settings::from(table);
        let checked = settings.check().and_then(|()| settings.check_memory());
        checked.map_err(|(key, reason)| self.search.fault(key, &reason))?;
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(options: &str) -> String {
        let read = SearchOptions::read(options).unwrap();
        read.search(search::Settings::default()).unwrap_err().to_string()
    }

    #[test]
    fn a_search_ends_by_simulations_or_by_time() {
        let error = SearchOptions::read("simulations=200&time=1s").unwrap_err().to_string();
        assert_eq!(error, "simulations=200 and time=1s exclude each other: name one of them");
    }

    #[test]
    fn errors_in_settings_name_the_option() {
        assert_eq!(
            error("root=puct&c_puct=-1"),
            "the player option c_puct=-1: `search.c_puct`: must be a positive number, is -1"
        );
        assert!(
            error("c_puct=many").starts_with(
                "the player option c_puct=many: `search.c_puct`: invalid type: string \"many\""
            ),
            "{}",
            error("c_puct=many")
        );
    }

    #[test]
    fn options_change_what_they_name_and_nothing_else() {
        let recommended = search::Settings::default().for_play();
        let read = |options| SearchOptions::read(options).unwrap().search(recommended).unwrap();
        assert_eq!(read("simulations=20&engine=portable"), recommended);
        let mut expected = recommended;
        expected.puct.c = 3.0;
        expected.root = search::RootRule::Gumbel;
        assert_eq!(read("c_puct=3&root=gumbel"), expected);
    }
}
