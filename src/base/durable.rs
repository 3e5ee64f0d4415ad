//! Atomic file writes, and a file header with a checksum.
//!
//! A file is written under a temporary name, synced, and renamed: readers find the old contents or
//! the new ones, never a part.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Read as _, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::foreign;

/// Why a sealed file is refused. The caller adds the path.
#[derive(Debug, Error)]
pub(crate) enum SealError {
    /// It could not be read.
    #[error("cannot be read")]
    Io(#[from] io::Error),
    /// It does not begin with the magic bytes.
    #[error("is not a tavoliere {kind} file")]
    NotOurs {
        /// The kind of file expected.
        kind: &'static str,
    },
    /// It has another version of the format.
    #[error(
        "has format {found}, this program reads format {expected}; use the version of the program \
         that wrote it"
    )]
    Format {
        /// The format of the file.
        found: u16,
        /// The format that this program reads.
        expected: u16,
    },
    /// It is shorter or longer than its header says.
    #[error("{}", wrong_length(*found, *expected))]
    Length {
        /// Bytes present.
        found: u64,
        /// Bytes expected.
        expected: u64,
    },
    /// Its checksum does not match.
    #[error("is damaged: its checksum does not match")]
    Checksum,
}

fn wrong_length(found: u64, expected: u64) -> String {
    match found < expected {
        true => format!("is truncated: {found} bytes of {expected}"),
        false => format!("is damaged: {found} bytes instead of {expected}"),
    }
}

/// A kind of sealed file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seal {
    /// What the file holds, for error messages.
    pub kind: &'static str,
    /// The first bytes of the file.
    pub magic: [u8; 8],
    /// Version of the payload's format.
    pub format: u16,
}

/// Bytes of the header: magic, format, payload length, payload checksum.
const HEADER: usize = 8 + 2 + 8 + 4;

impl Seal {
    /// Returns a header with the length and checksum of `payload`, followed by `payload`.
    pub(crate) fn seal(&self, payload: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + payload.len());
        bytes.extend(self.magic);
        bytes.extend(self.format.to_le_bytes());
        bytes.extend((payload.len() as u64).to_le_bytes());
        bytes.extend(checksum(payload).to_le_bytes());
        bytes.extend(payload);
        bytes
    }

    /// Reads a sealed file of at most `most` bytes. What its header says is checked before the rest
    /// is read.
    ///
    /// # Errors
    ///
    /// If it cannot be read, is larger, is of another kind or format, or is truncated.
    pub(crate) fn read(&self, path: &Path, most: u64) -> Result<Vec<u8>, SealError> {
        let file = foreign::open(path)?;
        let size = file.metadata()?.len();
        let mut bytes = Vec::new();
        (&file).take(HEADER as u64).read_to_end(&mut bytes)?;
        self.payload_of(&bytes, size)?;
        if size > most {
            return Err(foreign::too_large(most).into());
        }
        bytes.reserve_exact((size as usize).saturating_sub(bytes.len()));
        file.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Returns the payload of the contents of a sealed file.
    ///
    /// # Errors
    ///
    /// If the file is of another kind or format, truncated or damaged.
    pub(crate) fn open<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], SealError> {
        let (sum, payload) = self.payload_of(bytes, bytes.len() as u64)?;
        if checksum(payload) != sum {
            return Err(SealError::Checksum);
        }
        Ok(payload)
    }

    /// Checks the header of a file of `size` bytes, of which these are the first ones. Returns the
    /// checksum and the part of the payload that is there.
    fn payload_of<'a>(&self, bytes: &'a [u8], size: u64) -> Result<(u32, &'a [u8]), SealError> {
        let (magic, rest) =
            bytes.split_at_checked(8).ok_or(SealError::NotOurs { kind: self.kind })?;
        if magic != self.magic {
            return Err(SealError::NotOurs { kind: self.kind });
        }
        let short = || SealError::Length { found: size, expected: HEADER as u64 };
        let (format, rest) = rest.split_first_chunk::<2>().ok_or_else(short)?;
        let (length, rest) = rest.split_first_chunk::<8>().ok_or_else(short)?;
        let (sum, payload) = rest.split_first_chunk::<4>().ok_or_else(short)?;
        let found = u16::from_le_bytes(*format);
        if found != self.format {
            return Err(SealError::Format { found, expected: self.format });
        }
        let expected = u64::from_le_bytes(*length);
        if size.saturating_sub(HEADER as u64) != expected {
            // Both with the header, as the system tells the size of a file.
            return Err(SealError::Length {
                found: size,
                expected: expected.saturating_add(HEADER as u64),
            });
        }
        Ok((u32::from_le_bytes(*sum), payload))
    }
}

/// The CRC-32 of `bytes`.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// Writes a file atomically: even after a crash it has the old contents or the new ones.
///
/// # Errors
///
/// If the disk is full or the folder cannot be written. The old contents are then untouched.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = temporary(path);
    let written = create_new(&temporary).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    if let Err(error) = written {
        // The disk may be full: the partial file would only take up space.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    fs::rename(&temporary, path)?;
    sync_folder_of(path)
}

/// A file that is written piece by piece, beside its place. It takes its name when it is whole.
pub(crate) struct WholeFile {
    file: BufWriter<File>,
    temporary: PathBuf,
    path: PathBuf,
}

