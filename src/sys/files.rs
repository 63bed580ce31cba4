//! Files read without waiting, and written so that a crash at any instant leaves the old one or the new one.
//!
//! Invariants: only regular files are read, and no more of one than its reader can use: anything
//! else, such as a pipe or a device, is an error and never waited for. What is created is private to
//! the user (0700 folders, 0600 files); a write is on disk when it returns; a link stays a link, and its
//! target is replaced.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::ports::store::Stamp;

/// The most that is read of a file of deck's own or of its user's, in bytes.
pub const MAX_BYTES: u64 = 1024 * 1024 * 1024;

/// Beginning and end of the names of files that are being written.
const TEMP: (&str, &str) = (".deck-", ".tmp");
/// How old such a file must be to be taken for one that a killed deck left.
const LEFT: Duration = Duration::from_secs(3600);
/// How many links are followed, one after the other.
const MOST_LINKS: usize = 40;

/// Opens a regular file to read it.
///
/// # Errors
/// The system's error, or `InvalidInput` for anything but a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    let no_file = || io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
    // Opening alone does something to some devices.
    if !path.metadata()?.is_file() {
        return Err(no_file());
    }
    // Whatever replaces the file meanwhile is not waited for either.
    let flags = (nix::fcntl::OFlag::O_NONBLOCK | nix::fcntl::OFlag::O_NOCTTY).bits();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(no_file()) }
}

/// What a file is like, to notice that it was written; none if there is none.
pub fn stamp(path: &Path) -> Option<Stamp> {
    let data = path.metadata().ok()?;
    let modified = i128::from(data.mtime()) * 1_000_000_000 + i128::from(data.mtime_nsec());
    Some(Stamp { inode: data.ino(), modified, size: data.len() })
}

/// What is in a regular file.
///
/// # Errors
/// As for [`open`], and `FileTooLarge` when it holds more than `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let words = format!("it is larger than {most} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, words));
    }
    Ok(bytes)
}

/// The text in a regular file.
///
/// # Errors
/// As for [`read`], and `InvalidData` when it isn't UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))
}

/// Where a path leads, link after link; the target need not exist.
///
/// # Errors
/// The system's error, also for links that lead to themselves.
pub fn target(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_owned();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&at) {
            Ok(to) => at = at.parent().map_or_else(|| to.clone(), |dir| dir.join(&to)),
            // Not a link, or nothing.
            Err(e) if matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::NotFound) => {
                return Ok(at);
            }
            Err(e) => return Err(e),
        }
    }
    Err(nix::errno::Errno::ELOOP.into())
}

/// Makes a folder, and those above it, for the user alone.
///
/// # Errors
/// The system's error.
pub fn make_dir(dir: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

/// Replaces `path` with `bytes`, after `before_rename` ran on the finished temporary file. An existing
/// file keeps its permissions; if `path` is a link, its target is replaced.
///
/// # Errors
/// The system's error; the old file is then unchanged.
pub fn replace(path: &Path, bytes: &[u8], before_rename: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let path = target(path)?;
    let dir = path.parent().ok_or_else(|| io::Error::other("no folder to write to"))?;
    let old = path.metadata().ok().filter(std::fs::Metadata::is_file);
    let mode = old.map_or(0o600, |m| m.permissions().mode() & 0o777);
    let mut temp = tempfile::Builder::new().prefix(TEMP.0).suffix(TEMP.1).tempfile_in(dir)?;
    // Shows others that its writer is alive. If files can't be locked, their age is enough.
    let _ = temp.as_file().try_lock();
    temp.as_file().set_permissions(Permissions::from_mode(mode))?;
    temp.write_all(bytes)?;
    temp.as_file().sync_all()?;
    before_rename()?;
    temp.persist(&path).map_err(|e| e.error)?;
    remove_left(dir, SystemTime::now());
    sync_dir(dir)
}

/// Replaces a private file atomically, without waiting for the disk: after a power cut it may be the old one, or empty.
///
/// # Errors
/// The system's error; the old file is then unchanged.
pub fn replace_unsynced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let dir = path.parent().ok_or_else(|| io::Error::other("no folder to write to"))?;
    let mut temp = tempfile::Builder::new().prefix(TEMP.0).suffix(TEMP.1).tempfile_in(dir)?;
    temp.write_all(bytes)?;
    temp.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// Removes what decks that were killed left half written in a folder.
fn remove_left(dir: &Path, now: SystemTime) {
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let is_temp =
            entry.file_name().to_str().is_some_and(|n| n.starts_with(TEMP.0) && n.ends_with(TEMP.1));
        let modified = || entry.metadata().and_then(|m| m.modified()).ok();
        if !is_temp || modified().and_then(|at| now.duration_since(at).ok()).is_none_or(|age| age < LEFT) {
            continue;
        }
        let path = entry.path();
        // A deck that was suspended while it wrote still has it locked.
        if open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
            // What can't be removed harms nothing.
            let _ = std::fs::remove_file(&path);
        }
    }
}

/// Makes a private copy of a regular file, as a whole or not at all.
///
/// # Errors
/// The system's error; nothing is then left of the copy.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let bytes = read(from, MAX_BYTES)?;
    replace(to, &bytes, || Ok(()))
}

