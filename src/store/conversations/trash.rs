//! Conversations that were removed: their files, for seven days.

use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};

use super::disk;
use super::folder::{Folder, failed};
use crate::domain::talk::TalkId;
use crate::ports::conversations::ConversationsError;
use crate::sys::files;

/// How long they stay.
const KEPT: SignedDuration = SignedDuration::from_hours(7 * 24);

/// The folder of one that was removed at a time: `trash/<time>_<id>`.
fn place(folder: &Folder, id: &TalkId, at: &str) -> PathBuf {
    folder.trash().join(format!("{}_{id}", at.replace(':', "")))
}

/// The older checkpoints of a conversation.
pub(super) fn versions(folder: &Folder, id: &TalkId) -> Vec<PathBuf> {
    let names = std::fs::read_dir(&folder.dir).into_iter().flatten().flatten();
    let prefix = format!("checkpoint_{id}.v");
    names
        .filter(|entry| {
            entry
                .file_name()
                .to_str()
                .and_then(|name| name.strip_prefix(&prefix)?.strip_suffix(".json"))
                .is_some_and(|number| number.parse::<u64>().is_ok())
        })
        .map(|entry| entry.path())
        .collect()
}

/// Moves a conversation's files there, the log last: until then it is there, and can be removed again.
pub(super) fn put(folder: &Folder, id: &TalkId, at: &str) -> Result<(), ConversationsError> {
    let to = place(folder, id, at);
    files::make_dir(&to).map_err(failed("create", &to))?;
    for path in versions(folder, id).into_iter().chain(folder.all(id)) {
        let name = path.file_name().unwrap_or_default();
        disk::rename(&path, &to.join(name)).map_err(failed("move", &path))?;
        disk::reached("talk-removing");
    }
    empty(folder, at)
}

/// Removes what has been there for long.
fn empty(folder: &Folder, now: &str) -> Result<(), ConversationsError> {
    let Ok(now) = now.parse::<Timestamp>() else { return Ok(()) };
    for entry in std::fs::read_dir(folder.trash()).into_iter().flatten().flatten() {
        let path = entry.path();
        let modified = entry.metadata().and_then(|meta| meta.modified()).ok();
        let at = modified.and_then(|at| Timestamp::try_from(at).ok());
        if at.is_none_or(|at| now.duration_since(at) < KEPT) {
            continue;
        }
        for file in std::fs::read_dir(&path).into_iter().flatten().flatten() {
            disk::remove(&file.path()).map_err(failed("remove", &file.path()))?;
        }
        std::fs::remove_dir(&path).map_err(failed("remove", &path))?;
    }
    Ok(())
}

/// Brings back the files of one that was removed last.
pub(super) fn take(folder: &Folder, id: &TalkId) -> Result<(), ConversationsError> {
    let missing = || ConversationsError::Missing { id: id.clone(), root: folder.root.clone() };
    if folder.log(id).exists() {
        return Err(ConversationsError::NothingToUndo {
            id: id.clone(),
            why: "there is one of its id by now",
        });
    }
    let ending = format!("_{id}");
    let entries = std::fs::read_dir(folder.trash()).into_iter().flatten().flatten();
    let is_its = |path: &PathBuf| path.file_name().is_some_and(|n| n.to_string_lossy().ends_with(&ending));
    let mut places: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_its).collect();
    places.retain(|place| place.join(folder.log(id).file_name().unwrap_or_default()).exists());
    places.sort();
    let place = places.pop().ok_or_else(missing)?;
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(&place).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    // The log last: with it the conversation is there.
    names.sort_by_key(|path| path.file_name() == folder.log(id).file_name());
    for path in names {
        let to = folder.dir.join(path.file_name().unwrap_or_default());
        disk::rename(&path, &to).map_err(failed("move", &path))?;
    }
    std::fs::remove_dir(&place).map_err(failed("remove", &place))
}
