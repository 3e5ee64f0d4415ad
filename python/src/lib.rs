//! The part of the Python package `tavoliere` that is Rust: the batched environment, players,
//! records and the command line. The part that is Python, in `package/`, has the names that people use.
//!
//! A crate with [`module!`] and the games of its author makes the same package with those.

mod command;
mod env;
mod player;
mod records;

pub use pyo3;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Map, Value};
use tavoliere::registry::{self, Variant};

/// Makes a crate the module of a Python package with these games: `module!(my_game::games());`.
#[macro_export]
macro_rules! module {
    ($games:expr) => {
        /// The rules of the games, players and records.
        #[$crate::pyo3::pymodule(crate = "tavoliere_python::pyo3")]
        fn _native(
            module: &$crate::pyo3::Bound<'_, $crate::pyo3::types::PyModule>,
        ) -> $crate::pyo3::PyResult<()> {
            $crate::fill(module, $games)
        }
    };
}

/// The rules of the games that ship, players and records.
#[cfg(feature = "shipped")]
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    fill(module, tavoliere::shipped())
}

/// Makes these the games of the package, and adds to the module all that it has.
///
/// # Errors
///
/// If there are no games, or a name of one is malformed or there twice.
pub fn fill(
    module: &Bound<'_, PyModule>,
    games: impl IntoIterator<Item = registry::Listing>,
) -> PyResult<()> {
    registry::register(games).map_err(wrong)?;
    module.add_class::<env::BatchEnv>()?;
    module.add_class::<player::Player>()?;
    module.add_function(wrap_pyfunction!(records::read_records, module)?)?;
    module.add_function(wrap_pyfunction!(records::write_record, module)?)?;
    module.add_function(wrap_pyfunction!(games_json, module)?)?;
    module.add_function(wrap_pyfunction!(command::main, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}

/// The games as a JSON array of objects with `name`, `title`, `summary` and `rules`.
#[pyfunction]
fn games_json() -> PyResult<String> {
    let described = |listing: &registry::Listing| -> PyResult<Value> {
        let variant = registry::preset(listing.name).map_err(wrong)?;
        Ok(serde_json::json!({
            "name": listing.name, "title": listing.title, "summary": listing.summary,
            "rules": variant.options(), "rules_version": variant.rules_version(),
        }))
    };
    let all: PyResult<Vec<Value>> = registry::all().iter().map(described).collect();
    Ok(Value::from(all?).to_string())
}

/// The game of this name, with options as a JSON object.
fn game(name: &str, rules: &str) -> PyResult<Variant> {
    let rules: Map<String, Value> = serde_json::from_str(rules).map_err(wrong)?;
    registry::find(name, &rules).map_err(wrong)
}

/// An argument that is wrong.
fn wrong(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}
