//! The option that a position which occurs for the third time is a draw.
//!
//! It is an option of a match, not a rule of a game: search and training do not use it. It ends the
//! game between two turns.

use crate::games::{Ending, Outcome, Text, parse_turn};
use crate::registry::Position;

/// The positions of a game in progress, if the option is on.
///
/// Two positions are equal if board, side to move, phase and counters are equal
/// ([`Game::position_key`]). They are compared at the beginning of turns.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Threefold {
    /// Keys of the positions so far, the current one last; `None` if the option is off.
    keys: Option<Vec<u64>>,
}

impl Threefold {
    /// For a game that begins at `start`, with the option on or off.
    pub(crate) fn new(is_agreed: bool, start: &Position) -> Self {
        Self { keys: is_agreed.then(|| vec![start.position_key()]) }
    }

    /// For a game that went through `positions`.
    pub(crate) fn after(is_agreed: bool, start: &Position, positions: &[Position]) -> Self {
        let mut threefold = Self::new(is_agreed, start);
        positions.iter().for_each(|position| threefold.note(position));
        threefold
    }

    /// For a game after these legal turns.
    pub(crate) fn after_turns(is_agreed: bool, start: &Position, turns: &[Text]) -> Self {
        let mut threefold = Self::new(is_agreed, start);
        if is_agreed {
            let mut position = *start;
            for text in turns {
                let Ok(turn) = parse_turn(&position, text) else { break };
                turn.play_on(&mut position);
                threefold.note(&position);
            }
        }
        threefold
    }

    /// Adds the position after a turn.
    pub(crate) fn note(&mut self, position: &Position) {
        if let Some(keys) = &mut self.keys {
            keys.push(position.position_key());
        }
    }

    /// The outcome of the game if it is over: by the rules, or because `position`, the last one
    /// added, occurs for the third time.
    pub(crate) fn outcome(&self, position: &Position) -> Option<Outcome> {
        position.outcome().or_else(|| self.is_third().then_some(Outcome::Draw))
    }

    /// Why the game is a draw if the last position added occurs for the third time.
    pub(crate) fn ending(&self) -> Option<Ending> {
        self.is_third().then(|| Ending::new("The position occurred for the third time"))
    }

    fn is_third(&self) -> bool {
        let keys = self.keys.as_deref().unwrap_or_default();
        keys.last().is_some_and(|last| keys.iter().filter(|&key| key == last).count() >= 3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::preset;

    #[test]
    fn the_third_occurrence_is_a_draw_if_the_option_is_on() {
        let start = preset("entropy").unwrap().initial();
        let shuttle = ["A4-B4", "A2-B2", "B4-A4", "B2-A2"];
        let turns: Vec<Text> =
            shuttle.iter().cycle().take(8).map(|turn| Text::from(turn).unwrap()).collect();
        let mut position = start;
        for (played, text) in turns.iter().enumerate() {
            let agreed = Threefold::after_turns(true, &start, &turns[..played]);
            assert_eq!(agreed.outcome(&position), None, "after {played} turns");
            parse_turn(&position, text).unwrap().play_on(&mut position);
        }
        let outcome =
            |is_agreed| Threefold::after_turns(is_agreed, &start, &turns).outcome(&position);
        assert_eq!([outcome(true), outcome(false)], [Some(Outcome::Draw), None]);
    }
}
