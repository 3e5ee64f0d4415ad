//! The protocols of engines: as an engine that is sent commands, by GTP or UGI, and as a controller of an
//! engine, by GTP.

use std::io::Cursor;
use std::time::Duration;

use anyhow::Result;

use super::texts::Brief;
use crate::play::engine::{Engine, UgiEngine};
use crate::play::players::{Forfeit, Player, PlayerFactory, scripted};
use crate::registry::{self, Variant};

/// Makes players with a few simulations, of any game.
struct Any;

impl PlayerFactory for Any {
    fn check(&self, _: &Variant) -> Result<()> {
        Ok(())
    }

    fn player(&self, _: &Variant) -> Result<Box<dyn Player>> {
        Ok(Box::new(Brief::new()))
    }
}

/// The commands of a controller.
pub(super) fn engine(input: &[u8]) {
    let mut output = Vec::new();
    let mut engine = Engine::new(Any, None);
    engine
        .converse(Cursor::new(input.to_vec()), &mut output)
        .expect("memory can be read and written");
    let text = String::from_utf8(output).expect("responses are text");
    let Some(whole) = text.strip_suffix("\n\n") else { return assert_eq!(text, "") };
    for response in whole.split("\n\n") {
        assert!(response.starts_with(['=', '?']), "{response:?}");
    }
}

/// The words that lines of an engine begin with in UGI.
const UGI_ANSWERS: [&str; 7] =
    ["id ", "option ", "ugiok", "readyok", "info ", "bestmove ", "response "];

/// The commands of a front end that speaks UGI.
pub(super) fn ugi(input: &[u8]) {
    let mut output = Vec::new();
    let mut engine = UgiEngine::new(Any, Some(Duration::from_millis(1)), false);
    engine
        .converse(Cursor::new(input.to_vec()), &mut output)
        .expect("memory can be read and written");
    let text = String::from_utf8(output).expect("answers are text");
    for line in text.lines() {
        assert!(UGI_ANSWERS.iter().any(|start| line.starts_with(start)), "{line:?}");
    }
}

/// The output of an engine. Before it stands a line with the name of the game.
pub(super) fn client(input: &[u8]) {
    let end = input.iter().position(|&byte| byte == b'\n').unwrap_or(input.len());
    let (name, output) = input.split_at(end);
    let name = String::from_utf8_lossy(name);
    let Ok(variant) = registry::preset(name.trim()) else { return };
    play(&variant, output.get(1..).unwrap_or_default());
}

/// Lets the engine play both sides until it fails.
fn play(variant: &Variant, output: &[u8]) {
    let Ok(mut player) = scripted(output, variant) else { return };
    let (mut game, mut moves) = (variant.initial(), Vec::new());
    player.begin_game(0);
    while game.outcome().is_none() {
        match player.choose(&game, &moves) {
            Ok(chosen) => {
                let ply = game.ply();
                chosen.turn.play_on(&mut game);
                assert_eq!(game.ply(), ply + 1);
                moves.push(chosen.turn.text);
            }
            Err(Forfeit::Resigned) => {}
            Err(Forfeit::Failed(reason)) => {
                assert!(!reason.contains('\n') && reason.len() < 1000, "{reason}");
                return;
            }
        }
    }
}
