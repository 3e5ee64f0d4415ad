//! Tests of the program and its files: the command line, protocols, runs on disk. They run the
//! program and use nothing of the library, so they compile in seconds.

#![allow(clippy::unwrap_used, unreachable_pub)]

mod common;

mod bot;
mod cli;
mod cluster;
mod device;
mod digest;
mod engine;
mod exported;
mod external;
mod foreign_files;
mod init_from;
mod installed;
mod ladder;
mod levels;
mod matches;
mod new;
mod planned;
mod play;
mod positions;
mod prune;
mod records;
mod review;
mod serve;
mod signals;
#[cfg(feature = "serve")]
mod site;
mod solve;
mod streams;
mod sweep;
mod train;
