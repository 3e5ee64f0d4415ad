//! The configs of the repository are valid, and every game has one.

#![cfg(feature = "net")]

use std::fs;
use std::path::Path;

use crate::games::GAMES;
use crate::runs::config::Config;

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
    for game in GAMES {
        assert!(all.iter().any(|(_, config)| config.game == game.name), "{}", game.name);
    }
}
