//! The conversations of deck's own, below a project's folder: one log each, with what can be made from it beside it.
//!
//! Invariants: a message is confirmed only when its record is on the disk; no message leaves the log before it is in the archive;
//! what changes a conversation holds its lock, never while a model runs; a reader takes none.

mod commit;
mod disk;
mod folder;
mod log;
mod relocate;
mod session;
#[cfg(test)]
mod tests;
mod trash;

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use crate::domain::talk::{Checkpoint, Event, LOG_VERSION, Record, State, TalkId};
use crate::ports::conversations::{
    Conversations, ConversationsError, NewCheckpoint, NewTalk, Numbered, Page, Part, Talk,
};
use crate::ports::store::Stamp;
use crate::ports::{Cancel, NotTaken};
use crate::sys::{files, lock};
use folder::{Folder, failed};
use session::Loaded;

/// The most that is read of a context or a description, in bytes.
const MAX_PART: u64 = 16 * 1024 * 1024;

type Done<T> = Result<T, ConversationsError>;

/// Conversations in files.
#[derive(Debug, Clone, Default)]
pub struct ConversationFiles {
    cancel: Cancel,
}

impl ConversationFiles {
    /// For a caller who may stop waiting for a lock.
    pub const fn until(cancel: Cancel) -> Self {
        Self { cancel }
    }

    fn lock(&self, folder: &Folder, id: &TalkId) -> Done<File> {
        let path = folder.lock(id);
        let file = files::open_to_append(&path).map_err(failed("lock", &path))?;
        let locked = lock::exclusive(file, lock::PATIENCE, &self.cancel).map_err(failed("lock", &path))?;
        locked.map_err(|why| match why {
            NotTaken::Busy(busy) => ConversationsError::Busy { path: folder.log(id), busy },
            NotTaken::Cancelled => ConversationsError::Cancelled,
        })
    }

    /// Does something under a conversation's lock, after what was left half done is finished or undone.
    fn locked<T>(
        &self,
        root: &Path,
        id: &TalkId,
        at: &str,
        act: impl FnOnce(&Folder, &mut Loaded) -> Done<T>,
    ) -> Done<(T, Loaded)> {
        let folder = Folder::of(root)?;
        let missing = || ConversationsError::Missing { id: id.clone(), root: root.to_owned() };
        if !folder.log(id).exists() {
            return Err(missing());
        }
        folder.check(id)?;
        let _lock = self.lock(&folder, id)?;
        let mut loaded = session::load(&folder, id)?.ok_or_else(missing)?;
        writable(&folder, id)?;
        commit::settle(&folder, &mut loaded, at)?;
        let done = act(&folder, &mut loaded);
        session::note(&folder, &mut loaded);
        Ok((done?, loaded))
    }
}

/// Refuses a log of a newer deck.
fn writable(folder: &Folder, id: &TalkId) -> Done<()> {
    let path = folder.log(id);
    let head = log::head(&path).map_err(failed("read", &path))?;
    match head.as_ref().and_then(log::newer) {
        Some(found) => Err(ConversationsError::Newer { path, found }),
        None => Ok(()),
    }
}

fn talk(root: &Path, loaded: Loaded) -> Talk {
    Talk { root: root.to_owned(), state: loaded.state, problems: loaded.problems }
}

fn numbered(record: Record) -> Option<Numbered> {
    match record.event {
        Event::MessageAdded { message, tokens, .. } => Some(Numbered { seq: record.seq, message, tokens }),
        _ => None,
    }
}

/// The messages of these ids, in the log or in the archive.
fn with_ids(folder: &Folder, id: &TalkId, messages: &[String]) -> Done<Vec<Numbered>> {
    let needles: Vec<String> = messages.iter().map(|id| regex::escape(&format!("{id:?}"))).collect();
    let mut all = Vec::new();
    if needles.is_empty() {
        return Ok(all);
    }
    let Ok(needle) = regex::bytes::Regex::new(&needles.join("|")) else { return Ok(all) };
    for path in [folder.log(id), folder.archive(id)] {
        let bytes = match files::read(&path, files::MAX_BYTES) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed("read", &path)(error)),
        };
        // Only lines that have an id somewhere are parsed.
        let has_one = |line: &&[u8]| needle.is_match(line);
        let records = bytes.split(|b| *b == b'\n').filter(has_one);
        let found =
            records.filter_map(|line| serde_json::from_slice::<Record>(line).ok()).filter_map(numbered);
        all.extend(found.filter(|numbered| messages.contains(&numbered.message.id)));
    }
    Ok(all)
}

/// The text of a checkpoint, a context or a description.
fn text(path: &Path) -> Done<Option<String>> {
    match files::read_text(path, MAX_PART) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("read", path)(error)),
    }
}

