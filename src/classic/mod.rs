//! Players and proofs without a network.
//!
//! In come positions and limits; out go turns, scores and proofs. [`alphabeta`] and [`uct`] are
//! opponents for every game. [`solvers`] know two small games completely. [`prover`] proves that a side
//! wins within some turns, and [`root_prover`] asks it about the root of a tree search.
//!
//! Begin with [`prover`], which is the shortest, or with [`alphabeta`].

pub mod alphabeta;
pub mod prover;
pub mod rollouts;
pub mod root_prover;
pub mod solvers;
pub mod uct;
