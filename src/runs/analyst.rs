//! A player of any kind for a program that knows its game only when it runs.

use anyhow::{Context, Result, bail, ensure};

use super::players::LoadedPlayer;
use super::trained::Trained;
use crate::exact::solution::Solution;
use crate::games::{Outcome, Text};
use crate::play::analysis::{DEFAULT_SIMULATIONS, Query, answer_player_and_solution};
use crate::play::players::{Forfeit, Player, PlayerSeed, PlayerSetup};
use crate::registry::Variant;

/// A player that answers queries as JSON.
pub struct Analyst {
    variant: Variant,
    player: Box<dyn Player>,
}

impl Analyst {
    /// Loads the player that a player spec names, for `game` unless it was trained for one. It
    /// searches on `threads` threads.
    ///
    /// # Errors
    ///
    /// If there is no such player, it does not play the game, or has none and none is given.
    pub fn load(spec: &str, game: Option<&Variant>, seed: u64, threads: usize) -> Result<Self> {
        let loaded = LoadedPlayer::load(spec.parse()?)?;
        let variant = match (loaded.variant(), game) {
            (Some(own), Some(game)) if own != *game => {
                bail!("the player `{spec}` plays {} under rules of its own", own.name)
            }
            (Some(own), _) => own,
            (None, Some(game)) => *game,
            (None, None) => bail!("the player `{spec}` plays many games; name one"),
        };
        let setup = setup(seed, threads);
        let player = loaded.player(&variant, &setup)?;
        Ok(Self { variant, player })
    }

    /// The player with the network and the search of `trained`.
    pub(crate) fn of_trained(trained: &Trained, threads: usize) -> Self {
        let variant = trained.variant;
        let setup = setup(1, threads);
        Self { variant, player: Box::new(trained.network.player(&setup)) }
    }

    /// The game that it plays.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// Answers a query as `tavoliere analyze` does: a JSON object that describes the position, with
    /// the analysis if the player can analyse, or an `error`.
    pub fn answer(&mut self, query: &[u8]) -> String {
        self.answer_with(query, None)
    }

    /// The same, with exact values.
    pub(crate) fn answer_with(&mut self, query: &[u8], solution: Option<&Solution>) -> String {
        answer_player_and_solution(query, &self.variant, &mut *self.player, solution)
    }

    /// The turn that the player plays in the position of a query.
    ///
    /// # Errors
    ///
    /// If the query is not valid, the game is over, or the player resigns.
    pub fn choose(&mut self, query: &[u8]) -> Result<String> {
        let query: Query<'_> = serde_json::from_slice(query).context("the query")?;
        let mut moves: Vec<Text> = Vec::new();
        let start = query.start(&self.variant).map_err(|problem| anyhow::anyhow!(problem.error))?;
        let position = query.position(&self.variant, |turn| moves.push(turn.text));
        let position = position.map_err(|problem| anyhow::anyhow!(problem.error))?;
        let outcome = position.outcome().map(|outcome| match outcome {
            Outcome::Draw => "a draw".to_owned(),
            Outcome::Win(side) => format!("won by {}", side.name(position.first())),
        });
        ensure!(outcome.is_none(), "the game is over: it is {}", outcome.unwrap_or_default());
        self.player.begin_game(query.seed.unwrap_or_default());
        if query.position.is_some() {
            self.player.start_from(&start)?;
        }
        match self.player.choose(&position, &moves) {
            Ok(chosen) => Ok(chosen.turn.text.to_string()),
            Err(Forfeit::Resigned) => bail!("the player resigned"),
            Err(Forfeit::Failed(reason)) => bail!("the player failed: {reason}"),
        }
    }
}

/// How the player of an analyst is made.
pub(crate) fn setup(seed: u64, threads: usize) -> PlayerSetup {
    let seed = PlayerSeed { seed, player: 0 };
    PlayerSetup { seed, simulations: DEFAULT_SIMULATIONS, threads: threads.max(1) }
}
