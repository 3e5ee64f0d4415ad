//! Replaces a folder as a whole: the new contents are written aside, then swapped with the old
//! ones.
//!
//! The folder has its old contents or the new ones at any moment, even if the disk is full or the
//! process is killed. Where the system cannot swap two folders at once, the old one is renamed
//! first; [`Staged::begin`] brings it back if the process was killed between the two renames.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::durable::sync_folder_of;

/// New contents of a folder that are not in place yet. They are removed if it is dropped before
/// [`commit`](Self::commit).
pub(crate) struct Staged {
    folder: PathBuf,
    /// The new contents, then the old ones: `.NAME.tavoliere-part` beside the folder.
    aside: PathBuf,
    /// Locks of both folders, which prevent other processes from replacing them.
    locks: Vec<File>,
    committed: bool,
}

impl Staged {
    /// Creates an empty folder beside `folder`. What an earlier process left there is removed.
    ///
    /// # Errors
    ///
    /// If it cannot be created, or another process is replacing the folder.
    pub(crate) fn begin(folder: &Path) -> io::Result<Self> {
        // A link to a folder stays; what it points to is replaced.
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        let aside = beside(&folder, ".tavoliere-part")?;
        if let Some(parent) = aside.parent() {
            fs::create_dir_all(parent)?;
        }
        if fs::symlink_metadata(&aside).is_ok_and(|found| !found.is_dir()) {
            // A link may lead anywhere, and its contents are to be removed.
            fs::remove_file(&aside)?;
        }
        fs::create_dir(&aside).or_else(unless(ErrorKind::AlreadyExists))?;
        let mut locks = lock(&aside)?;
        recover(&folder)?;
        if folder.exists() {
            locks.extend(lock(&folder)?);
        }
        let staged = Self { folder, aside, locks, committed: false };
        for left_over in fs::read_dir(&staged.aside)? {
            remove(&left_over?.path())?;
        }
        Ok(staged)
    }

    /// Where to write the new contents.
    pub(crate) fn path(&self) -> &Path {
        &self.aside
    }

    /// Keeps what the folder holds besides its `own` files.
    ///
    /// # Errors
    ///
    /// If an entry cannot be linked or copied.
    pub(crate) fn keep_others(&self, own: &[&str]) -> io::Result<()> {
        if !self.folder.is_dir() {
            return Ok(());
        }
        fs::set_permissions(&self.aside, fs::metadata(&self.folder)?.permissions())?;
        let is_own = |name: &OsStr| own.iter().any(|own| name == *own);
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if !is_own(&entry.file_name()) {
                duplicate(&entry.path(), &self.aside.join(entry.file_name()))?;
            }
        }
        Ok(())
    }

    /// Puts the new contents in place, and removes the old ones.
    ///
    /// # Errors
    ///
    /// If they cannot be put in place; the folder then has its old contents.
    pub(crate) fn commit(mut self) -> io::Result<()> {
        if cfg!(unix) {
            File::open(&self.aside)?.sync_all()?;
        }
        if !self.folder.exists() {
            fs::rename(&self.aside, &self.folder)?;
        } else if !exchange(&self.aside, &self.folder)? {
            by_two_renames(&self.aside, &self.folder)?;
        }
        self.committed = true;
        sync_folder_of(&self.folder)?;
        // The new contents are in place; old ones that stay are removed by the next process.
        let _ = remove(&self.aside);
        self.locks.clear();
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.committed {
            // The disk may be full: partial contents would only take up space.
            let _ = remove(&self.aside);
        }
    }
}

/// The path of a hidden folder beside `folder`.
fn beside(folder: &Path, ending: &str) -> io::Result<PathBuf> {
    let unnamed = || io::Error::new(ErrorKind::InvalidInput, "the folder has no name");
    let mut name = std::ffi::OsString::from(".");
    name.push(folder.file_name().ok_or_else(unnamed)?);
    name.push(ending);
    Ok(folder.with_file_name(name))
}

/// Brings back the old contents if a process was killed between the two renames.
fn recover(folder: &Path) -> io::Result<()> {
    let old = beside(folder, ".tavoliere-old")?;
    if !old.is_dir() {
        return Ok(());
    }
    match folder.exists() {
        false => fs::rename(&old, folder).and_then(|()| sync_folder_of(folder)),
        true => remove(&old),
    }
}

/// Swaps two folders at once. Returns false if the file system cannot.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn exchange(one: &Path, two: &Path) -> io::Result<bool> {
    use nix::errno::Errno;
    use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};

    match renameat2(AT_FDCWD, one, AT_FDCWD, two, RenameFlags::RENAME_EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::EINVAL | Errno::ENOSYS | Errno::EOPNOTSUPP) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn exchange(_: &Path, _: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Puts `aside` in the place of `folder`; the old contents are at `aside` then. If the second
/// rename fails, the first is undone.
fn by_two_renames(aside: &Path, folder: &Path) -> io::Result<()> {
    let old = beside(folder, ".tavoliere-old")?;
    fs::rename(folder, &old)?;
    sync_folder_of(folder)?;
    if let Err(error) = fs::rename(aside, folder) {
        fs::rename(&old, folder)?;
        return Err(error);
    }
    sync_folder_of(folder)?;
    fs::rename(&old, aside)
}

/// Locks a folder for as long as the files returned are open; none where folders cannot be locked.
fn lock(folder: &Path) -> io::Result<Vec<File>> {
    let Ok(file) = File::open(folder) else { return Ok(Vec::new()) };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(io::Error::new(
            ErrorKind::ResourceBusy,
            "another process is writing there at this moment",
        )),
        _ => Ok(vec![file]),
    }
}

