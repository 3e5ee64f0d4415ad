//! Players and proofs without a network.

pub mod alphabeta;
pub mod foresight;
pub mod prover;
pub mod rollouts;
pub mod solvers;
pub mod uct;
