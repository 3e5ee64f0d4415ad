//! The metrics of a run: an append-only file with one JSON object a line.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

/// Returns a line of metrics: the `values` of a phase of an iteration, with the current time.
pub(crate) fn line(iteration: u64, phase: &str, values: Value) -> Value {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let mut line = json!({ "iteration": iteration, "time": time, "phase": phase });
    if let (Value::Object(line), Value::Object(values)) = (&mut line, values) {
        line.extend(values);
    }
    line
}

/// Appends lines. If the last line was cut off, a newline is written first, so that the new lines
/// stay readable.
///
/// # Errors
///
/// If the file cannot be written.
pub(crate) fn append(path: &Path, lines: &[Value]) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    let mut text = String::new();
    if !ends_with_newline(&mut file)? {
        text.push('\n');
    }
    for line in lines {
        text.push_str(&line.to_string());
        text.push('\n');
    }
    file.write_all(text.as_bytes())?;
    file.sync_data()
}

fn ends_with_newline(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Reads all valid lines of a metrics file; empty if there is no file.
///
/// # Errors
///
/// If the file cannot be read.
pub(crate) fn read(path: &Path) -> io::Result<Vec<Value>> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        file => file?,
    };
    let mut lines = Vec::new();
    for line in BufReader::new(file).split(b'\n') {
        if let Ok(value) = serde_json::from_slice(&line?) {
            lines.push(value);
        }
    }
    Ok(lines)
}
