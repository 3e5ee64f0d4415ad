//! The command line of Tavoliere; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    tavoliere::cli::run()
}
