//! Files mapped into memory.

#![allow(unsafe_code)]

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// Maps a file of a finished solution into memory.
///
/// # Errors
///
/// If the system cannot map it.
pub(super) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is only read, as bytes of which every value is valid and that are checked
    // before they are used. The program writes such a file under another name and renames it, so
    // it neither changes nor becomes shorter while it is mapped, unless another program does that.
    unsafe { Mmap::map(file) }
}
