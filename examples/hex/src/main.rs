//! The program: Hex with everything that Tavoliere does. `README.md` has the commands.

use std::process::ExitCode;

fn main() -> ExitCode {
    tavoliere::run(hex::games())
}
