//! What the server asks.

use serde::{Deserialize, Serialize};

use super::shortened;

/// The largest body of a request, in bytes.
pub(super) const MOST_BYTES: usize = 1 << 20;

/// The most turns of a game, the most bytes of a turn, and of the name of a game.
const MOST_TURNS: usize = 4096;
const MOST_OF_TURN: usize = 64;
const MOST_OF_ID: usize = 128;

/// A game as the server names it.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(super) struct TheirGame {
    /// The name of its rules.
    #[serde(rename = "metaGame")]
    pub name: String,
    /// The variants that were chosen.
    #[serde(default)]
    pub variants: Vec<String>,
}

impl TheirGame {
    /// The game as a log names it.
    pub(super) fn title(&self) -> String {
        shortened(&match &self.variants[..] {
            [] => self.name.clone(),
            variants => format!("{} ({})", self.name, variants.join(", ")),
        })
    }
}

/// A request of the server.
#[derive(Debug, Deserialize)]
#[serde(tag = "verb", rename_all = "lowercase")]
pub(super) enum Request {
    /// Somebody wants to play.
    Challenge(Challenge),
    /// It is the bot's turn.
    Move(Move),
}

/// A challenge, whose clocks are in hours.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Challenge {
    #[serde(flatten)]
    pub of: TheirGame,
    /// The time at the start.
    pub clock_start: f64,
    /// What each turn adds.
    pub clock_inc: f64,
    /// The most time that a clock has.
    pub clock_max: f64,
    /// The other players.
    #[serde(default)]
    pub challengers: Vec<String>,
}

/// A position in which it is the bot's turn.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Move {
    #[serde(flatten)]
    pub of: TheirGame,
    /// The server's name of the game.
    pub gameid: String,
    /// The bot's time in hours, rounded.
    pub clock_curr: f64,
    /// The number of players.
    pub num_players: u32,
    /// The turns so far, in rounds.
    pub moves: Vec<Vec<String>>,
}

impl Request {
    /// Reads the body of a request.
    ///
    /// # Errors
    ///
    /// What is wrong.
    pub(super) fn read(body: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(body)
            .map_err(|error| format!("the request is not as documented: {error}"))
    }
}

impl Move {
    /// The turns so far, in order.
    ///
    /// # Errors
    ///
    /// If the game is none of two players, or a text has no sensible length.
    pub(super) fn turns(&self) -> Result<Vec<String>, String> {
        if self.num_players != 2 {
            return Err(format!("the game has {} players", self.num_players));
        }
        let is_id = |text: &str| (1..=MOST_OF_ID).contains(&text.len());
        if !is_id(&self.gameid) || self.gameid.contains(char::is_control) {
            return Err("the id of the game is empty, too long or not printable".to_owned());
        }
        let turns: Vec<String> = self.moves.iter().flatten().cloned().collect();
        if turns.len() > MOST_TURNS || turns.iter().any(|turn| turn.len() > MOST_OF_TURN) {
            return Err(format!("the game has more than {MOST_TURNS} turns, or too long ones"));
        }
        Ok(turns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_as_they_are_documented() {
        let challenge = br#"{"verb":"challenge","metaGame":"susan","variants":[],"clockStart":72,
            "clockInc":24,"clockMax":168,"challengers":["a"],"more":{}}"#;
        match Request::read(challenge) {
            Ok(Request::Challenge(it)) => {
                assert_eq!((it.clock_start, it.clock_inc, it.clock_max), (72.0, 24.0, 168.0));
                assert_eq!((it.of.title().as_str(), it.challengers.len()), ("susan", 1));
            }
            other => panic!("{other:?}"),
        }
        let turn = br#"{"verb":"move","metaGame":"breakthrough","variants":["a","b"],"gameid":"x",
            "clockCurr":48,"numPlayers":2,"moves":[["a2-a3","a7-a6"],["b2-b3"]],"context":[{}]}"#;
        match Request::read(turn) {
            Ok(Request::Move(it)) => {
                assert_eq!(it.turns().unwrap(), ["a2-a3", "a7-a6", "b2-b3"]);
                assert_eq!((it.of.title().as_str(), it.clock_curr), ("breakthrough (a, b)", 48.0));
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn other_requests_are_refused() {
        for body in ["", "{}", "[]", "null", r#"{"verb":"dance"}"#, r#"{"verb":"move"}"#] {
            assert!(Request::read(body.as_bytes()).is_err(), "{body}");
        }
        let game = |gameid: &str, num_players, moves: Vec<Vec<String>>| {
            let (of, gameid) = (TheirGame::default(), gameid.to_owned());
            Move { of, gameid, clock_curr: 1.0, num_players, moves }.turns()
        };
        assert!(game("x", 2, vec![]).is_ok());
        for (id, players) in [("", 2), ("a\nb", 2), (&*"x".repeat(129), 2), ("x", 3), ("x", 0)] {
            assert!(game(id, players, vec![]).is_err(), "{id} {players}");
        }
        assert!(game("x", 2, vec![vec!["x".repeat(65)]]).is_err());
        assert!(game("x", 2, vec![vec![String::new(); 4097]]).is_err());
    }
}
