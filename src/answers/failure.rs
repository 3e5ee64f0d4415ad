//! Why there is no answer.

use crate::play::analysis::Problem;

/// Why a question has no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The question is wrong.
    Problem(Problem),
    /// The player had no turn, for example within its time.
    Late(String),
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}
