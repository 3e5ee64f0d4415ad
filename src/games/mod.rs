//! The rules of the games, and their common interface.
//!
//! The input is the options of a game ([`Rules`]) and actions or the text of turns. The output is
//! positions, legal actions, outcomes, observations and boards as text. [`find`] looks up a game by
//! name and returns its [`Variant`], [`with_variant!`](crate::with_variant) calls generic code for
//! it, and [`env::BatchEnv`] steps many games at once ([`any_env`] those of a game chosen by name).
//!
//! Begin with [`Game`], the trait that everything else is generic over. Then read one game from top
//! to bottom (`connect_four.rs` or `breakthrough.rs`) and the table of games (`table.rs`).

pub(crate) mod board;
pub mod env;
mod game;
mod heuristics;
mod layout;
pub(crate) mod open_lines;
pub(crate) mod picture;
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

pub use game::*;
pub use layout::{Layout, Placement};
pub use position::{PositionError, Setup};
