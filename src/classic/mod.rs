//! Search without a network: alpha-beta, UCT, proof search, solvers and rollouts.
//!
//! The input is positions and limits, the output is turns, scores and proofs. [`alphabeta`] and
//! [`uct`] are opponents for every game. [`solvers`] solve two small games exactly. [`prover`]
//! proves forced wins. [`root_prover`] runs it at the root of a tree search. [`solution`] finds the
//! values of all positions of a game, [`book`] makes a small proof of who wins from the start.
//! [`rollouts`] evaluates positions by random games.
//!
//! Begin with [`prover`], which is the shortest, or with [`alphabeta`].

pub(crate) mod alphabeta;
pub(crate) mod book;
pub(crate) mod prover;
pub(crate) mod rollouts;
pub(crate) mod root_prover;
pub(crate) mod solution;
pub(crate) mod solvers;
pub(crate) mod uct;
