//! A player as an engine that front ends talk to: [`gtp`] speaks the Go Text Protocol.

mod gtp;
mod session;

pub(crate) use gtp::Engine;
