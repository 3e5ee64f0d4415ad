//! `levels.json`: the levels of an exported player, as a ladder measured them.

use anyhow::{Context, Result, anyhow, ensure};
use serde::{Deserialize, Serialize};

use super::PlayerFiles;
use crate::play::players::{Level, default_levels};

/// Name of the file.
pub(super) const LEVELS: &str = "levels.json";

/// The most levels of a player.
const MOST: usize = 50;

/// The contents of the file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Levels {
    /// The player with a given rating on the scale, and that rating.
    anchor: (String, f64),
    /// The number of games of the ladder.
    games: u64,
    /// The levels, the weakest first.
    levels: Vec<Level>,
}

/// Reads the levels of a player; the default ones if none were measured.
///
/// # Errors
///
/// If the file cannot be read or is invalid.
pub(crate) fn levels(files: &PlayerFiles) -> Result<Vec<Level>> {
    if !files.has(LEVELS) {
        return Ok(default_levels());
    }
    let levels = parse(&files.read_text(LEVELS)?);
    levels.with_context(|| format!("{} is damaged", files.path_of(LEVELS)))
}

fn parse(text: &str) -> Result<Vec<Level>> {
    let Levels { levels, .. } = serde_json::from_str(text)?;
    ensure!((1..=MOST).contains(&levels.len()), "it has {} levels, not 1 to {MOST}", levels.len());
    let checked = levels.iter().try_for_each(Level::check);
    checked.map_err(|(key, reason)| anyhow!("{key} {reason}"))?;
    Ok(levels)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVEL: &str = r#"{"name": "Casual", "elo": 1200, "interval": [1150, 1250],
        "simulations": 8, "proof_nodes": 0, "temperature": 1.5, "value_noise": 2.0}"#;

    fn file(levels: &str) -> String {
        format!(r#"{{"anchor": ["uct?rollouts=1000", 1500], "games": 2000, "levels": [{levels}]}}"#)
    }

    #[test]
    fn levels_are_read() {
        let levels = parse(&file(LEVEL)).unwrap();
        assert_eq!((levels[0].name.as_str(), levels[0].weakening.temperature), ("Casual", 1.5));
    }

    #[test]
    fn damaged_levels_are_refused() {
        for (text, words) in [
            (file(""), "it has 0 levels"),
            (file(&[LEVEL; 51].join(",")), "it has 51 levels"),
            (file(&LEVEL.replace("8,", "0,")), "simulations must be between"),
            (file(&LEVEL.replace("1.5", "1e9")), "temperature must be between"),
            (file(&LEVEL.replace("1.5", "\"x\"")), "invalid type"),
            ("{".to_owned(), "EOF"),
        ] {
            let error = format!("{:#}", parse(&text).unwrap_err());
            assert!(error.contains(words), "{error}");
        }
    }
}
