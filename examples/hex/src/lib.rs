//! Hex, for the program, for a page without a server, and for Python.

mod hex;
#[cfg(test)]
mod tests;

use hex::{Hex, HexRules};
use tavoliere::{Listing, game};

// Built as WebAssembly, this crate is the program of such a page.
tavoliere::page!(games());

/// The game on `N` by `N` cells. Names equal up to the number are a family, with one text of rules.
fn on<const N: usize>(name: &'static str, title: &'static str, summary: &'static str) -> Listing {
    game::<Hex<N>>(name, HexRules::default(), title, summary)
}

/// The games, by size.
pub fn games() -> [Listing; 4] {
    [
        on::<5>("hex5", "Hex 5x5", "connect your two sides of a rhombus, 5x5")
            .rules_text(include_str!("hex.md"))
            .preset(include_str!("../hex5.toml")),
        on::<7>("hex7", "Hex 7x7", "connect your two sides of a rhombus, 7x7")
            .preset(include_str!("../hex7.toml")),
        on::<9>("hex9", "Hex 9x9", "connect your two sides of a rhombus, 9x9")
            .preset(include_str!("../hex9.toml")),
        on::<11>("hex11", "Hex 11x11", "connect your two sides of a rhombus, 11x11"),
    ]
}
