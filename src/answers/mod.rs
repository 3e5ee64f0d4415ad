//! Answers to the questions of the page, whoever brings them: the server over HTTP, or a page that
//! has no server.
//!
//! In come paths and JSON objects as docs/serve.md describes them; out go JSON objects or a
//! [`Failure`]. [`boards`] describes games and positions with all that is drawn, [`rulebooks`] the
//! rules, [`listing`] the players that are offered, and [`player`] asks one of them. [`local`] puts
//! them together for a page without a server, which knows the players that it was given; [`page`]
//! is what JavaScript calls.
//!
//! Begin with [`local`]: it is the interface in a page of code.

pub(crate) mod boards;
mod failure;
pub(crate) mod listing;
pub mod local;
pub mod page;
pub(crate) mod player;
pub(crate) mod rulebooks;

pub(crate) use failure::Failure;
