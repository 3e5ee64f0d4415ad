//! A player as an engine that front ends talk to: [`gtp`] speaks the Go Text Protocol, [`ugi`] the
//! Universal Game Interface.

mod gtp;
mod session;
mod ugi;

pub(crate) use gtp::Engine;
pub(crate) use ugi::UgiEngine;
