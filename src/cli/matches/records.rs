//! The file with the games of a match, a JSON object a line.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::arena::Played;
use crate::game::{Game, Outcome, Side};
use crate::games::Variant;
use crate::opponents::Forfeit;

/// The file, open.
pub struct Records {
    path: PathBuf,
    out: BufWriter<File>,
    game: &'static str,
    rules: Value,
    players: [String; 2],
}

impl Records {
    /// Makes the file, in place of one that may be there.
    pub fn begin<G: Game>(path: &Path, variant: &Variant<G>, names: [&str; 2]) -> Result<Self> {
        let file =
            File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self {
            path: path.to_owned(),
            out: BufWriter::new(file),
            game: variant.name,
            rules: serde_json::to_value(variant.rules).context("options are plain values")?,
            players: names.map(str::to_owned),
        })
    }

    /// Writes the two games of a pair.
    pub fn write(&mut self, pair: u64, games: &[Played; 2]) -> Result<()> {
        for game in games {
            let line = self.line(pair, game);
            writeln!(self.out, "{line}").with_context(|| self.complaint())?;
        }
        Ok(())
    }

    /// Writes what is left.
    pub fn finish(mut self) -> Result<()> {
        self.out.flush().with_context(|| self.complaint())
    }

    fn line(&self, pair: u64, game: &Played) -> Value {
        let [first, second] = &self.players;
        let (p1, p2) = if game.first == Side::P1 { (first, second) } else { (second, first) };
        let moves: Vec<&str> = game.moves.iter().map(|turn| turn.as_str()).collect();
        let winner = match game.outcome {
            Outcome::Win(Side::P1) => "P1",
            Outcome::Win(Side::P2) => "P2",
            Outcome::Draw => "draw",
        };
        json!({
            "game": self.game, "rules": self.rules, "pair": pair, "P1": p1, "P2": p2,
            "moves": moves, "winner": winner,
            "forfeit": game.forfeit.as_ref().map(Forfeit::to_string),
        })
    }

    fn complaint(&self) -> String {
        format!("cannot write {}", self.path.display())
    }
}
