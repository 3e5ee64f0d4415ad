//! Players.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::prelude::*;
use tavoliere::runs::analyst::Analyst;

use crate::{game, wrong};

/// A player of one game. Threads that ask it wait for each other.
#[pyclass(subclass, frozen, module = "tavoliere._native")]
pub(crate) struct Player(Mutex<Analyst>);

impl Player {
    fn analyst(&self) -> MutexGuard<'_, Analyst> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl Player {
    #[new]
    #[pyo3(signature = (spec, game_name, rules, seed, threads))]
    fn new(
        py: Python<'_>,
        spec: &str,
        game_name: Option<&str>,
        rules: &str,
        seed: u64,
        threads: usize,
    ) -> PyResult<Self> {
        let variant = game_name.map(|name| game(name, rules)).transpose()?;
        let load = || Analyst::load(spec, variant.as_ref(), seed, threads);
        py.detach(load).map(Mutex::new).map(Self).map_err(|error| wrong(format!("{error:#}")))
    }

    /// The name of its game.
    #[getter]
    fn game(&self) -> &'static str {
        self.analyst().variant().name
    }

    /// The options of its game, as JSON.
    fn _rules(&self) -> String {
        serde_json::Value::Object(self.analyst().variant().options()).to_string()
    }

    /// Answers a query, both as JSON.
    fn _answer(&self, py: Python<'_>, query: &str) -> String {
        py.detach(|| self.analyst().answer(query.as_bytes()))
    }

    /// The turn that it plays in the position of a query.
    fn _choose(&self, py: Python<'_>, query: &str) -> PyResult<String> {
        let chosen = py.detach(|| self.analyst().choose(query.as_bytes()));
        chosen.map_err(|error| wrong(format!("{error:#}")))
    }
}