/// Makes a conversation's files; its log is the last one. To be called under the lock.
fn create(folder: &Folder, new: &NewTalk, at: &str) -> Done<Loaded> {
    let id = &new.state.id;
    for (part, text) in &new.files {
        let path = folder.part(id, *part);
        disk::replace(&path, text.as_bytes()).map_err(failed("write", &path))?;
    }
    let path = folder.checkpoint(id);
    let text = serde_json::to_vec_pretty(&new.checkpoint).unwrap_or_default();
    disk::replace(&path, &text).map_err(failed("write", &path))?;
    let created = Event::Created { log: LOG_VERSION, state: Box::new(new.state.clone()) };
    let added = |(message, tokens): &(_, _)| Event::MessageAdded {
        message: Clone::clone(message),
        tokens: *tokens,
        known: true,
    };
    let events = std::iter::once(created).chain(new.messages.iter().map(added)).collect();
    let start = State { seq: 0, ..new.state.clone() };
    let bytes: Vec<u8> = commit::records(&start, at, events).iter().flat_map(log::line).collect();
    let path = folder.log(id);
    // As a whole: a log without its beginning would be none.
    disk::replace(&path, &bytes).map_err(failed("write", &path))?;
    disk::reached("talk-created");
    let mut loaded = session::load(folder, id)?
        .ok_or_else(|| ConversationsError::Missing { id: id.clone(), root: folder.root.clone() })?;
    session::note(folder, &mut loaded);
    Ok(loaded)
}

impl Conversations for ConversationFiles {
    fn ids(&self, root: &Path) -> Done<Vec<TalkId>> {
        Folder::of(root)?.ids()
    }

    fn read(&self, root: &Path, id: &TalkId) -> Done<Option<Talk>> {
        let folder = Folder::of(root)?;
        Ok(session::load(&folder, id)?.map(|loaded| talk(root, loaded)))
    }

    fn open(&self, root: &Path, new: &NewTalk, at: &str) -> Done<(Talk, bool)> {
        let folder = Folder::of(root)?;
        folder.make()?;
        let id = &new.state.id;
        folder.check(id)?;
        if !folder.log(id).exists() {
            let _lock = self.lock(&folder, id)?;
            if !folder.log(id).exists() {
                return Ok((talk(root, create(&folder, new, at)?), true));
            }
        }
        match self.locked(root, id, at, |_, _| Ok(())) {
            Ok(((), loaded)) => Ok((talk(root, loaded), false)),
            // It can still be read.
            Err(ConversationsError::Newer { path, found }) => {
                let read = self.read(root, id)?;
                read.map(|talk| (talk, false)).ok_or(ConversationsError::Newer { path, found })
            }
            Err(error) => Err(error),
        }
    }

    fn change(
        &self,
        root: &Path,
        id: &TalkId,
        at: &str,
        decide: &mut dyn FnMut(&State) -> Vec<Event>,
    ) -> Done<State> {
        let ((), loaded) = self.locked(root, id, at, |folder, loaded| {
            let events = decide(&loaded.state);
            if events.is_empty() {
                return Ok(());
            }
            let records = commit::records(&loaded.state, at, events);
            session::append(folder, loaded, &records)?;
            disk::reached("talk-added");
            Ok(())
        })?;
        Ok(loaded.state)
    }

    fn messages(&self, root: &Path, id: &TalkId, page: &Page) -> Done<Vec<Numbered>> {
        let folder = Folder::of(root)?;
        folder.check(id)?;
        let Some(loaded) = session::load(&folder, id)? else { return Ok(Vec::new()) };
        let cut = loaded.state.cut;
        let path = folder.log(id);
        let count = |lines: &log::Lines| {
            lines.records().filter(|r| matches!(r.event, Event::MessageAdded { .. })).count()
        };
        let is_enough = |lines: &log::Lines| page.before.is_none() && count(lines) >= page.limit;
        let lines = log::read_end(&path, &is_enough).map_err(failed("read", &path))?;
        let mut all: Vec<Numbered> = lines.records().cloned().filter_map(numbered).collect();
        // What an undone compaction gives back is in the archive alone, until somebody finishes that.
        let needs_archive = page.archive || cut < loaded.base;
        if needs_archive && (all.len() < page.limit || page.before.is_some()) {
            let first = all.first().map_or(u64::MAX, |m| m.seq);
            let older = commit::archived(&folder, id)?.into_iter().filter(|r| r.seq < first);
            all.splice(..0, older.filter_map(numbered));
        }
        if !page.archive {
            all.retain(|message| message.seq > cut);
        }
        if let Some(before) = &page.before {
            let at = all.iter().position(|m| m.message.id == *before).unwrap_or(all.len());
            all.truncate(at);
        }
        let from = all.len().saturating_sub(page.limit);
        Ok(all.split_off(from))
    }

    fn message(&self, root: &Path, id: &TalkId, message: &str) -> Done<Option<Numbered>> {
        let folder = Folder::of(root)?;
        folder.check(id)?;
        Ok(with_ids(&folder, id, &[message.to_owned()])?.into_iter().next())
    }

