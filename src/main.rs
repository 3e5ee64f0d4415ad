//! The command line of Tavoliere. All code is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    tavoliere::run(tavoliere::shipped())
}
