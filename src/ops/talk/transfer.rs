//! Conversations as the files that other programs write and read: in and out.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use super::open::description_tokens;
use super::place::root_for;
use super::{TalkError, messages_of};
use crate::domain::talk::{
    ChatFile, Checkpoint, Description, SessionFile, State, TalkId, checkpoint_size, estimate, is_message_id,
};
use crate::ops::{Cx, OpResult};
use crate::ports::conversations::{NewTalk, Page, Part, Talk};

/// The most that is read of one file, in bytes.
const MAX_BYTES: u64 = 1024 * 1024 * 1024;

/// The files of one conversation in a folder, by what they are.
const KINDS: [&str; 5] = ["session", "chat", "checkpoint", "context", "agent-description"];

fn file(dir: &Path, kind: &str, id: &TalkId) -> PathBuf {
    dir.join(format!("{kind}_{id}.json"))
}

/// Writes the five files of a conversation into a folder. Returns their paths.
///
/// # Errors
/// When they can't be read or written. A file that is there is not overwritten.
pub fn export(cx: &Cx, talk: &Talk, dir: &Path) -> OpResult<Vec<PathBuf>> {
    let id = &talk.state.id;
    let page = Page { limit: usize::MAX, before: None, archive: false };
    let messages = messages_of(cx, talk, &page)?;
    let checkpoint = cx.conversations.checkpoint(&talk.root, id, None).map_err(TalkError::from)?;
    let mut texts = vec![
        ("session", json(&SessionFile::of(&talk.state, "json"))),
        ("chat", json(&messages)),
        ("checkpoint", json(&checkpoint.unwrap_or_default())),
    ];
    for (kind, part) in [("context", Part::Context), ("agent-description", Part::Description)] {
        let text = cx.conversations.part(&talk.root, id, part).map_err(TalkError::from)?;
        texts.extend(text.map(|text| (kind, text)));
    }
    let mut written = Vec::new();
    for (kind, text) in &texts {
        let path = file(dir, kind, id);
        if cx.host.exists(&path) {
            let source = std::io::Error::from(std::io::ErrorKind::AlreadyExists);
            return Err(TalkError::Io { action: "write", path, source }.into());
        }
        written.push((path, text));
    }
    for (path, text) in &written {
        cx.host.put(path, text).map_err(|source| TalkError::Io {
            action: "write",
            path: path.clone(),
            source,
        })?;
    }
    Ok(written.into_iter().map(|(path, _)| path).collect())
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

/// The conversations whose files are in a folder.
fn ids_in(cx: &Cx, dir: &Path) -> Vec<TalkId> {
    let mut ids: Vec<TalkId> = cx
        .host
        .all_files(&dir.join("session_*.json").to_string_lossy())
        .iter()
        .filter_map(|path| path.file_name()?.to_str()?.strip_prefix("session_")?.strip_suffix(".json"))
        .filter_map(TalkId::parse)
        .collect();
    ids.sort();
    ids
}

fn read<T: DeserializeOwned>(cx: &Cx, path: &Path) -> Result<Option<T>, TalkError> {
    let bad = |why: String| TalkError::BadImport { path: path.to_owned(), why };
    let bytes = match cx.folders.content(path, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(bad(error.to_string())),
    };
    serde_json::from_slice(&bytes).map(Some).map_err(|error| bad(error.to_string()))
}

/// What an import did with one conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Imported {
    pub talk: Talk,
    /// Whether it is new; else one of the same id and subject was there, and nothing was changed.
    pub is_new: bool,
}

/// Makes conversations of the files of another program, or of `deck conversation export`. What is there already is left.
///
/// # Errors
/// [`TalkError::BadImport`] names the file that can't be used: nothing of any is imported then.
pub fn import(cx: &Cx, dir: &Path, root: Option<&Path>) -> OpResult<Vec<Imported>> {
    let ids = ids_in(cx, dir);
    if ids.is_empty() {
        let why = format!("no file session_ID.json is in it, of {}", KINDS.join("_, ") + "_");
        return Err(TalkError::BadImport { path: dir.to_owned(), why }.into());
    }
    let mut all = Vec::new();
    for id in &ids {
        let new = one(cx, dir, id)?;
        let root = root_for(cx, root, &new.state.subject.feature)?;
        all.push((root, new));
    }
    let mut done = Vec::new();
    for (root, new) in all {
        let at = new.state.updated_at.clone();
        let (talk, is_new) = cx.conversations.open(&root, &new, &at).map_err(TalkError::from)?;
        if talk.state.subject != new.state.subject {
            let (there, asked) = (talk.state.subject.words(), new.state.subject.words());
            return Err(TalkError::Collision { id: talk.state.id, there, asked }.into());
        }
        done.push(Imported { talk, is_new });
    }
    Ok(done)
}

/// One conversation, from its files.
fn one(cx: &Cx, dir: &Path, id: &TalkId) -> Result<NewTalk, TalkError> {
    let bad = |kind: &str, why: String| TalkError::BadImport { path: file(dir, kind, id), why };
    let session: SessionFile =
        read(cx, &file(dir, "session", id))?.ok_or_else(|| bad("session", "it is gone".to_owned()))?;
    let subject = session.subject.clone();
    let checked = crate::domain::talk::Subject::new(
        &subject.role,
        &subject.feature,
        subject.task.as_deref(),
        subject.state.as_deref(),
    )?;
    if checked != subject || subject.id() != *id || session.id != *id {
        return Err(bad("session", format!("its id is {}, not that of {}", session.id, subject.words())));
    }
    let chat: ChatFile = read(cx, &file(dir, "chat", id))?.unwrap_or_default();
    let mut seen = std::collections::HashSet::new();
    for message in &chat.messages {
        if !is_message_id(&message.id) || !seen.insert(&message.id) {
            let words = format!("the message id {:?} is not one, or is there twice", message.id);
            return Err(bad("chat", words));
        }
    }
    let checkpoint: Checkpoint = read(cx, &file(dir, "checkpoint", id))?.unwrap_or_default();
    let description: Option<Description> = read(cx, &file(dir, "agent-description", id))?;
    let context: Option<serde_json::Value> = read(cx, &file(dir, "context", id))?;
    let mut state = State::new(subject, &session.created_at);
    state.updated_at.clone_from(&session.updated_at);
    state.status = session.status;
    state.stats = session.stats;
    state.other = session.other;
    state.version = checkpoint.version;
    state.oldest = chat
        .oldest_message_timestamp
        .filter(|time| chat.messages.first().is_some_and(|first| first.timestamp != *time));
    state.checkpoint_tokens = checkpoint_size(&checkpoint);
    state.description_tokens = description.as_ref().map(description_tokens).unwrap_or_default();
    let mut files: Vec<(Part, String)> = Vec::new();
    files.extend(description.as_ref().map(|d| (Part::Description, json(d))));
    files.extend(context.as_ref().map(|c| (Part::Context, json(c))));
    let messages =
        chat.messages.into_iter().map(|m| (estimate(&m.content), m)).map(|(t, m)| (m, t)).collect();
    Ok(NewTalk { state, checkpoint, files, messages })
}
