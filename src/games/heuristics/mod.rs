//! Static evaluations by hand: what alpha-beta knows of each game beyond its rules.

mod checkers_gomoku;
mod connect_four;
mod entropy;
mod neutron;
mod susan;

/// How much more one side has of something than the other.
fn difference(own: u32, other: u32) -> i32 {
    own as i32 - other as i32
}
