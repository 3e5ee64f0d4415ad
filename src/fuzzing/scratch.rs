//! Inputs that consist of several files, and a folder for them.
//!
//! Such an input is text: a line `==== NAME` begins the file NAME, whose bytes end before the line
//! break in front of the next such line. What comes before the first one is ignored.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The beginning of the line that names a file.
const MARK: &[u8] = b"==== ";

/// The files of an input, by their names.
pub(super) fn files(input: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for line in input.split_inclusive(|&byte| byte == b'\n') {
        match line.strip_prefix(MARK) {
            Some(name) => {
                close(&mut files);
                files.push((String::from_utf8_lossy(name).trim_end().to_owned(), Vec::new()));
            }
            None => {
                if let Some((_, bytes)) = files.last_mut() {
                    bytes.extend_from_slice(line);
                }
            }
        }
    }
    files
}

/// Removes the line break in front of the next mark from the last file.
fn close(files: &mut [(String, Vec<u8>)]) {
    if let Some((_, bytes)) = files.last_mut()
        && bytes.last() == Some(&b'\n')
    {
        bytes.pop();
    }
}

/// A folder of its own for an input, removed at its end.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("tavoliere-fuzz-{}-{number}", std::process::id());
        // In memory, if possible: some readers sync what they write.
        let memory = Some(PathBuf::from("/dev/shm")).filter(|path| path.is_dir());
        let folder = memory.unwrap_or_else(std::env::temp_dir).join(name);
        fs::create_dir_all(&folder).expect("the folder for temporary files can be written");
        Self(folder)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file, in a folder below if the name has one.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.0.join(name);
        let folder = path.parent().expect("a file is in a folder");
        fs::create_dir_all(folder).expect("the folder for temporary files can be written");
        fs::write(path, bytes).expect("the folder for temporary files can be written");
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
