//! Tests of the library: rules, search, self-play, the network, ratings.

#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;

mod alarms;
mod backprop;
mod classical;
mod contract;
mod docs;
mod env;
mod gumbel;
mod held_out;
mod infer;
mod layout;
mod net;
mod observations;
mod perft;
mod picture;
mod players;
mod proof_numbers;
mod proofs;
mod prover;
mod records;
mod replay;
mod root_prover;
mod rules_breakthrough;
mod rules_checkers_gomoku;
mod rules_entropy;
mod rules_neutron;
mod rules_susan;
mod search;
mod selfplay;
mod solvers;
mod stats;
mod uct;
mod variety;
