//! The configuration of a training run: a TOML file of the keys that differ from the defaults.

#[cfg(any(feature = "net", feature = "serve"))]
pub(crate) mod history;
#[cfg(feature = "net")]
pub(crate) mod presets;
mod schedule;
mod source;

use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::base::checks::{Fault, within};
use crate::base::device::DeviceName;
use crate::base::foreign;
use crate::nn::infer;
use crate::nn::settings::{LearnerSettings, NetworkSettings};
use crate::registry::{self, GameError, Variant};
use crate::runs::evaluation;
use crate::search;
use crate::selfplay::{self, replay};
pub(crate) use schedule::TrainSettings;
use source::{Given, Source};

/// The most iterations of a run.
pub(crate) const MOST_ITERATIONS: u64 = 1_000_000;

/// The whole configuration of a training run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Config {
    /// Name of the game.
    pub game: String,
    /// Seed of all random number streams of the run.
    pub seed: u64,
    /// Iterations of the run; the learning rate schedule spans them.
    pub iterations: u64,
    /// Player or checkpoint, `RUN@ITERATION`, whose weights a new run starts from; empty for random
    /// weights.
    pub init_from: String,
    /// Game options that differ from the preset.
    pub rules: Map<String, Value>,
    /// The training loop.
    pub train: TrainSettings,
    /// The network.
    pub network: NetworkSettings,
    /// The search.
    #[serde(with = "search::table")]
    pub search: search::Settings,
    /// How the network evaluates positions.
    pub inference: infer::Settings,
    /// Self-play.
    pub selfplay: selfplay::Settings,
    /// The replay buffer.
    pub replay: replay::Settings,
    /// The learner.
    pub learner: LearnerSettings,
    /// Evaluations within the run.
    pub evaluation: evaluation::Settings,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            game: String::new(),
            seed: 1,
            iterations: 200,
            init_from: String::new(),
            rules: Map::new(),
            train: TrainSettings::default(),
            network: NetworkSettings::default(),
            search: search::Settings::default(),
            inference: infer::Settings::default(),
            selfplay: selfplay::Settings::default(),
            replay: replay::Settings::default(),
            learner: LearnerSettings::default(),
            evaluation: evaluation::Settings::default(),
        }
    }
}

impl Config {
    /// Reads a config file and applies `section.key=value` settings, for a run on the CPU.
    ///
    /// # Errors
    ///
    /// An unreadable file, an unknown key or a bad value. The message names the file and line, or
    /// the setting, and the key; for an unknown key also the nearest known one.
    pub(crate) fn load(path: &Path, settings: &[String]) -> Result<Self> {
        Self::load_on(DeviceName::Cpu, path, settings)
    }

