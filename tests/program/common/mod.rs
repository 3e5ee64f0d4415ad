//! What several tests of the program share.

pub mod cli;
#[path = "../../common/folder.rs"]
pub mod folder;
// The tests end servers by a signal.
#[cfg(all(unix, feature = "serve"))]
#[path = "../../common/http.rs"]
pub mod http;
pub mod live;
#[cfg(feature = "net")]
pub mod run;
#[cfg(all(unix, feature = "serve"))]
pub mod serving;
