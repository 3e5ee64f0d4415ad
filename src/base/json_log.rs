//! An append-only file with one JSON value a line.
//!
//! A process that is killed while it appends leaves a line that is cut off. It is skipped, and so is
//! every other line that is not JSON.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde_json::Value;

use super::durable::open_log;
use super::foreign;
use super::lines::read_line;

/// The most bytes of a line; longer ones are skipped.
pub(crate) const MOST_OF_LINE: usize = 256 << 10;

/// Appends lines. If the last line was cut off, a newline is written first, so that the new lines
/// stay readable.
///
/// # Errors
///
/// If the file cannot be written.
pub(crate) fn append(path: &Path, lines: &[Value]) -> io::Result<()> {
    let mut file = open_log(path)?;
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

/// Reads all valid lines of a file; none if it does not exist.
///
/// # Errors
///
/// If the file cannot be read.
pub(crate) fn read(path: &Path) -> io::Result<Vec<Value>> {
    let mut lines = Vec::new();
    each_line(path, |_, line| lines.extend(serde_json::from_slice(line).ok()))?;
    Ok(lines)
}

/// Calls `each` with the number and the bytes of every line of a file; of none if there is no file.
///
/// # Errors
///
/// If the file cannot be read.
pub(crate) fn each_line(path: &Path, mut each: impl FnMut(u64, &[u8])) -> io::Result<()> {
    let file = match foreign::open_up_to(path, foreign::GAMES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file?,
    };
    let (mut file, mut line) = (BufReader::new(file), Vec::new());
    for number in 0.. {
        let Some(length) = read_line(&mut file, &mut line, MOST_OF_LINE)? else { break };
        if length <= MOST_OF_LINE {
            each(number, &line);
        }
    }
    Ok(())
}