    /// The same for a run on any device, with the defaults of that device.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    pub(crate) fn load_on(device: DeviceName, path: &Path, settings: &[String]) -> Result<Self> {
        Self::parse_on(device, &read(path)?, &path.display().to_string(), settings)
    }

    /// Parses the text of a config; error messages call it `name`.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    #[cfg(any(test, feature = "fuzzing"))]
    pub(crate) fn parse(text: &str, name: &str, settings: &[String]) -> Result<Self> {
        Self::parse_on(DeviceName::Cpu, text, name, settings)
    }

    /// The same for a run on any device, with the defaults of that device.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    pub(crate) fn parse_on(
        device: DeviceName,
        text: &str,
        name: &str,
        settings: &[String],
    ) -> Result<Self> {
        let mut source = Source::parse(text, name, Given::Set)?;
        source.set_defaults("selfplay", &selfplay::Settings::on(device));
        Self::finish(source, settings)
    }

    /// Reads the config of a trained player, with player options as `section.key=value`.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    pub(crate) fn load_with_options(path: &Path, options: &[String]) -> Result<Self> {
        let text = read(path)?;
        let name = path.display().to_string();
        Self::finish(Source::parse(&text, &name, Given::Option)?, options)
    }

    /// Applies the settings, and checks every value.
    fn finish(mut source: Source<'_>, settings: &[String]) -> Result<Self> {
        settings.iter().try_for_each(|setting| source.set(setting))?;
        let config = source.read()?;
        config.check().map_err(|(key, reason)| source.fault(&key, &reason))?;
        config.variant().map_err(|error| match &error {
            GameError::Unknown { .. } => source.fault("game", &error.to_string()),
            GameError::Rules { error: option, .. } => {
                source.fault(&format!("rules.{}", option.option()), &error.to_string())
            }
        })?;
        Ok(config)
    }

    /// The game with its options.
    ///
    /// # Errors
    ///
    /// If the game is unknown or one of its options is invalid.
    pub(crate) fn variant(&self) -> Result<Variant, GameError> {
        registry::find(&self.game, &self.rules)
    }

    fn check(&self) -> Result<(), (String, String)> {
        let section = |name: &'static str, result: Result<(), Fault>| {
            result.map_err(|(key, reason)| (format!("{name}.{key}"), reason))
        };
        within("iterations", self.iterations, [1, MOST_ITERATIONS])
            .map_err(|(key, reason)| (key.to_owned(), reason))?;
        section("train", self.train.check())?;
        section("network", self.network.check())?;
        section("search", self.search.check())?;
        section("inference", self.inference.check())?;
        section("selfplay", self.selfplay.check())?;
        section("replay", self.replay.check())?;
        section("learner", self.learner.check())?;
        section("learner", self.learner.check_size(&self.network))?;
        section("evaluation", self.evaluation.check())
    }

    /// The keys whose values are not the defaults, as `section.key`, sorted.
    #[cfg(feature = "serve")]
    pub(crate) fn changed_keys(&self) -> Vec<String> {
        let values = |config| history::values_of(config).unwrap_or_default();
        let (defaults, own) = (values(&Self::default()), values(self));
        let changed = own.into_iter().filter(|(key, value)| defaults.get(key) != Some(value));
        changed.map(|(key, _)| key).collect()
    }

    /// The whole config as TOML, including the defaults.
    pub(crate) fn to_toml(&self) -> String {
        toml::to_string(self).expect("a config is plain values in tables")
    }
}

