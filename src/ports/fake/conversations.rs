//! Conversations in memory: nothing is archived, and nothing can go wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::domain::talk::{Checkpoint, Complete, Event, LOG_VERSION, Record, State, TalkId};
use crate::ports::conversations::{
    Conversations, ConversationsError, NewCheckpoint, NewTalk, Numbered, Page, Part, Talk,
};
use crate::ports::store::Stamp;

#[derive(Debug, Default)]
struct One {
    records: Vec<Record>,
    checkpoints: BTreeMap<u64, Checkpoint>,
    parts: Vec<(Part, String)>,
}

impl One {
    fn state(&self) -> State {
        let mut state =
            self.records.first().and_then(State::of_head).expect("it begins with what it is about");
        self.records.iter().for_each(|record| state.apply(record));
        state
    }

    fn add(&mut self, at: &str, event: Event) {
        let seq = self.records.last().map_or(1, |record| record.seq + 1);
        self.records.push(Record { seq, at: at.to_owned(), event });
    }

    fn messages(&self) -> Vec<Numbered> {
        let of = |record: &Record| match &record.event {
            Event::MessageAdded { message, tokens, .. } => {
                Some(Numbered { seq: record.seq, message: message.clone(), tokens: *tokens })
            }
            _ => None,
        };
        self.records.iter().filter_map(of).collect()
    }
}

/// Conversations that are gone with their test.
#[derive(Debug, Default)]
pub struct FakeConversations(Mutex<BTreeMap<(PathBuf, TalkId), One>>);

type Done<T> = Result<T, ConversationsError>;

impl FakeConversations {
    fn all(&self) -> MutexGuard<'_, BTreeMap<(PathBuf, TalkId), One>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, root: &Path, id: &TalkId, act: impl FnOnce(&mut One) -> T) -> Done<T> {
        let missing = || ConversationsError::Missing { id: id.clone(), root: root.to_owned() };
        self.all().get_mut(&(root.to_owned(), id.clone())).map(act).ok_or_else(missing)
    }
}

impl Conversations for FakeConversations {
    fn ids(&self, root: &Path) -> Done<Vec<TalkId>> {
        Ok(self.all().keys().filter(|(of, _)| of == root).map(|(_, id)| id.clone()).collect())
    }

    fn read(&self, root: &Path, id: &TalkId) -> Done<Option<Talk>> {
        let talk = |one: &mut One| Talk { root: root.to_owned(), state: one.state(), problems: Vec::new() };
        Ok(self.with(root, id, talk).ok())
    }

    fn open(&self, root: &Path, new: &NewTalk, at: &str) -> Done<(Talk, bool)> {
        let id = new.state.id.clone();
        let mut is_new = false;
        self.all().entry((root.to_owned(), id.clone())).or_insert_with(|| {
            is_new = true;
            let mut one = One { parts: new.files.clone(), ..One::default() };
            one.add(at, Event::Created { log: LOG_VERSION, state: Box::new(new.state.clone()) });
            one.checkpoints.insert(new.checkpoint.version, new.checkpoint.clone());
            one
        });
        Ok((self.read(root, &id)?.expect("it was made"), is_new))
    }

    fn change(
        &self,
        root: &Path,
        id: &TalkId,
        at: &str,
        decide: &mut dyn FnMut(&State) -> Vec<Event>,
    ) -> Done<State> {
        let state = self.with(root, id, |one| one.state())?;
        // It may ask for messages.
        let events = decide(&state);
        self.with(root, id, |one| {
            events.into_iter().for_each(|event| one.add(at, event));
            one.state()
        })
    }

    fn messages(&self, root: &Path, id: &TalkId, page: &Page) -> Done<Vec<Numbered>> {
        self.with(root, id, |one| {
            let cut = one.state().cut;
            let mut all = one.messages();
            all.retain(|message| page.archive || message.seq > cut);
            if let Some(at) = page.before.as_ref().and_then(|id| all.iter().position(|m| m.message.id == *id))
            {
                all.truncate(at);
            }
            all.split_off(all.len().saturating_sub(page.limit))
        })
    }

    fn message(&self, root: &Path, id: &TalkId, message: &str) -> Done<Option<Numbered>> {
        self.with(root, id, |one| one.messages().into_iter().find(|m| m.message.id == message))
    }

    fn can_relocate(&self, _: &Path, _: &Path) -> Done<bool> {
        Ok(true)
    }

    fn relocate(&self, _: &Path, _: &Path, _: &str) -> Done<Vec<TalkId>> {
        Ok(Vec::new())
    }

    fn known(&self, root: &Path, id: &TalkId, messages: &[String]) -> Done<BTreeSet<String>> {
        self.with(root, id, |one| {
            one.messages().into_iter().map(|m| m.message.id).filter(|id| messages.contains(id)).collect()
        })
    }

    fn records(&self, root: &Path, id: &TalkId, since: u64) -> Done<Vec<Record>> {
        self.with(root, id, |one| one.records.iter().filter(|r| r.seq > since).cloned().collect())
    }

    fn checkpoint(&self, root: &Path, id: &TalkId, version: Option<u64>) -> Done<Option<Checkpoint>> {
        self.with(root, id, |one| one.checkpoints.get(&version.unwrap_or(one.state().version)).cloned())
    }

    fn compact(&self, root: &Path, id: &TalkId, new: &NewCheckpoint, at: &str) -> Done<State> {
        self.with(root, id, |one| {
            let version = one.state().version + 1;
            one.checkpoints.insert(version, Checkpoint { version, ..new.checkpoint.clone() });
            let left: Vec<u64> =
                one.messages().iter().filter(|m| m.seq > new.upto).map(|m| m.tokens).collect();
            let done = Complete {
                attempt: new.attempt.clone(),
                version,
                upto: new.upto,
                messages: left.len() as u64,
                tokens: left.iter().sum(),
                checkpoint_tokens: new.tokens,
                method: new.checkpoint.compaction_info.method.clone().unwrap_or_default(),
            };
            one.add(at, Event::CompactionComplete(done));
            one.state()
        })
    }

    fn undo_compaction(&self, _: &Path, id: &TalkId, _: &str) -> Done<State> {
        Err(ConversationsError::NothingToUndo { id: id.clone(), why: "nothing is archived in memory" })
    }

    fn clear(&self, root: &Path, id: &TalkId, at: &str) -> Done<(State, u64)> {
        self.with(root, id, |one| {
            let before = one.state();
            one.add(at, Event::Cleared { upto: before.seq });
            (one.state(), before.messages)
        })
    }

    fn part(&self, root: &Path, id: &TalkId, part: Part) -> Done<Option<String>> {
        self.with(root, id, |one| one.parts.iter().find(|(of, _)| *of == part).map(|(_, text)| text.clone()))
    }

    fn put_part(&self, root: &Path, id: &TalkId, part: Part, text: &str) -> Done<()> {
        self.with(root, id, |one| {
            one.parts.retain(|(of, _)| *of != part);
            one.parts.push((part, text.to_owned()));
        })
    }

    fn remove(&self, root: &Path, id: &TalkId, _: &str) -> Done<()> {
        self.all().remove(&(root.to_owned(), id.clone()));
        Ok(())
    }

    fn restore(&self, root: &Path, id: &TalkId) -> Done<Talk> {
        Err(ConversationsError::Missing { id: id.clone(), root: root.to_owned() })
    }

    fn stamp(&self, root: &Path, id: &TalkId) -> Option<Stamp> {
        let size = self.with(root, id, |one| one.records.len() as u64).ok()?;
        Some(Stamp { inode: 0, modified: 0, size })
    }
}
