//! Tests of the library that concern several groups: rules, search, self-play, the network, ratings,
//! the server. They are unit tests, included by `src/lib.rs`.

pub(crate) mod common;

mod alarms;
mod backprop;
mod classical;
mod configs;
mod contract;
mod device;
mod docs;
mod engine;
mod env;
mod exported;
mod gumbel;
mod held_out;
mod infer;
mod ladder;
mod layout;
mod limits;
mod matches;
mod net;
mod notation;
mod observations;
mod perft;
mod picture;
mod players;
mod positions;
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
mod server;
mod server_runs;
mod solvers;
mod stats;
mod uct;
mod variety;
