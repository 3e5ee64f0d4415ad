//! Game records.

use pyo3::prelude::*;
use serde_json::{Map, Value};
use tavoliere::play::analysis::Problem;
use tavoliere::play::record_json::{read, write};

use crate::wrong;

/// The games of a record in any format, as a JSON array.
#[pyfunction]
pub(crate) fn read_records(py: Python<'_>, text: &[u8]) -> PyResult<String> {
    let games = py.detach(|| read(text)).map_err(refused)?;
    Ok(Value::Array(games).to_string())
}

/// A game as text. The JSON object has the format and the fields of a query.
#[pyfunction]
pub(crate) fn write_record(object: &str) -> PyResult<String> {
    let object: Map<String, Value> = serde_json::from_str(object).map_err(wrong)?;
    write(object).map_err(refused)
}

fn refused(problem: Problem) -> PyErr {
    wrong(problem.error)
}
