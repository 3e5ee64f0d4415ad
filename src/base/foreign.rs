//! Files that somebody else may have made: those of runs, players, ladders and solutions.
//!
//! A folder from elsewhere may hold anything in place of a file: a pipe that never ends, a device,
//! a link to either, or a file larger than the memory. Only regular files are opened, and only up
//! to a size that its kind can have. Where something is written, no link is followed at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Error, Read as _};
use std::path::Path;

/// The most bytes of a file with a few numbers: `latest`, checksums, the state of a run.
pub(crate) const FEW: u64 = 1 << 20;

/// The most bytes of a text that people write: a config, the rules of a game.
pub(crate) const TEXT: u64 = 256 << 10;

/// The most bytes of a list: levels, ratings, a rating curve, a licence.
pub(crate) const LIST: u64 = 16 << 20;

/// The most bytes of a file of games, of metrics, or of a log.
pub(crate) const GAMES: u64 = 1 << 30;

/// Opens a regular file for reading, without waiting for anything.
///
/// # Errors
///
/// If it cannot be opened, or is a folder, a pipe, a device or a socket.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    // Opening a device may do something, so that this is looked at first.
    expect_regular(&fs::metadata(path)?)?;
    let file = without_waiting(OpenOptions::new().read(true)).open(path)?;
    expect_regular(&file.metadata()?)?;
    Ok(file)
}

/// As [`open`], for a file of at most `most` bytes.
///
/// # Errors
///
/// As [`open`], and if it is larger.
pub(crate) fn open_up_to(path: &Path, most: u64) -> io::Result<File> {
    let file = open(path)?;
    expect_size(&file, most)?;
    Ok(file)
}

/// Checks that a file has at most `most` bytes.
///
/// # Errors
///
/// If it is larger.
pub(crate) fn expect_size(file: &File, most: u64) -> io::Result<()> {
    if file.metadata()?.len() > most { Err(too_large(most)) } else { Ok(()) }
}

/// Reads a regular file of at most `most` bytes.
///
/// # Errors
///
/// As [`open_up_to`].
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open_up_to(path, most)?;
    let mut bytes = Vec::with_capacity(file.metadata()?.len() as usize + 1);
    // It may grow while it is read.
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_large(most)) } else { Ok(bytes) }
}

/// As [`read`], for a text.
///
/// # Errors
///
/// As [`read`], and if it is not UTF-8.
pub(crate) fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let bytes = read(path, most)?;
    String::from_utf8(bytes).map_err(|_| Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

/// Checks that something that is written to or removed is no link: in a folder from elsewhere it
/// may lead anywhere. What does not exist is no link.
///
/// # Errors
///
/// If it is one.
pub(crate) fn expect_no_link(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => {
            let what = "is a symbolic link, which may lead out of its folder; put what it leads to \
                        in its place";
            Err(Error::other(format!("{} {what}", path.display())))
        }
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Opens a regular file to be written, with these options, and no link.
///
/// # Errors
///
/// If it cannot be opened, or is no regular file.
pub(crate) fn open_to_write(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    expect_no_link(path)?;
    match fs::metadata(path) {
        Ok(found) => expect_regular(&found)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let file = without_waiting(options).open(path)?;
    expect_regular(&file.metadata()?)?;
    Ok(file)
}

#[cfg(unix)]
fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;

    options.custom_flags(nix::libc::O_NONBLOCK | nix::libc::O_NOCTTY)
}

#[cfg(not(unix))]
fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

fn expect_regular(found: &fs::Metadata) -> io::Result<()> {
    if found.is_file() {
        return Ok(());
    }
    let kind = if found.is_dir() { "a folder" } else { "a pipe, a device or a socket" };
    Err(Error::other(format!("it is {kind}, not a file")))
}

/// The error about a file of more than `most` bytes.
pub(crate) fn too_large(most: u64) -> Error {
    let most = match most >> 20 {
        0 => format!("{} KiB", most >> 10),
        mebibytes => format!("{mebibytes} MiB"),
    };
    Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {most}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::common::folder::Folder;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let place = Folder::new();
        let path = place.file("file");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read_text(&path, 5).unwrap(), "12345");
        assert!(read(&path, 4).unwrap_err().to_string().contains("larger than"));
        fs::write(&path, b"\xff").unwrap();
        assert!(read_text(&path, 5).unwrap_err().to_string().contains("UTF-8"));
        // A sparse file takes no memory.
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let error = read(&path, LIST).unwrap_err();
        assert_eq!(error.to_string(), "it is larger than 16 MiB");
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_refused_at_once() {
        use std::os::unix::fs::symlink;
        use std::os::unix::net::UnixListener;

        let place = Folder::new();
        let names = ["pipe", "link to a pipe", "device", "socket", "folder"];
        let [pipe, link, device, socket, folder] = names.map(|name| place.file(name));
        let mode = nix::sys::stat::Mode::S_IRWXU;
        nix::unistd::mkfifo(&pipe, mode).unwrap();
        symlink(&pipe, &link).unwrap();
        symlink("/dev/zero", &device).unwrap();
        let _listener = UnixListener::bind(&socket).unwrap();
        fs::create_dir(&folder).unwrap();
        for path in [&pipe, &link, &device, &socket, &folder] {
            let error = read(path, FEW).unwrap_err().to_string();
            assert!(error.contains("not a file"), "{error}");
            let written = open_to_write(path, OpenOptions::new().append(true).create(true));
            let error = written.unwrap_err().to_string();
            assert!(error.contains("not a file") || error.contains("symbolic link"), "{error}");
        }
        assert!(open(&place.file("none")).is_err_and(|it| it.kind() == io::ErrorKind::NotFound));
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_through_a_link() {
        let place = Folder::new();
        let [victim, link, dangling] = ["victim", "link", "dangling"].map(|name| place.file(name));
        fs::write(&victim, "text").unwrap();
        std::os::unix::fs::symlink(&victim, &link).unwrap();
        std::os::unix::fs::symlink(place.file("nothing"), &dangling).unwrap();
        for path in [&link, &dangling] {
            let opened = open_to_write(path, OpenOptions::new().write(true).create(true));
            assert!(opened.unwrap_err().to_string().contains("symbolic link"));
        }
        assert!(!place.file("nothing").exists());
        assert_eq!(fs::read_to_string(&victim).unwrap(), "text");
        assert!(expect_no_link(&victim).is_ok() && expect_no_link(&place.file("none")).is_ok());
    }
}
