//! What several tests of the library share.

pub mod duel;
#[macro_use]
pub mod every_game;
pub mod finished;
#[path = "../../common/folder.rs"]
pub mod folder;
pub mod hashed;
#[cfg(feature = "serve")]
#[path = "../../common/http.rs"]
pub mod http;
pub mod literal;
#[cfg(feature = "net")]
pub mod networks;
pub mod plain_games;
pub mod positions;
pub mod puct;
#[cfg(feature = "serve")]
pub mod running;
pub mod searches;
#[cfg(feature = "serve")]
pub mod served;
pub mod trees;