/// Adds to a private file in one write, and makes it when there is none.
///
/// # Errors
/// The system's error.
pub fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    open_to_append(path)?.write_all(bytes)
}

/// Opens a private regular file to add to it or to lock it, and makes it when there is none. If others may
/// access one of an older deck, that is ended.
///
/// # Errors
/// The system's error, or `InvalidInput` for anything but a regular file.
pub fn open_to_append(path: &Path) -> io::Result<File> {
    let no_file = || io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
    if path.metadata().is_ok_and(|m| !m.is_file()) {
        return Err(no_file());
    }
    // A pipe that takes the file's place meanwhile, and that nobody reads, is refused, not waited for.
    let flags = (nix::fcntl::OFlag::O_NONBLOCK | nix::fcntl::OFlag::O_NOCTTY).bits();
    let file = OpenOptions::new().append(true).create(true).mode(0o600).custom_flags(flags).open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(no_file());
    }
    if meta.permissions().mode() & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// Makes a rename in `dir` durable.
fn sync_dir(dir: &Path) -> io::Result<()> {
    OpenOptions::new().read(true).open(dir)?.sync_all()
}

/// Makes a new file that others may read as far as the user's programs let them, whole or not at all; fails when it exists.
///
/// # Errors
/// The system's error.
pub fn create_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let dir = path.parent().ok_or_else(|| io::Error::other("no folder to write to"))?;
    // As `open` makes it: the system takes away what the user's mask says.
    let permissions = Permissions::from_mode(0o666);
    let mut temp =
        tempfile::Builder::new().prefix(TEMP.0).suffix(TEMP.1).permissions(permissions).tempfile_in(dir)?;
    let _ = temp.as_file().try_lock();
    temp.write_all(bytes)?;
    temp.as_file().sync_all()?;
    temp.persist_noclobber(path).map_err(|e| e.error)?;
    sync_dir(dir)
}

/// Makes a new private file; fails when it exists.
///
/// # Errors
/// The system's error.
pub fn create_new(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    fn names(dir: &Path) -> Vec<String> {
        let names = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn only_regular_files_are_read_and_no_more_than_is_wanted() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        create_new(&path("file"), b"text", 0o600).unwrap();
        nix::unistd::mkfifo(&path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
        std::os::unix::fs::symlink("/dev/tty", path("device")).unwrap();
        std::os::unix::fs::symlink(path("pipe"), path("link")).unwrap();
        for odd in ["pipe", "device", "link", ""] {
            assert_eq!(read(&path(odd), MAX_BYTES).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{odd}");
        }
        assert_eq!(append(&path("pipe"), b"x").unwrap_err().kind(), io::ErrorKind::InvalidInput);
        assert_eq!(read_text(&path("file"), 4).unwrap(), "text");
        assert_eq!(read(&path("file"), 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert_eq!(read(&path("none"), 3).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn rights_that_a_user_gave_stay_and_a_link_does_too() {
        let dir = tempfile::tempdir().unwrap();
        let (link, between, file) =
            (dir.path().join("config.toml"), dir.path().join("between"), dir.path().join("dotfile"));
        std::os::unix::fs::symlink("between", &link).unwrap();
        std::os::unix::fs::symlink(&file, &between).unwrap();
        replace(&link, b"1", || Ok(())).unwrap();
        assert_eq!(
            (mode(&file), read_text(&file, MAX_BYTES).unwrap().as_str()),
            (0o600, "1"),
            "through nothing"
        );
        std::fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        replace(&link, b"2", || Ok(())).unwrap();
        assert_eq!((mode(&file), read_text(&file, MAX_BYTES).unwrap().as_str()), (0o644, "2"));
        assert!(link.is_symlink() && between.is_symlink());
        std::fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(&link, &file).unwrap();
        assert!(replace(&link, b"3", || Ok(())).is_err(), "a ring of links");
    }

    #[test]
    fn what_a_killed_deck_left_half_written_is_removed_by_another() {
        let dir = tempfile::tempdir().unwrap();
        let make = |name: &str, age: u64| {
            let path = dir.path().join(name);
            create_new(&path, b"half", 0o600).unwrap();
            let file = OpenOptions::new().write(true).open(path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
            file
        };
        make(".deck-old.tmp", 7200);
        make(".deck-new.tmp", 60);
        make(".deck-old.toml", 7200);
        make("old.tmp", 7200);
        let written = make(".deck-held.tmp", 7200);
        written.lock().unwrap();
        replace(&dir.path().join("file"), b"", || Ok(())).unwrap();
        assert_eq!(
            names(dir.path()),
            [".deck-held.tmp", ".deck-new.tmp", ".deck-old.toml", "file", "old.tmp"]
        );
    }

    #[test]
    fn nothing_is_left_of_a_copy_that_fails() {
        let dir = tempfile::tempdir().unwrap();
        // A folder in the way of the copy: it is found out at the very end.
        std::fs::create_dir(dir.path().join("copy")).unwrap();
        create_new(&dir.path().join("file"), b"text", 0o600).unwrap();
        assert!(copy(&dir.path().join("file"), &dir.path().join("copy")).is_err());
        assert_eq!(names(dir.path()), ["copy", "file"]);
    }
}
