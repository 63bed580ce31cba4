//! Files written so that a crash at any instant leaves the old one or the new one.
//!
//! Invariants: private to the user (0700 folders, 0600 files); a write is on disk when it returns.

use std::fs::{DirBuilder, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;

/// Makes a folder, and those above it, for the user alone.
///
/// # Errors
/// The system's error.
pub fn make_dir(dir: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

/// Replaces `path` with `bytes`, after `before_rename` ran on the finished temporary file.
///
/// # Errors
/// The system's error; the old file is then unchanged.
pub fn replace(path: &Path, bytes: &[u8], before_rename: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let dir = path.parent().ok_or_else(|| io::Error::other("no folder to write to"))?;
    let mut temp = tempfile::Builder::new().prefix(".deck-").suffix(".tmp").tempfile_in(dir)?;
    temp.as_file().set_permissions(Permissions::from_mode(0o600))?;
    temp.write_all(bytes)?;
    temp.as_file().sync_all()?;
    before_rename()?;
    temp.persist(path).map_err(|e| e.error)?;
    sync_dir(dir)
}

/// Adds to a private file in one write, and makes it when there is none.
///
/// # Errors
/// The system's error.
pub fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::OpenOptions::new().append(true).create(true).mode(0o600).open(path)?.write_all(bytes)
}

/// Makes a rename in `dir` last.
///
/// # Errors
/// The system's error.
pub fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

/// Makes a new private file; fails when it exists.
///
/// # Errors
/// The system's error.
pub fn create_new(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(bytes)
}
