//! Hand-written static evaluations of the games, for alpha-beta and bootstrapping.

mod checkers_gomoku;
mod connect_four;
mod entropy;
mod neutron;
mod susan;

/// The signed difference of two counts.
fn difference(own: u32, other: u32) -> i32 {
    own as i32 - other as i32
}
