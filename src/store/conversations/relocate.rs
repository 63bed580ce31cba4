//! Moving the conversations of a folder to another one.
//!
//! Invariants: a conversation is in the folder that has its log, and that is moved last; a file is whole in one of the two at any
//! time, also where they are on different disks.

use std::io;
use std::path::Path;

use super::disk;
use super::folder::{Folder, failed};
use super::trash::versions;
use crate::domain::talk::TalkId;
use crate::ports::conversations::ConversationsError;
use crate::sys::files;

/// Moves a file that may be on another disk then.
fn move_file(from: &Path, to: &Path) -> io::Result<()> {
    match disk::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            disk::replace(to, &files::read(from, files::MAX_BYTES)?)?;
            disk::remove(from)
        }
        other => other,
    }
}

/// Moves one conversation. To be called under its lock.
pub(super) fn one(from: &Folder, to: &Folder, id: &TalkId) -> Result<(), ConversationsError> {
    for path in versions(from, id).into_iter().chain(from.all(id)) {
        let name = path.file_name().unwrap_or_default();
        move_file(&path, &to.dir.join(name)).map_err(failed("move", &path))?;
        disk::reached("talk-relocating");
    }
    let lock = from.lock(id);
    disk::remove(&lock).map_err(failed("remove", &lock))
}

/// Moves what was removed, and takes the folder away.
pub(super) fn rest(from: &Folder, to: &Folder) -> Result<(), ConversationsError> {
    for entry in std::fs::read_dir(from.trash()).into_iter().flatten().flatten() {
        let place = to.trash().join(entry.file_name());
        files::make_dir(&place).map_err(failed("create", &place))?;
        for file in std::fs::read_dir(entry.path()).into_iter().flatten().flatten() {
            let path = file.path();
            move_file(&path, &place.join(file.file_name())).map_err(failed("move", &path))?;
        }
        std::fs::remove_dir(entry.path()).map_err(failed("remove", &entry.path()))?;
    }
    // What is left are locks of conversations that are gone, and the rule for git. A folder with anything else stays.
    let names = std::fs::read_dir(&from.dir).into_iter().flatten().flatten();
    for entry in names {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == ".gitignore" || name.starts_with("lock_") {
            disk::remove(&entry.path()).map_err(failed("remove", &entry.path()))?;
        }
    }
    for dir in [from.trash(), from.dir.clone(), from.root.join(".deck")] {
        match std::fs::remove_dir(&dir) {
            Err(error)
                if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty) =>
            {
                return Err(failed("remove", &dir)(error));
            }
            _ => {}
        }
    }
    Ok(())
}
