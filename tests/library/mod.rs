//! Tests of the library that concern several groups: rules, search, self-play, the network,
//! ratings, the server. They are unit tests, included by `src/lib.rs`.

#[macro_use]
pub(crate) mod common;

mod alarms;
mod backprop;
mod classical;
mod configs;
mod contract;
mod device;
mod docs;
mod endings;
mod engine;
mod env;
mod exported;
mod fuzzing;
mod gumbel;
mod held_out;
mod infer;
mod ladder;
mod layout;
mod learner_bytes;
mod limits;
mod local;
mod matches;
mod net;
mod notation;
mod observations;
mod perft;
mod players;
mod position_text;
mod positions;
mod proof_numbers;
mod proofs;
mod properties;
mod prover;
mod records;
mod replay;
mod root_prover;
mod rules_breakthrough;
mod rules_checkers_gomoku;
mod rules_entropy;
mod rules_neutron;
mod rules_susan;
mod rules_text;
mod search;
mod selfplay;
mod server;
mod server_guard;
mod server_limits;
mod server_runs;
mod solvers;
mod stats;
mod trained;
mod uct;
mod unfold;
mod variety;