/// Makes `to` the same as `from`: files are linked, or copied where links are impossible.
fn duplicate(from: &Path, to: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(from)?.is_dir() {
        return fs::hard_link(from, to).or_else(|_| fs::copy(from, to).map(drop));
    }
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        duplicate(&entry.path(), &to.join(entry.file_name()))?;
    }
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}

/// Removes a file, a link or a folder with its contents, if it exists.
fn remove(path: &Path) -> io::Result<()> {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|it| it.is_dir());
    let removed = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    removed.or_else(unless(ErrorKind::NotFound))
}

/// Turns an error of this kind into success.
fn unless(kind: ErrorKind) -> impl Fn(io::Error) -> io::Result<()> {
    move |error| if error.kind() == kind { Ok(()) } else { Err(error) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::tests::common::folder::Folder;

    /// All files below a folder, with their text.
    fn files(folder: &Path) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                let inner = files(&path).into_iter();
                found.extend(inner.map(|(inner, text)| (format!("{name}/{inner}"), text)));
            } else {
                found.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
        found
    }

    fn lay(folder: &Path, files: &[(&str, &str)]) {
        for (name, text) in files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    fn written(files: &[(&str, &str)]) -> BTreeMap<String, String> {
        files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect()
    }

    #[test]
    fn a_folder_is_replaced_and_other_files_survive() {
        let place = Folder::new();
        let folder = place.file("player");
        let notes = [("notes.txt", "mine"), ("sub/deep/more.txt", "mine, too")];
        for text in ["one", "two"] {
            let staged = Staged::begin(&folder).unwrap();
            lay(staged.path(), &[("model", text)]);
            staged.keep_others(&["model", "curve"]).unwrap();
            staged.commit().unwrap();
            lay(&folder, &[("curve", "old"), notes[0], notes[1]]);
        }
        let staged = Staged::begin(&folder).unwrap();
        lay(staged.path(), &[("model", "three")]);
        staged.keep_others(&["model", "curve"]).unwrap();
        staged.commit().unwrap();
        assert_eq!(files(&folder), written(&[("model", "three"), notes[0], notes[1]]));
        assert_eq!(fs::read_dir(place.file("")).unwrap().count(), 1, "nothing is left over");
    }

    #[test]
    fn what_is_not_committed_leaves_the_folder_as_it_was() {
        let place = Folder::new();
        let folder = place.file("player");
        lay(&folder, &[("model", "old")]);
        let staged = Staged::begin(&folder).unwrap();
        lay(staged.path(), &[("model", "new")]);
        let busy = Staged::begin(&folder).err().unwrap();
        assert!(busy.to_string().contains("another process"), "{busy}");
        drop(staged);
        assert_eq!(files(&folder), written(&[("model", "old")]));
        assert_eq!(fs::read_dir(place.file("")).unwrap().count(), 1);
    }

    #[test]
    fn left_over_contents_of_a_killed_process_are_removed() {
        let place = Folder::new();
        let folder = place.file("player");
        lay(&place.file(".player.tavoliere-part"), &[("model", "half"), ("sub/x", "y")]);
        let staged = Staged::begin(&folder).unwrap();
        lay(staged.path(), &[("model", "new")]);
        staged.commit().unwrap();
        assert_eq!(files(&folder), written(&[("model", "new")]));
    }

    #[test]
    fn without_a_swap_two_renames_do_and_a_kill_between_them_loses_nothing() {
        let place = Folder::new();
        let [folder, aside, old] =
            ["player", "aside", ".player.tavoliere-old"].map(|name| place.file(name));
        lay(&folder, &[("model", "old")]);
        lay(&aside, &[("model", "new")]);
        by_two_renames(&aside, &folder).unwrap();
        assert_eq!(files(&folder), written(&[("model", "new")]));
        assert_eq!(files(&aside), written(&[("model", "old")]));
        // The second rename fails.
        assert!(by_two_renames(&place.file("nothing"), &folder).is_err());
        assert_eq!(files(&folder), written(&[("model", "new")]));
        // Killed between the renames.
        fs::rename(&folder, &old).unwrap();
        drop(Staged::begin(&folder).unwrap());
        assert_eq!(files(&folder), written(&[("model", "new")]));
        assert!(!old.exists());
        // Killed before the old contents were removed.
        lay(&old, &[("model", "older")]);
        drop(Staged::begin(&folder).unwrap());
        assert_eq!(files(&folder), written(&[("model", "new")]));
        assert!(!old.exists());
    }
}