    fn known(&self, root: &Path, id: &TalkId, messages: &[String]) -> Done<BTreeSet<String>> {
        let folder = Folder::of(root)?;
        folder.check(id)?;
        Ok(with_ids(&folder, id, messages)?.into_iter().map(|found| found.message.id).collect())
    }

    fn can_relocate(&self, from: &Path, to: &Path) -> Done<bool> {
        let (from, to) = (Folder::of(from)?, Folder::of(to)?);
        Ok(from.ids()?.iter().all(|id| !relocate::collides(&from, &to, id)))
    }

    fn relocate(&self, from: &Path, to: &Path, _: &str) -> Done<Vec<TalkId>> {
        let (from, to) = (Folder::of(from)?, Folder::of(to)?);
        let ids = from.ids()?;
        for id in &ids {
            from.check(id)?;
            to.check(id)?;
            if relocate::collides(&from, &to, id) {
                return Err(ConversationsError::Exists { id: id.clone(), root: to.root.clone() });
            }
        }
        if from.dir.is_dir() {
            to.make()?;
        }
        for id in &ids {
            let _lock = self.lock(&from, id)?;
            relocate::one(&from, &to, id)?;
        }
        relocate::rest(&from, &to)?;
        Ok(ids)
    }

    fn records(&self, root: &Path, id: &TalkId, since: u64) -> Done<Vec<Record>> {
        let folder = Folder::of(root)?;
        folder.check(id)?;
        let path = folder.log(id);
        let first = |lines: &log::Lines| lines.records().next().map_or(u64::MAX, |r| r.seq);
        let lines = log::read_end(&path, &|lines| first(lines) <= since).map_err(failed("read", &path))?;
        let mut all: Vec<Record> = lines.records().cloned().collect();
        let is_base = |record: &Record| matches!(record.event, Event::Base { .. });
        if all.first().is_some_and(|head| is_base(head) && since < head.seq) {
            all.splice(..0, commit::archived(&folder, id)?);
            all.sort_by_key(|record| record.seq);
        }
        all.retain(|record| record.seq > since && !is_base(record));
        all.dedup_by_key(|record| record.seq);
        Ok(all)
    }

    fn checkpoint(&self, root: &Path, id: &TalkId, version: Option<u64>) -> Done<Option<Checkpoint>> {
        let folder = Folder::of(root)?;
        let Some(loaded) = session::load(&folder, id)? else { return Ok(None) };
        match version {
            Some(version) if version > loaded.state.version => Ok(None),
            _ => commit::checkpoint(&folder, id, version.unwrap_or(loaded.state.version)),
        }
    }

    fn compact(&self, root: &Path, id: &TalkId, new: &NewCheckpoint, at: &str) -> Done<State> {
        let ((), loaded) =
            self.locked(root, id, at, |folder, loaded| commit::compact(folder, loaded, new, at))?;
        Ok(loaded.state)
    }

    fn undo_compaction(&self, root: &Path, id: &TalkId, at: &str) -> Done<State> {
        let ((), loaded) = self.locked(root, id, at, |folder, loaded| commit::undo(folder, loaded, at))?;
        Ok(loaded.state)
    }

    fn clear(&self, root: &Path, id: &TalkId, at: &str) -> Done<(State, u64)> {
        let (count, loaded) =
            self.locked(root, id, at, |folder, loaded| commit::clear(folder, loaded, at))?;
        Ok((loaded.state, count))
    }

    fn part(&self, root: &Path, id: &TalkId, part: Part) -> Done<Option<String>> {
        text(&Folder::of(root)?.part(id, part))
    }

    fn put_part(&self, root: &Path, id: &TalkId, part: Part, text: &str) -> Done<()> {
        let folder = Folder::of(root)?;
        let _lock = self.lock(&folder, id)?;
        let path = folder.part(id, part);
        disk::replace(&path, text.as_bytes()).map_err(failed("write", &path))
    }

    fn remove(&self, root: &Path, id: &TalkId, at: &str) -> Done<()> {
        let folder = Folder::of(root)?;
        let ((), _) = self.locked(root, id, at, |_, _| Ok(()))?;
        let _lock = self.lock(&folder, id)?;
        trash::put(&folder, id, at)
    }

    fn restore(&self, root: &Path, id: &TalkId) -> Done<Talk> {
        let folder = Folder::of(root)?;
        let missing = || ConversationsError::Missing { id: id.clone(), root: root.to_owned() };
        folder.make()?;
        {
            let _lock = self.lock(&folder, id)?;
            trash::take(&folder, id)?;
        }
        self.read(root, id)?.ok_or_else(missing)
    }

    fn stamp(&self, root: &Path, id: &TalkId) -> Option<Stamp> {
        files::stamp(&Folder::of(root).ok()?.log(id))
    }
}
