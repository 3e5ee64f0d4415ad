//! The threads that send turns, each as often as it takes.

use std::time::{Duration, Instant};

use super::client::{Message, Reply};
use super::desk::{Desk, Task, left};
use super::games::{Event, Game, Settlement};
use super::searching::chosen;
use crate::base::progress;

/// The pause after the first attempt. It doubles from one to the next.
const PAUSE: Duration = Duration::from_secs(1);
const MOST_PAUSE: Duration = Duration::from_secs(600);

/// Attempts with a turn that the server refuses, or for which no time is left; over 17 minutes.
const ATTEMPTS: u32 = 11;

/// Sends turns until the bot is stopped.
pub(super) fn send(desk: &Desk) {
    while let Some(task) = desk.sends.due() {
        if let Some(game) = desk.game_of(&task) {
            attempt(desk, &task, &game);
        }
        desk.sends.done();
    }
}

fn attempt(desk: &Desk, task: &Task, game: &Game) {
    let Some(turn) = chosen(game) else { return };
    let (gameid, number) = (task.gameid.clone(), game.moves.len() + 1);
    let (name, turn) = (game.of.name.clone(), turn.to_owned());
    let message = Message { gameid, game: name, turn };
    let reply = desk.client.send(&message);
    let Message { gameid, turn, .. } = message;
    let say = |what: &str| {
        progress::say(&format!(
            "game {gameid} ({}): turn {number}, {turn}, {what}",
            game.of.title()
        ));
    };
    let settle = |how| {
        desk.note(task, |gameid, ply| Event::Settled { gameid, ply, how });
    };
    let is_last = task.tries + 1 >= ATTEMPTS;
    let (reason, is_final) = match reply {
        Reply::Accepted { is_over } => {
            settle(if is_over { Settlement::Over } else { Settlement::Accepted });
            return say(if is_over { "ends the game" } else { "is played" });
        }
        Reply::NotOurTurn => {
            settle(Settlement::NotOurTurn);
            return say(match task.tries {
                0 => "is not sent: it is not the bot's turn, or no longer",
                _ => "is no longer sent: the server has it, or the game has ended",
            });
        }
        Reply::Gone => {
            settle(Settlement::Gone);
            return say("is not sent: the server does not have the game any more");
        }
        Reply::Refused(reason) => (reason, is_last),
        Reply::Failed(reason) => (reason, is_last && left(game).is_zero()),
    };
    let error = format!("turn {number}, {turn}, is not sent: {reason}");
    if !desk.note(task, |gameid, ply| Event::Failed { gameid, ply, error }) {
        // The server has asked for the next turn, so it has this one.
        return;
    }
    if is_final {
        settle(Settlement::GivenUp);
        return say(&format!("is given up: {reason}"));
    }
    let pause = pause(task.tries);
    say(&format!("is not sent: {reason}; again in {} s", pause.as_secs()));
    desk.sends.add(Instant::now() + pause, Task { tries: task.tries + 1, ..task.clone() });
}

/// The pause before the next attempt, by the number of attempts made.
fn pause(tries: u32) -> Duration {
    PAUSE.saturating_mul(2_u32.saturating_pow(tries)).min(MOST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_a_limit() {
        let pauses: Vec<u64> = (0..12).map(|tries| pause(tries).as_secs()).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600]);
        assert_eq!(pause(u32::MAX), MOST_PAUSE);
    }
}
