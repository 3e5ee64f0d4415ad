//! The games, one file each, and what they have in common.

pub mod board;
pub mod env;
mod game;
mod heuristics;
pub mod open_lines;
pub mod picture;
mod spec;
pub mod symmetry;
#[macro_use]
mod table;

mod breakthrough;
mod checkers_gomoku;
mod connect_four;
mod entropy;
pub mod neutron;
mod susan;
mod tic_tac_toe;

pub use breakthrough::{Breakthrough, BreakthroughRules};
pub use checkers_gomoku::{
    CapResult, Capture, CheckersGomoku, CheckersGomokuRules, Overline, PerMove,
};
pub use connect_four::{ConnectFour, ConnectFourRules};
pub use entropy::{Entropy, EntropyGoal, EntropyRules, Rescue};
pub use neutron::{Neutron, NeutronRules};
pub use susan::{Notation, Pie, Susan, SusanRules};
pub use tic_tac_toe::{TicTacToe, TicTacToeRules};

pub use game::*;
pub use table::*;
