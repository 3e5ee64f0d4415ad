//! Search without a network: alpha-beta, UCT and proof search.
//!
//! The input is positions and limits, the output is turns, scores and proofs. [`alphabeta`] and
//! [`uct`] are opponents for every game. [`prover`] proves forced wins.
//!
//! Begin with [`prover`], which is the shortest, or with [`alphabeta`].

pub(crate) mod alphabeta;
pub(crate) mod prover;
pub(crate) mod uct;
