//! Records of games that were played to their end.

use crate::games::Outcome;
use crate::selfplay::record::{Choice, GameRecord};

/// The record of game 0, which began in the start position and could have been resigned.
pub fn finished(choices: Vec<Choice>, outcome: Outcome, plies: u32) -> GameRecord {
    let (index, position, resigned, played_out) = (0, None, false, false);
    GameRecord { index, position, choices, outcome, plies, resigned, played_out }
}
