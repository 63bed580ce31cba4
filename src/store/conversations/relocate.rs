//! Moving the conversations of a folder to another one.
//!
//! Invariants: a conversation is where its log is. All of it is copied, the log last, before anything of it is removed, the log
//! first: whenever that is cut off it is whole in one of the two folders, and moving it again completes it.

use std::io;
use std::path::Path;

use super::disk;
use super::folder::{Folder, failed};
use super::trash::versions;
use crate::domain::talk::TalkId;
use crate::ports::conversations::ConversationsError;
use crate::sys::files;

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    match files::read(from, files::MAX_BYTES) {
        Ok(bytes) => disk::replace(to, &bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    let read = |path: &Path| files::read(path, files::MAX_BYTES).ok();
    read(one).is_some_and(|bytes| read(other) == Some(bytes))
}

/// Whether a conversation would replace another one; a copy of itself is none.
pub(super) fn collides(from: &Folder, to: &Folder, id: &TalkId) -> bool {
    to.log(id).exists() && !is_same(&from.log(id), &to.log(id))
}

/// Moves one conversation. To be called under its lock.
pub(super) fn one(from: &Folder, to: &Folder, id: &TalkId) -> Result<(), ConversationsError> {
    // The log is the last of all.
    let all: Vec<_> = versions(from, id).into_iter().chain(from.all(id)).collect();
    let there = |path: &Path| to.dir.join(path.file_name().unwrap_or_default());
    if !to.log(id).exists() {
        for path in &all {
            copy(path, &there(path)).map_err(failed("copy", path))?;
            disk::reached("talk-relocating");
        }
    }
    for path in all.iter().rev() {
        disk::remove(path).map_err(failed("remove", path))?;
        disk::reached("talk-relocated");
    }
    let lock = from.lock(id);
    disk::remove(&lock).map_err(failed("remove", &lock))
}

/// Moves what was removed, and takes the folder away. One with anything that is nowhere else stays.
pub(super) fn rest(from: &Folder, to: &Folder) -> Result<(), ConversationsError> {
    for entry in std::fs::read_dir(from.trash()).into_iter().flatten().flatten() {
        let place = to.trash().join(entry.file_name());
        files::make_dir(&place).map_err(failed("create", &place))?;
        for file in std::fs::read_dir(entry.path()).into_iter().flatten().flatten() {
            let path = file.path();
            copy(&path, &place.join(file.file_name())).map_err(failed("copy", &path))?;
            disk::remove(&path).map_err(failed("remove", &path))?;
        }
        std::fs::remove_dir(entry.path()).map_err(failed("remove", &entry.path()))?;
    }
    for entry in std::fs::read_dir(&from.dir).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let is_own = name == ".gitignore" || name.to_string_lossy().starts_with("lock_");
        if path.is_file() && (is_own || is_same(&path, &to.dir.join(&name))) {
            disk::remove(&path).map_err(failed("remove", &path))?;
        }
    }
    for dir in [from.trash(), from.dir.clone(), from.root.join(".deck")] {
        let removed = std::fs::remove_dir(&dir);
        let stays = |error: &io::Error| {
            matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty)
        };
        if let Err(error) = removed
            && !stays(&error)
        {
            return Err(failed("remove", &dir)(error));
        }
    }
    Ok(())
}