impl WholeFile {
    /// Begins a file; a part of an earlier one is replaced.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written.
    pub(crate) fn begin(path: PathBuf) -> io::Result<Self> {
        let temporary = temporary(&path);
        let file = BufWriter::with_capacity(1 << 20, create_new(&temporary)?);
        Ok(Self { file, temporary, path })
    }

    /// Where the file is written.
    pub(crate) fn temporary(&self) -> &Path {
        &self.temporary
    }

    /// Ends the file and gives it its name.
    ///
    /// # Errors
    ///
    /// If the disk is full or the folder cannot be written.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        rename_whole(&self.temporary, &self.path)
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Removes a file, or a link and not what it leads to. It may be gone already.
///
/// # Errors
///
/// If it is there and cannot be removed.
pub(crate) fn remove_file(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Renames a finished folder to its final name, and syncs its parent.
///
/// # Errors
///
/// If it cannot be renamed.
pub(crate) fn rename_whole(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)?;
    sync_folder_of(to)
}

/// Locks a file for as long as it is open, creating it if needed. Returns none if another process
/// holds the lock.
///
/// # Errors
///
/// If the file cannot be created or locked, or is a link or no regular file.
pub(crate) fn lock(path: &Path) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    let file = foreign::open_to_write(path, options.write(true).create(true).truncate(false))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Opens a log for reading and appending. Creates it if it does not exist, and syncs its folder, so
/// that it survives a power cut.
///
/// # Errors
///
/// If it cannot be opened or created, or is a link or no regular file.
pub(crate) fn open_log(path: &Path) -> io::Result<File> {
    let is_new = fs::symlink_metadata(path).is_err();
    let mut options = OpenOptions::new();
    let file = foreign::open_to_write(path, options.read(true).append(true).create(true))?;
    if is_new {
        sync_folder_of(path)?;
    }
    Ok(file)
}

/// Creates a temporary file, in place of one that is there. A link of this name, in a folder from
/// elsewhere, must not be written through.
fn create_new(temporary: &Path) -> io::Result<File> {
    let _ = fs::remove_file(temporary);
    File::create_new(temporary)
}

fn temporary(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".part");
    path.with_file_name(name)
}

/// Syncs the folder that holds `path`; only then does a new name survive a power cut. Does nothing
/// on systems other than Unix, which cannot open folders as files.
///
/// # Errors
///
/// If the folder cannot be synced.
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::common::folder::Folder;

    const SEAL: Seal = Seal { kind: "test", magic: *b"TAVTEST\n", format: 3 };

    #[test]
    fn a_sealed_payload_is_read_back() {
        let bytes = SEAL.seal(b"payload");
        assert_eq!(SEAL.open(&bytes).unwrap(), b"payload");
    }

    #[test]
    fn every_truncation_and_every_flipped_bit_is_noticed() {
        let bytes = SEAL.seal(b"a payload of some length");
        assert!((0..bytes.len()).all(|length| SEAL.open(&bytes[..length]).is_err()));
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(SEAL.open(&damaged).is_err(), "bit {bit}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_through_links() {
        let place = Folder::new();
        let names = ["victim", "lock", "log", "whole.part", "whole"];
        let [victim, lock_file, log, part, whole] = names.map(|name| place.file(name));
        fs::write(&victim, "text").unwrap();
        for link in [&lock_file, &log, &part] {
            std::os::unix::fs::symlink(&victim, link).unwrap();
        }
        assert!(lock(&lock_file).unwrap_err().to_string().contains("symbolic link"));
        assert!(open_log(&log).unwrap_err().to_string().contains("symbolic link"));
        write_whole(&whole, b"whole").unwrap();
        let read = |path| fs::read_to_string(path).unwrap();
        assert_eq!((read(&victim), read(&whole)), ("text".to_owned(), "whole".to_owned()));
        assert!(!whole.is_symlink());
    }

    #[test]
    fn a_wrong_length_is_told_with_the_header() {
        let bytes = SEAL.seal(b"payload");
        let error = |bytes: &[u8]| SEAL.open(bytes).unwrap_err().to_string();
        assert_eq!(error(&bytes[..28]), "is truncated: 28 bytes of 29");
        assert_eq!(error(&[&bytes[..], b"x"].concat()), "is damaged: 30 bytes instead of 29");
    }

    #[test]
    fn a_huge_file_is_refused_by_its_header() {
        let place = Folder::new();
        let path = place.file("sealed");
        let read = |most| SEAL.read(&path, most).unwrap_err().to_string();
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(read(1 << 50), "is not a tavoliere test file");
        fs::write(&path, SEAL.seal(b"payload")).unwrap();
        assert_eq!(SEAL.read(&path, 29).unwrap(), SEAL.seal(b"payload"));
        assert!(SEAL.read(&path, 28).is_err());
        OpenOptions::new().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
        assert!(read(1 << 50).starts_with("is damaged: 1099511627776 bytes instead of 29"));
    }

    #[test]
    fn an_old_format_is_named() {
        let bytes = Seal { format: 2, ..SEAL }.seal(b"");
        let error = SEAL.open(&bytes).unwrap_err().to_string();
        let remedy = "use the version of the program that wrote it";
        assert_eq!(error, format!("has format 2, this program reads format 3; {remedy}"));
    }
}
