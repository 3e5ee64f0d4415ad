//! The threads that search for turns.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use anyhow::{Context, Result};

use super::desk::{Desk, Task};
use super::games::{Event, Game, Progress};
use super::players::{Chosen, replayed};
use crate::base::durable::checksum;
use crate::base::progress;
use crate::play::notation::abstractplay;
use crate::play::players::{Forfeit, Player};

/// The players of a thread. Each is made when its game is played for the first time.
#[derive(Default)]
struct Seats(Vec<(Chosen, Box<dyn Player>)>);

impl Seats {
    fn player(&mut self, desk: &Desk, chosen: Chosen) -> Result<&mut dyn Player> {
        let known = self.0.iter().position(|(other, _)| *other == chosen);
        let index = match known {
            Some(index) => index,
            None => {
                self.0.push((chosen, desk.players.player(chosen)?));
                self.0.len() - 1
            }
        };
        Ok(&mut *self.0[index].1)
    }
}

/// Searches for turns until the bot is stopped.
pub(super) fn search(desk: &Desk) {
    let mut seats = Seats::default();
    while let Some(task) = desk.searches.first() {
        if let Some(game) = desk.game_of(&task) {
            let found = catch_unwind(AssertUnwindSafe(|| turn(desk, &mut seats, &task, &game)));
            let found = found.unwrap_or_else(|_| {
                // Whatever state the players are in.
                seats = Seats::default();
                Err(anyhow::anyhow!("the search panicked"))
            });
            report(desk, &task, &game, found);
        }
        desk.searches.done();
    }
}

/// The turn for a game, as the server writes it.
fn turn(desk: &Desk, seats: &mut Seats, task: &Task, game: &Game) -> Result<String> {
    let chosen = desk.players.find(&game.of)?;
    let (position, moves) = replayed(&chosen.variant, &game.moves)?;
    let player = seats.player(desk, chosen)?;
    // Its random numbers differ from game to game, and not from one start to the next.
    player.begin_game(u64::from(checksum(task.gameid.as_bytes())));
    player.set_time(Some(desk.time_for(game)));
    let found = player.choose_while(&position, &moves, &|| true);
    let turn = found.map_err(|forfeit| match forfeit {
        Forfeit::Resigned => anyhow::anyhow!("the player resigned"),
        Forfeit::Failed(reason) => anyhow::anyhow!(reason),
    });
    let turn = turn.context("no turn was found")?.turn;
    Ok(abstractplay::their_turn(&turn.text, &chosen.variant))
}

/// Writes a turn to the journal and lets it be sent.
fn report(desk: &Desk, task: &Task, game: &Game, found: Result<String>) {
    match found {
        Ok(turn) => {
            let is_due = desk.note(task, |gameid, ply| Event::Chosen { gameid, ply, turn });
            if is_due {
                desk.sends.add(Instant::now(), task.clone());
            }
        }
        Err(error) => {
            let error = format!("{error:#}");
            let Task { gameid, .. } = task;
            progress::say(&format!("game {gameid} ({}): {error}", game.of.title()));
            // The next start tries it again, perhaps with another player.
            desk.note(task, |gameid, ply| Event::Failed { gameid, ply, error });
        }
    }
}

/// The turn of a game that is to be sent.
pub(super) fn chosen(game: &Game) -> Option<&str> {
    match &game.progress {
        Progress::Chosen(turn) => Some(turn),
        Progress::Waiting | Progress::Settled(..) => None,
    }
}
