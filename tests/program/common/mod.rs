//! What several tests of the program share.

pub mod cli;
#[path = "../../common/folder.rs"]
pub mod folder;
#[cfg(feature = "serve")]
#[path = "../../common/http.rs"]
pub mod http;
#[cfg(feature = "net")]
pub mod run;
#[cfg(feature = "serve")]
pub mod serving;
