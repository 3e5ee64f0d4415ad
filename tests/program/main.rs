//! Tests of the program and its files: the command line, protocols, the server, runs on disk.

#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;

mod cli;
mod device;
mod engine;
mod exported;
mod external;
mod init_from;
mod ladder;
mod matches;
mod notation;
mod positions;
mod server;
mod server_runs;
mod train;
