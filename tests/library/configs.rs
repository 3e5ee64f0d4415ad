//! The configs of the repository are valid, and every game has one.

#![cfg(feature = "net")]

use std::fs;
use std::path::Path;

use crate::registry;
use crate::runs::config::Config;
use crate::runs::config::presets::{Preset, list, presets};

fn all() -> Vec<(String, Config)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths
        .map(|path| {
            let config = Config::load(&path, &[]).unwrap_or_else(|error| panic!("{error:#}"));
            (path.file_name().unwrap().to_str().unwrap().to_owned(), config)
        })
        .collect()
}

#[test]
fn of_the_repository_are_valid() {
    for (name, config) in all() {
        config.variant().unwrap();
        assert!(name.ends_with(".toml"), "{name}");
        assert!(name.starts_with(&config.game), "{name} is of {}", config.game);
    }
}

#[test]
fn of_the_repository_cover_every_game() {
    let all = all();
    for game in registry::all() {
        assert!(all.iter().any(|(_, config)| config.game == game.name), "{}", game.name);
    }
}

#[test]
fn of_the_repository_are_all_part_of_the_program() {
    let mut files: Vec<String> = all().into_iter().map(|(name, _)| name).collect();
    files.sort_unstable();
    let mut presets: Vec<String> = presets().map(|it| format!("{}.toml", it.name)).collect();
    presets.sort_unstable();
    assert_eq!(presets, files);
}

#[test]
fn of_the_repository_say_how_long_they_take() {
    for preset in presets() {
        let time = preset.time();
        let is_told = ["minutes", "seconds", "not measured"].iter().any(|end| time.ends_with(end));
        assert!(is_told, "{}: second line: {time:?}", preset.name);
        assert!(preset.text.starts_with("# ") && preset.title().len() > 3, "{}", preset.name);
        let time = time.replace(" minutes", " min");
        let row = format!("  {:<23}  {time:<13} {}", preset.name, preset.title());
        assert!(list().lines().any(|line| line == row), "{row}: not in\n{}", list());
    }
    assert!(list().lines().all(|line| line.len() <= 80), "{}", list());
}

#[test]
fn the_first_two_lines_are_title_and_time() {
    let text = "# Neutron 5x5.\n# Time: 12 minutes on two quiet cores with AVX-512.\n";
    let preset = Preset { name: "neutron5", text };
    assert_eq!((preset.title(), preset.time()), ("Neutron 5x5", "12 minutes"));
}
