//! The readers of foreign bytes, as functions for fuzzing.
//!
//! A target takes any bytes, gives them to a reader and checks what was read: written back and read
//! again it must be the same. A target panics if and only if it has found a fault. The package
//! `fuzz/` runs the targets in libFuzzer, and a test of the library runs each of them with its
//! seeds and with some thousand mutations of them. Targets depend on nothing but their input.

mod folders;
mod games;
mod gtp;
mod scratch;
#[cfg(feature = "serve")]
mod server;
mod texts;
#[cfg(feature = "net")]
mod weights;

/// A target: its name, and the function that takes the input.
pub type Target = (&'static str, fn(&[u8]));

/// The targets that need neither tensors nor a server.
const PLAIN: [Target; 19] = [
    ("config", texts::config),
    ("specs", texts::specs),
    ("analyze", texts::analyze),
    ("run", folders::run),
    ("metrics", folders::metrics),
    ("player", folders::player),
    ("ladder", folders::ladder),
    ("solution", folders::solution),
    ("turns", games::turns),
    ("records", games::records),
    ("text", games::transcripts),
    ("lines", games::transcripts),
    ("abstractplay", games::transcripts),
    ("positions", games::positions),
    ("position", games::position),
    ("book", games::book),
    ("gtp-engine", gtp::engine),
    ("gtp-client", gtp::client),
    ("ugi", gtp::ugi),
];

#[cfg(feature = "net")]
const NET: &[Target] = &[("weights", weights::weights), ("optimizer", weights::optimizer)];
#[cfg(not(feature = "net"))]
const NET: &[Target] = &[];

#[cfg(feature = "serve")]
const SERVE: &[Target] = &[("http", server::http)];
#[cfg(not(feature = "serve"))]
const SERVE: &[Target] = &[];

#[cfg(feature = "bot")]
const BOT: &[Target] = &[("bot", crate::bot::foreign::read)];
#[cfg(not(feature = "bot"))]
const BOT: &[Target] = &[];

/// All targets of this build.
pub fn targets() -> impl Iterator<Item = &'static Target> {
    PLAIN.iter().chain(NET).chain(SERVE).chain(BOT)
}

/// The function of the target with this name, if there is one.
pub fn find(name: &str) -> Option<fn(&[u8])> {
    targets().find(|(known, _)| *known == name).map(|&(_, target)| target)
}
