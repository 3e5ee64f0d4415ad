//! `tavoliere bot` in a program that was built without it.

use anyhow::anyhow;

use super::{Failure, usage};

/// Play as a bot on a server; this program was built without it
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Whatever is wanted
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    _rest: Vec<String>,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        usage(Err(anyhow!(
            "this program was built without bots; `cargo install --path . --features bot` builds \
             one with them"
        )))
    }
}
