//! What several tests share. Not every program of tests uses all of it.

#![allow(dead_code)]

pub mod cli;
pub mod duel;
pub mod folder;
pub mod hashed;
#[cfg(feature = "serve")]
pub mod http;
pub mod literal;
#[cfg(feature = "net")]
pub mod networks;
pub mod plain_games;
pub mod positions;
pub mod puct;
pub mod run;
#[cfg(feature = "serve")]
pub mod running;
pub mod searches;
#[cfg(feature = "serve")]
pub mod served;
pub mod trees;
