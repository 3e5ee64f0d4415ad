//! The rules of the games, and their common interface.
//!
//! The input is the options of a game ([`Rules`]) and actions or the text of turns. The output is
//! positions, legal actions, outcomes, observations and boards as text. [`env::BatchEnv`] steps
//! many games at once.
//!
//! Begin with [`Game`], the trait that a game implements. Then read one game from top to bottom
//! (`connect_four.rs` or `breakthrough.rs`). The group `registry` has positions of any game and the
//! table of games.

pub mod board;
pub mod env;
mod game;
mod heuristics;
mod layout;
pub(crate) mod open_lines;
pub mod picture;
mod position;
mod spec;
pub mod symmetry;

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

pub use crate::base::rng::mix;
pub use game::*;
pub use layout::{Layout, Placement};
pub use position::{PositionError, Setup, fitting_ply};
