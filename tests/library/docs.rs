//! Checks that the documents match the program.

#![cfg(feature = "net")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::registry;
use crate::runs::config::Config;
use crate::train::alarms::ALARMS;

fn read(name: &str) -> String {
    fs::read_to_string(format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// `section.key` and default of every setting, in TOML syntax.
fn settings() -> Vec<(String, String)> {
    let table: toml::Table = Config::default().to_toml().parse().unwrap();
    let mut settings = Vec::new();
    for (section, value) in table {
        match value {
            toml::Value::Table(keys) => {
                let named = |(key, value): (String, toml::Value)| {
                    (format!("{section}.{key}"), value.to_string())
                };
                settings.extend(keys.into_iter().map(named));
            }
            value => settings.push((section, value.to_string())),
        }
    }
    settings
}

#[test]
fn every_setting_is_documented_with_its_default() {
    let document = read("docs/configuration.md");
    let mut rows = 0;
    for (key, default) in settings() {
        let default = if key == "game" { String::new() } else { format!(" `{default}`") };
        let row = format!("| `{key}` |{default} | ");
        assert!(document.contains(&row), "docs/configuration.md lacks the row: {row}");
        rows += 1;
    }
    let documented = document.lines().filter(|line| line.starts_with("| `")).count();
    // Besides settings, `rules`, the four phases of the metrics and the alarms have rows.
    assert_eq!(documented, rows + 5 + ALARMS.len(), "a row documents no setting");
}

#[test]
fn every_alarm_is_documented() {
    let document = read("docs/configuration.md");
    for alarm in ALARMS {
        assert!(document.contains(&format!("| `{}` | ", alarm.name)), "{}", alarm.name);
    }
}

#[test]
fn hints_of_alarms_name_existing_settings() {
    let rules: Vec<String> = registry::all()
        .iter()
        .flat_map(|game| {
            let options = registry::preset(game.name).unwrap().options();
            options.keys().map(|key| format!("rules.{key}")).collect::<Vec<_>>()
        })
        .collect();
    let known: Vec<String> = settings().into_iter().map(|(key, _)| key).chain(rules).collect();
    for alarm in ALARMS {
        let words = alarm.hint.split([' ', ',', ';']).filter(|word| word.contains('.'));
        for word in words {
            assert!(known.iter().any(|key| key == word), "{}: there is no {word}", alarm.name);
        }
    }
}

#[test]
fn documents_have_no_placeholders() {
    for name in [
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "docs/configuration.md",
        "docs/evaluation.md",
        "docs/new-game.md",
        "docs/recipe.md",
        "docs/results.md",
        "docs/serve.md",
        "docs/speed.md",
        "docs/training.md",
    ] {
        assert!(!read(name).contains("@@"), "{name}");
    }
}

#[test]
fn the_readme_is_short() {
    let lines = read("README.md").lines().count();
    assert!(lines <= 120, "README.md has {lines} lines, more than 120: move details to docs");
}

#[test]
fn the_readme_names_every_game() {
    let readme = read("README.md");
    for game in registry::all() {
        let base = game.name.split('_').next().unwrap();
        let whole = readme.contains(&format!("`{}`", game.name));
        let parts = readme.contains(&format!("`{base}`"))
            && game.name.split_once('_').is_some_and(|(_, of)| readme.contains(&format!("_{of}`")));
        assert!(whole || parts, "README.md does not name {}", game.name);
    }
}

/// The text without indentation.
fn unindented(text: &str) -> String {
    text.lines().map(|line| line.trim().to_owned() + "\n").collect()
}

/// The texts of the files with these extensions in a folder and its subfolders.
fn files_below(folder: &Path, endings: &[&str]) -> Vec<String> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let texts = |path: PathBuf| match path.extension() {
        _ if path.is_dir() => files_below(&path, endings),
        Some(ending) if endings.iter().any(|known| ending == *known) => {
            vec![unindented(&fs::read_to_string(path).unwrap())]
        }
        _ => Vec::new(),
    };
    paths.flat_map(texts).collect()
}

/// The guide quotes code and configs verbatim; `// ...` marks omissions.
#[test]
fn quotes_in_the_guide_to_a_new_game_match_the_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let sources: Vec<_> = ["src", "tests", "configs", "examples"]
        .iter()
        .flat_map(|folder| files_below(&root.join(folder), &["rs", "toml"]))
        .collect();
    let guide = read("docs/new-game.md");
    let mut quotes = 0;
    for block in guide.split("```").skip(1).step_by(2) {
        let Some(code) = block.strip_prefix("rust\n").or(block.strip_prefix("toml\n")) else {
            continue;
        };
        for quote in unindented(code).split("// ...\n") {
            assert!(sources.iter().any(|text| text.contains(quote)), "not in the source:\n{quote}");
            quotes += 1;
        }
    }
    assert!(quotes > 10, "{quotes} quotes");
}
