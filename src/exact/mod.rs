//! What is known for certain: solvers, solutions of whole games, books and the root prover.
//!
//! [`solvers`] solve two small games exactly. [`solution`] finds the values of all positions of a
//! game, [`book`] makes a small proof of who wins from the start. [`root_prover`] runs a
//! [prover](crate::classic::prover) at the root of a tree search.

pub(crate) mod book;
mod either_side;
pub(crate) mod root_prover;
pub(crate) mod solution;
pub(crate) mod solvers;

pub(crate) use either_side::{EitherSide, Finding};
