//! Games of a match as lines of JSON.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Played;
use crate::games::{Outcome, Side};
use crate::play::players::Forfeit;
use crate::registry::{Position, Variant};

/// Converts games to JSON: the fields that all games of a file share.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Recorder {
    game: &'static str,
    rules: Value,
    /// The position that all games began in; `None` for the start.
    position: Option<String>,
}

impl Recorder {
    /// For games of `variant`.
    pub(crate) fn new(variant: &Variant) -> Self {
        Self { game: variant.name, rules: Value::Object(variant.options()), position: None }
    }

    /// The same for games that began in another position than the start.
    pub(crate) fn starting(self, position: &Position) -> Self {
        Self { position: Some(position.position_text()), ..self }
    }

    /// Converts a finished game between players with these names, from opening number `pair`:
    /// `{"game", "rules", "pair", "P1", "P2", "moves", "winner", "forfeit"}`, and `"position"` if
    /// they did not begin at the start.
    pub(crate) fn record(&self, pair: u64, [first, second]: [&str; 2], game: &Played) -> Value {
        let (p1, p2) = if game.first == Side::P1 { (first, second) } else { (second, first) };
        let moves: Vec<&str> = game.moves.iter().map(|turn| turn.as_str()).collect();
        let mut record = json!({
            "game": self.game, "rules": self.rules, "pair": pair, "P1": p1, "P2": p2,
            "moves": moves, "winner": Winner::from(game.outcome),
            "forfeit": game.forfeit.as_ref().map(Forfeit::to_string),
        });
        if let Some(position) = &self.position {
            record["position"] = json!(position);
        }
        record
    }
}

/// The winner of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Winner {
    /// The player who moved first.
    P1,
    /// The other player.
    P2,
    /// A draw.
    #[serde(rename = "draw")]
    Draw,
}

impl From<Outcome> for Winner {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Win(Side::P1) => Self::P1,
            Outcome::Win(Side::P2) => Self::P2,
            Outcome::Draw => Self::Draw,
        }
    }
}
