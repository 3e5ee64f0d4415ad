//! The players that are part of the program.
//!
//! To add one, put its folder into `checkpoints/players/` and its name into [`PLAYERS`].

use crate::registry;

/// A player within the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    files: &'static [(&'static str, &'static [u8])],
}

#[cfg(not(target_family = "wasm"))]
macro_rules! file {
    ($name:literal, $file:literal) => {
        (
            $file,
            include_bytes!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/checkpoints/players/",
                $name,
                "/",
                $file
            )) as &[u8],
        )
    };
}

#[cfg(not(target_family = "wasm"))]
macro_rules! player {
    ($name:literal: $($file:literal),*) => {
        BuiltIn { name: $name, files: &[$(file!($name, $file)),*] }
    };
    // Config and curve of the training were not kept.
    ($name:literal, without its training, with levels) => {
        player!($name: "player.json", "model.safetensors", "levels.json")
    };
    // Rated once only.
    ($name:literal, without a curve) => {
        player!($name: "player.json", "model.safetensors", "config.toml")
    };
    ($name:literal, with levels) => {
        player!($name: "player.json", "model.safetensors", "config.toml", "curve.svg", "levels.json")
    };
    ($name:literal) => {
        player!($name: "player.json", "model.safetensors", "config.toml", "curve.svg")
    };
}

/// In a page there are none: it loads those that it needs.
#[cfg(target_family = "wasm")]
static PLAYERS: &[BuiltIn] = &[];

/// All players, sorted by name. A `const` would be in the program once for each place that uses it.
#[cfg(not(target_family = "wasm"))]
static PLAYERS: &[BuiltIn] = &[
    player!("breakthrough6"),
    player!("breakthrough8"),
    player!("checkers_gomoku"),
    player!("coneutron5"),
    player!("coneutron5_abstractplay"),
    player!("coneutron7"),
    player!("connect_four", without its training, with levels),
    player!("entropy", with levels),
    player!("neutron5", with levels),
    player!("neutron5_abstractplay"),
    player!("neutron5_double"),
    player!("neutron5_hole1"),
    player!("neutron5_hole2"),
    player!("neutron5_kraus"),
    player!("neutron5_single"),
    player!("neutron5x7_abstractplay", without a curve),
    player!("neutron7"),
    player!("neutron7_abstractplay"),
    player!("neutron7_double"),
    player!("neutron7_hole1"),
    player!("neutron7_hole2"),
    player!("neutron7_kraus"),
    player!("neutron7_single"),
    player!("neutron7x5_abstractplay", without a curve),
    player!("susan", with levels),
    player!("tic_tac_toe"),
];

impl BuiltIn {
    /// The player with this name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        Self::all().find(|player| player.name == name)
    }

    /// The players of games that are in the table.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let is_there = |player: &Self| registry::all().iter().any(|game| game.name == player.name);
        PLAYERS.iter().copied().filter(is_there)
    }

    /// The contents of a file.
    pub(super) fn file(&self, name: &str) -> Option<&'static [u8]> {
        self.files.iter().find(|(known, _)| *known == name).map(|(_, bytes)| *bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::runs::config::Config;
    use crate::runs::exported::levels::{LEVELS, levels};
    use crate::runs::exported::{Exported, PlayerFiles, Precision};

    #[test]
    fn all_files_of_the_folder_are_in_the_program() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("checkpoints/players");
        let mut found = BTreeSet::new();
        for player in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let name = player.file_name().unwrap().to_str().unwrap().to_owned();
            for file in fs::read_dir(&player).into_iter().flatten() {
                found.insert((name.clone(), file.unwrap().file_name().into_string().unwrap()));
            }
        }
        let listed = PLAYERS.iter().flat_map(|player| {
            player.files.iter().map(|(file, _)| (player.name.to_owned(), (*file).to_owned()))
        });
        assert_eq!(found, listed.collect());
        assert!(PLAYERS.is_sorted_by_key(|player| player.name));
    }

    #[test]
    fn every_game_has_a_player() {
        assert!(registry::all().iter().all(|game| BuiltIn::find(game.name).is_some()));
    }

    #[test]
    fn every_player_is_whole_and_of_the_game_of_its_name() {
        for &player in PLAYERS {
            let exported = Exported::of(&PlayerFiles::BuiltIn(player)).unwrap();
            assert_eq!(exported.card.game, player.name);
            assert_eq!(exported.card.precision, Precision::Bytes, "{}", player.name);
            assert_eq!(exported.card.licence, "CC0-1.0", "{}", player.name);
            let listed: BTreeSet<&str> = exported.card.files.keys().map(String::as_str).collect();
            let others = player.files.iter().map(|(name, _)| *name);
            let own = ["player.json", LEVELS];
            assert_eq!(listed, others.filter(|name| !own.contains(name)).collect());
            levels(&PlayerFiles::BuiltIn(player)).unwrap();
            if let Some(config) = exported.provenance().unwrap().config {
                let config = Config::parse(&config, player.name, &[]).unwrap();
                assert_eq!(config.game, player.name);
            }
        }
    }
}
