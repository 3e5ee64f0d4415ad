//! Tests of the engine for the Go Text Protocol with random commands.

use std::io::Cursor;

use anyhow::Result;
use rand::RngExt;

use crate::base::rng::{Purpose, Rng, stream};
use crate::games::{Outcome, legal_turns, parse_turn};
use crate::play::engine::Engine;
use crate::play::players::{Player, PlayerFactory, PlayerSeed, PlayerSpec};
use crate::registry::{self, Position, Variant};

/// Creates random players.
struct Random;

impl PlayerFactory for Random {
    fn check(&self, _: &Variant) -> Result<()> {
        Ok(())
    }

    fn player(&self, variant: &Variant) -> Result<Box<dyn Player>> {
        match "random".parse()? {
            PlayerSpec::Baseline(baseline) => {
                baseline.player(variant.game(), PlayerSeed { seed: 1, player: 0 })
            }
            other => panic!("{other:?}"),
        }
    }
}

/// The expected state of the game in the engine.
struct Model {
    variant: Variant,
    positions: Vec<Position>,
}

impl Model {
    fn position(&self) -> Position {
        self.positions.last().copied().unwrap_or(self.variant.initial())
    }

    fn colour(&self) -> char {
        let first = self.variant.game().first();
        if self.position().to_move().colour(first) == 'x' { 'b' } else { 'w' }
    }

    fn play(&mut self, turn: &str) -> bool {
        let mut position = self.position();
        let Ok(turn) = parse_turn(&position, turn) else { return false };
        turn.play_on(&mut position);
        self.positions.push(position);
        true
    }

    /// Returns a random command and its response, or `None` if the engine chooses a turn.
    fn command(&mut self, rng: &mut Rng) -> (String, Option<String>) {
        let ok = || Some("=".to_owned());
        let colour = if rng.random_range(0..8) == 0 { 'b' } else { self.colour() };
        let is_right = colour == self.colour() && self.position().outcome().is_none();
        match rng.random_range(0..12) {
            0 => (garbage(rng), Some("? unknown command".to_owned())),
            1 => (format!("play {colour} {}", garbage(rng)), Some("? illegal move".to_owned())),
            2 => match self.positions.pop() {
                Some(_) => ("undo".to_owned(), ok()),
                None => ("undo".to_owned(), Some("? cannot undo".to_owned())),
            },
            3 if rng.random_range(0..8) == 0 => {
                self.positions.clear();
                ("clear_board".to_owned(), ok())
            }
            4 => {
                let first = self.variant.game().first();
                let score = match self.position().outcome() {
                    None => "? cannot score",
                    Some(Outcome::Draw) => "= 0",
                    Some(Outcome::Win(side)) if side.colour(first) == 'x' => "= B+",
                    Some(Outcome::Win(_)) => "= W+",
                };
                ("final_score".to_owned(), Some(score.to_owned()))
            }
            5 if is_right => (format!("genmove {colour}"), None),
            _ => {
                let legal = legal_turns(&self.position());
                let Some(turn) = legal.get(rng.random_range(0..legal.len().max(1))) else {
                    return ("play b 1".to_owned(), Some("? illegal move".to_owned()));
                };
                let legal = is_right && self.play(&turn.text);
                let expected = if legal { "=" } else { "? illegal move" };
                (format!("play {colour} {}", turn.text), Some(expected.to_owned()))
            }
        }
    }
}

/// Returns a word that is neither a command nor a turn, of any bytes that do not end a word.
fn garbage(rng: &mut Rng) -> String {
    let length = rng.random_range(0..12);
    let symbol = |_| char::from(rng.random_range(0..=255u8));
    let word: String = (0..length).map(symbol).filter(|it| !"\n #\t".contains(*it)).collect();
    format!("z{word}")
}

/// Sends 2000 random commands and checks every response and the board after it.
fn check_game(variant: Variant, seed: u64) {
    let mut rng = stream(seed, 0, 0, Purpose::Playout);
    let mut engine = Engine::new(Random, None);
    engine.set_game(variant).unwrap();
    let mut model = Model { variant, positions: Vec::new() };
    for _ in 0..2000 {
        let (command, expected) = model.command(&mut rng);
        let mut output = Vec::new();
        let input: Vec<u8> = format!("{command}\nshowboard\n").chars().map(|it| it as u8).collect();
        engine.converse(Cursor::new(input), &mut output).unwrap();
        let output = String::from_utf8(output).unwrap();
        let (response, board) = output.split_once("\n\n").unwrap();
        match expected {
            Some(expected) => assert_eq!(response, expected, "{command:?}"),
            None => assert!(model.play(response.strip_prefix("= ").unwrap()), "{output}"),
        }
        assert_eq!(board, format!("=\n{}\n\n", model.position()), "after {command:?}");
    }
}

#[test]
fn the_board_follows_the_rules_after_random_commands() {
    for seed in 0..3 {
        check_game(registry::preset("tic_tac_toe").unwrap(), seed);
        check_game(registry::preset("neutron5").unwrap(), seed);
    }
}

#[test]
fn random_bytes_cause_no_panic() {
    let mut rng = stream(1, 0, 1, Purpose::Playout);
    let words = ["play", "genmove", "b", "w", "1", "a1", "boardsize", "time_left", "#", "\r", "9"];
    let mut input = Vec::new();
    for _ in 0..20_000 {
        match rng.random_range(0..4) {
            0 => input.extend((0..rng.random_range(0..20)).map(|_| rng.random_range(0..=255u8))),
            1 => input.push(b'\n'),
            _ => {
                input.extend(words[rng.random_range(0..words.len())].bytes());
                input.push(b' ');
            }
        }
    }
    let mut engine = Engine::new(Random, None);
    engine.set_game(registry::preset("tic_tac_toe").unwrap()).unwrap();
    let mut output = Vec::new();
    engine.converse(Cursor::new(input), &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    let responses: Vec<&str> = output.split_terminator("\n\n").collect();
    assert!(responses.len() > 1000);
    assert!(responses.iter().all(|it| it.starts_with(['=', '?'])), "{output}");
}