fn read(path: &Path) -> Result<String> {
    foreign::read_text(path, foreign::TEXT)
        .with_context(|| format!("cannot read the config {}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::tests::common::folder::Folder;

    fn error(text: &str, settings: &[&str]) -> String {
        let settings: Vec<String> = settings.iter().map(|&setting| setting.into()).collect();
        Config::parse(text, "run.toml", &settings).unwrap_err().to_string()
    }

    #[test]
    fn a_config_survives_writing_and_parsing() {
        let config = Config::parse("game = 'connect_four'\n[learner]\nbatch = 64", "x", &[]);
        let config = config.unwrap();
        assert_eq!(config.learner.batch, 64);
        assert_eq!(Config::parse(&config.to_toml(), "x", &[]).unwrap(), config);
    }

    #[test]
    fn accelerators_have_their_own_defaults() {
        let read = |device, text: &str, settings: &[&str]| {
            let settings: Vec<String> = settings.iter().map(|&setting| setting.into()).collect();
            let text = format!("game = 'connect_four'\n{text}");
            let Config { selfplay, .. } = Config::parse_on(device, &text, "x", &settings).unwrap();
            (selfplay.queue, selfplay.batch, selfplay.games)
        };
        for device in [DeviceName::Cuda, DeviceName::Wgpu] {
            assert_eq!(read(device, "", &[]), (true, 256, 256));
            assert_eq!(read(device, "[selfplay]\ngames = 9", &[]), (true, 256, 9));
            assert_eq!(read(device, "[selfplay]\nqueue = false", &[]), (false, 256, 256));
            assert_eq!(read(device, "", &["selfplay.batch=32"]), (true, 32, 256));
        }
        assert_eq!(read(DeviceName::Cpu, "", &[]), (false, 64, 256));
        let error = Config::parse_on(DeviceName::Cuda, "game = 'susan'\nselfplay = 3", "x", &[]);
        assert!(error.unwrap_err().to_string().starts_with("x:2: "));
    }

    #[test]
    fn settings_take_precedence() {
        let settings = ["learner.batch=32".to_owned(), "game=tic_tac_toe".to_owned()];
        let config = Config::parse("game = 'x'\n[learner]\nbatch = 64", "x", &settings).unwrap();
        assert_eq!((config.learner.batch, config.game.as_str()), (32, "tic_tac_toe"));
    }

    #[test]
    fn errors_name_file_line_key_and_remedy() {
        let game = "game = 'connect_four'\n";
        let cases = [
            ("[serch]\n", "run.toml:2: unknown key `serch`, did you mean `search`?"),
            (
                "[search]\nc_putc = 1.0\n",
                "run.toml:3: unknown key `search.c_putc`, did you mean `search.c_puct`?",
            ),
            (
                "\n[search]\nsimulations = 9\n",
                "run.toml:4: unknown key `search.simulations`, did you mean `selfplay.simulations`?",
            ),
            (
                "[selfplay]\ngames = 'many'\n",
                "run.toml:3: `selfplay.games`: invalid type: string \"many\", \
                 expected a whole number, 0 or more",
            ),
            (
                "[selfplay]\ngames = 0\n",
                "run.toml:3: `selfplay.games`: must be between 1 and 1000000, is 0",
            ),
            (
                "[learner]\nlearning_rate = nan\n",
                "run.toml:3: `learner.learning_rate`: must be a positive number, is NaN",
            ),
            (
                "[rules]\nholes = 1\n",
                "run.toml:3: `rules.holes`: game `connect_four`: unknown option `holes`: \
                 this game has none",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(error(&format!("{game}{text}"), &[]), expected);
        }
        assert!(error("game = ", &[]).starts_with("run.toml:1: "));
        assert_eq!(
            error("game = 'conect_four'", &[]),
            "run.toml:1: `game`: there is no game `conect_four`, did you mean `connect_four`?; \
             `tavoliere games` lists them"
        );
        assert!(error("", &[]).contains("`game`"), "a config without a game is an error");
    }

    #[test]
    fn errors_in_settings_name_the_setting() {
        let game = "game = 'connect_four'\n";
        assert_eq!(
            error(game, &["selfplay.game=3"]),
            "--set selfplay.game=3: unknown key `selfplay.game`, did you mean `selfplay.games`?"
        );
        assert_eq!(
            error(game, &["selfplay.games=0"]),
            "--set selfplay.games=0: `selfplay.games`: must be between 1 and 1000000, is 0"
        );
        assert_eq!(
            error(game, &["selfplay.first_simulations=0"]),
            "--set selfplay.first_simulations=0: unknown key `selfplay.first_simulations`, did you \
             mean `selfplay.simulations`?"
        );
        assert!(error(game, &["selfplay.games=x"]).starts_with("--set selfplay.games=x: "));
        assert!(error(game, &["selfplay"]).contains("section.key=value"));
        let deep = format!("{}=1", "a.".repeat(100_000));
        assert!(error(game, &[&deep]).contains("unknown key"));
    }

    #[test]
    fn an_engine_that_is_given_is_used_instead_of_that_of_the_config() {
        let place = Folder::new();
        let path = place.file("config.toml");
        fs::write(&path, "game = 'connect_four'\n[inference]\nengine = 'of another CPU'").unwrap();
        assert!(Config::load_with_options(&path, &[]).is_err());
        let options = ["inference.engine=portable".to_owned()];
        let config = Config::load_with_options(&path, &options).unwrap();
        assert_eq!(config.inference.engine.text(), "portable");
    }
}
