//! The rule that a position coming up for the third time is a draw.

use std::fmt;
use std::hash::{Hash, Hasher};

use super::{Action, Colour, Game, Outcome, Repetition, Rules, Side, Spec, Text};
use crate::games::symmetry::{Matrix, Permutation};

/// The most turns of a game under [`Repetition::Draw3`]; what bounds the history kept.
pub const MAX_PLIES: u32 = 512;

/// A game in which the third occurrence of a position is a draw.
///
/// It is another game, whose state includes its history: the game without the rule stays as small
/// and as fast as it was. Positions count at the beginning of a turn. An observation has one more
/// plane, 0 for a new position and 1 for one that came up before.
#[derive(Clone, Copy)]
pub struct Repeating<G> {
    game: G,
    /// Keys of the positions at the beginning of each turn, the present one the last.
    history: [u64; MAX_PLIES as usize + 1],
    length: u16,
    /// How often the present position came up before.
    earlier: u8,
}

impl<G: Game> Repeating<G> {
    fn starting_from(game: G) -> Self {
        let mut start = Self { game, history: [0; MAX_PLIES as usize + 1], length: 0, earlier: 0 };
        start.note_position();
        start
    }

    /// The game without the rule.
    pub(crate) fn without_rule(&self) -> &G {
        &self.game
    }

    /// Keys of the positions at the beginning of each turn so far, the present one the last.
    pub(crate) fn past(&self) -> &[u64] {
        &self.history[..usize::from(self.length)]
    }

    fn note_position(&mut self) {
        let key = self.game.position_key();
        self.earlier = self.past().iter().filter(|&&past| past == key).count() as u8;
        if let Some(slot) = self.history.get_mut(usize::from(self.length)) {
            *slot = key;
            self.length += 1;
        }
    }
}

impl<G: Game> Game for Repeating<G> {
    type Rules = G::Rules;

    const RULES_VERSION: u32 = G::RULES_VERSION;
    const FIRST: Colour = G::FIRST;
    const SPEC: Spec = Spec { planes: G::SPEC.planes + 1, ..G::SPEC };
    const ACTIONS: &'static str = G::ACTIONS;
    const SYMMETRIES: &'static [Matrix] = G::SYMMETRIES;

    fn initial(rules: &Self::Rules) -> Self {
        debug_assert_eq!(rules.repetition(), Repetition::Draw3);
        Self::starting_from(G::initial(rules))
    }

    fn initial_image(rules: &Self::Rules, symmetry: &Permutation) -> Self {
        Self::starting_from(G::initial_image(rules, symmetry))
    }

    fn to_move(&self) -> Side {
        self.game.to_move()
    }

    fn ply(&self) -> u32 {
        self.game.ply()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game.outcome().or((self.earlier >= 2).then_some(Outcome::Draw))
    }

    fn legal_actions(&self, actions: &mut Vec<Action>) {
        if self.outcome().is_some() {
            actions.clear();
        } else {
            self.game.legal_actions(actions);
        }
    }

    fn play(&mut self, action: Action) {
        let ply = self.game.ply();
        self.game.play(action);
        if self.game.ply() > ply {
            self.note_position();
        }
    }

    fn observe(&self, planes: &mut [f32]) {
        let (inner, repeated) = planes.split_at_mut(G::SPEC.observation());
        self.game.observe(inner);
        repeated.fill(f32::from(u8::from(self.earlier > 0)));
    }

    fn planes() -> Vec<&'static str> {
        let mut planes = G::planes();
        planes.push("1 if the position came up before");
        planes
    }

    fn cell_name(&self, cell: usize) -> String {
        self.game.cell_name(cell)
    }

    fn action_text(&self, action: Action) -> Text {
        self.game.action_text(action)
    }

    fn position_key(&self) -> u64 {
        self.game.position_key()
    }
}

impl<G: Game> PartialEq for Repeating<G> {
    fn eq(&self, other: &Self) -> bool {
        self.game == other.game && self.past() == other.past()
    }
}

impl<G: Game> Eq for Repeating<G> {}

impl<G: Game> Hash for Repeating<G> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.game.hash(state);
        self.past().hash(state);
    }
}

impl<G: Game> fmt::Debug for Repeating<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repeating")
            .field("game", &self.game)
            .field("earlier", &self.earlier)
            .finish_non_exhaustive()
    }
}

impl<G: Game> fmt::Display for Repeating<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.game, f)
    }
}
