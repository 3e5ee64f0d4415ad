//! A game with its name and its options.

use std::fmt;

use serde_json::{Map, Value};

use super::any_env::AnyEnv;
use super::erased::Erased;
use super::game_type::{AnyRules, GameType};
use super::position::Position;
use super::preset;
use crate::games::picture::{Labels, Picture};
use crate::games::symmetry::Permutation;
use crate::games::{
    Layout, Placement, PositionError, RulesError, Setup, Side, Spec, Turn, TurnError, replay_from,
};

/// A game with its name and its options.
#[derive(Clone, Copy)]
pub struct Variant {
    /// The name of the game in the table.
    pub name: &'static str,
    game: GameType,
    /// The options of the preset, with overrides.
    rules: AnyRules,
}

impl Variant {
    /// The game `G` with these options, under a name of its own.
    pub fn new<G: Picture>(name: &'static str, rules: G::Rules) -> Self {
        Self { name, game: GameType::of::<G>(), rules: Erased::new(rules) }
    }

    /// The type of the game.
    pub fn game(&self) -> GameType {
        self.game
    }

    /// The options, if the game is of the type `G`.
    pub(crate) fn typed<G: Picture>(&self) -> Option<&G::Rules> {
        (self.game == GameType::of::<G>()).then(|| self.rules.get())
    }

    /// The start position.
    pub fn initial(&self) -> Position {
        self.game.methods().initial(&self.rules)
    }

    /// The image of the start position under a symmetry of the game. No game starts from it.
    pub(crate) fn initial_image(&self, symmetry: &Permutation) -> Position {
        self.game.methods().initial_image(&self.rules, symmetry)
    }

    /// The position with this text, or the start position without one.
    ///
    /// # Errors
    ///
    /// If the text is malformed or does not fit the rules.
    pub fn position(&self, text: Option<&str>) -> Result<Position, PositionError> {
        match text {
            Some(text) => self.game.methods().position_of_text(&self.rules, text),
            None => Ok(self.initial()),
        }
    }

    /// Checks a position as it is written.
    ///
    /// # Errors
    ///
    /// If the pieces, the side to move and the counters do not fit the rules.
    pub(crate) fn position_of_setup(&self, setup: &Setup) -> Result<Position, PositionError> {
        self.game.methods().position_of_setup(&self.rules, setup)
    }

    /// The position after `moves`, played from the start. Calls `look` with every turn.
    ///
    /// # Errors
    ///
    /// The index of the first illegal move, and what is wrong with it.
    pub fn replay<S: AsRef<str>>(
        &self,
        moves: &[S],
        look: impl FnMut(&Turn),
    ) -> Result<Position, (usize, TurnError)> {
        replay_from(self.initial(), moves, look)
    }

    /// How a solver numbers the positions, whatever the limits on the length of a game.
    ///
    /// # Errors
    ///
    /// Why it cannot, as the end of a sentence about the game with these rules.
    pub(crate) fn layout(&self) -> Result<Layout, &'static str> {
        self.game.methods().layout(&self.rules)
    }

    /// The position with these sets and this side to move, early in a game. `None` if the game does
    /// not number its positions, or this is none of them.
    pub(crate) fn position_of(&self, placement: &Placement, to_move: Side) -> Option<Position> {
        self.game.methods().position_of(&self.rules, placement, to_move)
    }

    /// The sizes of the observation and the action space.
    pub fn spec(&self) -> &'static Spec {
        self.game.spec()
    }

    /// The version of the rules.
    pub fn rules_version(&self) -> u32 {
        self.game.rules_version()
    }

    /// The maximum number of turns of a game. 0 if there is no bound.
    pub fn longest_game(&self) -> u32 {
        self.game.methods().longest_game(&self.rules)
    }

    /// The same game without the limit `max_plies`.
    pub(crate) fn uncapped(&self) -> Self {
        Self { rules: self.game.methods().uncapped(&self.rules), ..*self }
    }

    /// The same game with other options.
    ///
    /// # Errors
    ///
    /// If there is no such option, or its value has the wrong type or is out of range.
    pub fn overridden(&self, changes: &Map<String, Value>) -> Result<Self, RulesError> {
        Ok(Self { rules: self.game.methods().overridden(&self.rules, changes)?, ..*self })
    }

    /// The same game with the default options of its type, which are not always those of its
    /// preset.
    pub(crate) fn by_default(&self) -> Self {
        Self { rules: self.game.methods().default_rules(), ..*self }
    }

    /// Whether the options are the same.
    pub(crate) fn has_rules_of(&self, other: &Self) -> bool {
        self.game.methods().rules_are_equal(&self.rules, &other.rules)
    }

    /// All options of the rules, by name.
    pub fn options(&self) -> Map<String, Value> {
        self.game.methods().rules_json(&self.rules)
    }

    /// All options as JSON, in the order in which the game has them.
    pub(crate) fn options_text(&self) -> String {
        self.game.methods().rules_text(&self.rules)
    }

    /// The options that differ from those of the game's preset; all of them if the table has no
    /// such game.
    pub fn changed_options(&self) -> Map<String, Value> {
        let preset = preset(self.name).map(|preset| preset.options()).unwrap_or_default();
        let mut options = self.options();
        options.retain(|option, value| preset.get(option) != Some(value));
        options
    }

    /// The labels beside the board.
    pub(crate) fn labels(&self) -> Labels {
        self.game.methods().labels(&self.rules)
    }

    /// The names of all cells, in the order of [`GameType::cells`].
    pub(crate) fn cell_names(&self) -> Vec<String> {
        // The first player sees the board as it is printed.
        let start = self.initial();
        self.game.cells().into_iter().map(|cell| start.cell_name(cell)).collect()
    }

    /// Starts `batch` games; `seed` is that of the random actions.
    pub fn env(&self, batch: usize, seed: u64) -> Box<dyn AnyEnv> {
        self.game.methods().env(&self.rules, batch, seed)
    }
}

impl PartialEq for Variant {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.has_rules_of(other)
    }
}

impl fmt::Debug for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.name)?;
        self.game.methods().rules_debug(&self.rules, f)
    }
}
