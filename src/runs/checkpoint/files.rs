//! The files of a run's folder, with errors that name their paths.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::base::durable::{checksum, write_whole};
use crate::base::foreign;

/// The names in a folder that are text; none if it cannot be read.
pub(super) fn names_in(folder: &Path) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok())
}

pub(super) fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Ascending numbers as `0, 10, 12 to 20`. Of many ranges the middle is left out.
pub(super) fn ranges(numbers: &[u64]) -> String {
    let runs = numbers.chunk_by(|a, b| b - a == 1).map(|run| match *run {
        [first, _, .., last] => format!("{first} to {last}"),
        [first, last] => format!("{first}, {last}"),
        _ => run[0].to_string(),
    });
    let mut runs: Vec<_> = runs.collect();
    if runs.len() > 8 {
        runs.splice(3..runs.len() - 4, ["...".to_owned()]);
    }
    runs.join(", ")
}

/// Removes a folder, if it exists. Of a link only the link.
pub(super) fn remove_folder(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

pub(super) fn read_text(path: &Path) -> Result<String> {
    foreign::read_text(path, foreign::FEW)
        .with_context(|| format!("cannot read {}", path.display()))
}

pub(super) fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    foreign::read(path, most).with_context(|| format!("cannot read {}", path.display()))
}

pub(super) fn read_verified(path: &Path, most: u64, expected: u32) -> Result<Vec<u8>> {
    let bytes = read(path, most)?;
    ensure!(
        checksum(&bytes) == expected,
        "{} is truncated or damaged: its checksum does not match",
        path.display()
    );
    Ok(bytes)
}

pub(super) fn parse_json<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(bytes)
}

pub(super) fn to_json(value: &impl Serialize) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(value).expect("plain values are JSON");
    text.push(b'\n');
    text
}

pub(super) fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    write_whole(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}
