//! Batches of training examples.

/// A batch of training examples in flat arrays.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Batch {
    /// Number of examples.
    pub size: usize,
    /// `[size, planes, height, width]`.
    pub observations: Vec<f32>,
    /// `[size, actions]`: the policy target.
    pub policy: Vec<f32>,
    /// `[size, actions]`: 0 for legal actions, [`ILLEGAL`] for others; it is added to the logits.
    pub mask: Vec<f32>,
    /// `[size, 3]`: target of win, draw and loss for the side to move.
    pub wdl: Vec<f32>,
    /// `[size]`: number of turns to the end of the game, including the next one.
    pub moves_left: Vec<f32>,
}

/// Added to the logit of an illegal action: low enough for a probability of 0, yet finite in all
/// arithmetic.
pub(crate) const ILLEGAL: f32 = -1e9;
