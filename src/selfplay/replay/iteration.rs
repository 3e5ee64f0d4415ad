//! The games of an iteration, and the index of their positions that are trained on.

use std::sync::Arc;

use crate::selfplay::record::{Choice, GameRecord};

/// A sampled position: a choice in a game.
#[derive(Clone, Copy)]
pub(super) struct Drawn<'a> {
    pub record: &'a GameRecord,
    pub choice: usize,
}

/// The games of an iteration, with an index of the positions that are trained on.
#[derive(Clone, Debug)]
pub(super) struct Iteration {
    pub games: Arc<[GameRecord]>,
    /// For each position its game and its choice.
    places: Vec<(u32, u32)>,
}

impl Iteration {
    pub(super) fn new(games: Vec<GameRecord>) -> Self {
        let mut places = Vec::new();
        for (game, record) in (0..).zip(&games) {
            let trained_on = (0..).zip(&record.choices).filter(|(_, choice)| is_trained_on(choice));
            places.extend(trained_on.map(|(choice, _)| (game, choice)));
        }
        Self { games: games.into(), places }
    }

    /// The number of positions.
    pub(super) fn positions(&self) -> usize {
        self.places.len()
    }

    /// The position with this index.
    pub(super) fn position(&self, index: usize) -> Drawn<'_> {
        let (game, choice) = self.places[index];
        Drawn { record: &self.games[game as usize], choice: choice as usize }
    }
}

fn is_trained_on(choice: &Choice) -> bool {
    choice.search.is_some()
}

/// The number of positions of a game that are trained on.
pub(crate) fn positions_of(game: &GameRecord) -> usize {
    game.choices.iter().filter(|choice| is_trained_on(choice)).count()
}
