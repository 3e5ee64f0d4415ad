//! A batch of training examples, as the learner reads it.

/// A batch of training examples in flat arrays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Examples.
    pub size: usize,
    /// `[size, planes, height, width]`.
    pub observations: Vec<f32>,
    /// `[size, actions]`: the share of each action in the policy of the search.
    pub policy: Vec<f32>,
    /// `[size, actions]`: 0 where the action is legal, a large negative number elsewhere, to be
    /// added to logits.
    pub mask: Vec<f32>,
    /// `[size, 3]`: win, draw, loss for the side to move.
    pub wdl: Vec<f32>,
    /// `[size]`: turns to the end of the game, the one about to be played among them.
    pub moves_left: Vec<f32>,
}

/// What an illegal action's logit is lowered by: enough to have no probability, little enough to
/// stay finite in all arithmetic.
pub const ILLEGAL: f32 = -1e9;
