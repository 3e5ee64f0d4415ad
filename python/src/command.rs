//! The command line.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the program that the words have started, with these arguments, and returns its exit status.
/// For the main thread of a process that ends then.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, words: Vec<OsString>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| tavoliere::run_within(words, arguments))
}
