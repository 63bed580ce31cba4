//! The conversations of deck's own, on disk below a project's folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Busy;
use super::store::Stamp;
use crate::domain::talk::{Checkpoint, Event, Message, Record, State, TalkId};

/// What went wrong with a conversation's files.
#[derive(Debug, thiserror::Error)]
pub enum ConversationsError {
    /// A file could not be read, written or locked.
    #[error("can't {action} {}", path.display())]
    Io {
        /// What was tried: "read", "write" …
        action: &'static str,
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("no conversation {id} in {}", root.display())]
    Missing { id: TalkId, root: PathBuf },
    /// A newer deck wrote it.
    #[error("{} was written by a newer deck (log version {found}): it is only read", path.display())]
    Newer { path: PathBuf, found: u32 },
    /// Nothing can be made of it.
    #[error("{} can't be read: {why}", path.display())]
    Damaged { path: PathBuf, why: String },
    /// Somebody else could have put something there, or could read it.
    #[error("{} is not used: {why}", path.display())]
    Unsafe { path: PathBuf, why: String },
    #[error("{} is {busy}", path.display())]
    Busy { path: PathBuf, busy: Busy },
    /// Its caller no longer waits.
    #[error("cancelled")]
    Cancelled,
    /// Another process compacts it by now.
    #[error("the compaction of {0} was taken over by another process")]
    LeaseLost(TalkId),
    /// Another one of its id is where it should go.
    #[error("there is a conversation {id} in {} already", root.display())]
    Exists { id: TalkId, root: PathBuf },
    /// There is no compaction to undo.
    #[error("nothing to undo in {id}: {why}")]
    NothingToUndo { id: TalkId, why: &'static str },
}

/// A conversation as it is on disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Talk {
    pub root: PathBuf,
    pub state: State,
    /// What is wrong with its files, though it can be used.
    pub problems: Vec<String>,
}

/// A conversation that is to be made.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTalk {
    /// With its sums, if it comes from elsewhere.
    pub state: State,
    pub checkpoint: Checkpoint,
    /// Files of these parts, whole.
    pub files: Vec<(Part, String)>,
    /// Messages that are part of the sums already, with their tokens.
    pub messages: Vec<(Message, u64)>,
}

/// A file of a conversation that is JSON of a fixed shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Context,
    Description,
    /// What the last request was estimated at.
    Request,
}

/// Which messages are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The last ones, at most so many.
    pub limit: usize,
    /// Before the message of this id.
    pub before: Option<String>,
    /// Also those that were archived.
    pub archive: bool,
}

/// A message with its place in the log.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbered {
    pub seq: u64,
    pub message: Message,
    /// Its tokens, estimated.
    pub tokens: u64,
}

/// A checkpoint that is to replace the one there is.
#[derive(Debug, Clone, PartialEq)]
pub struct NewCheckpoint {
    /// The compaction that wrote it: that of the lease.
    pub attempt: String,
    /// The last record that is in it.
    pub upto: u64,
    pub checkpoint: Checkpoint,
    pub tokens: u64,
}

/// Conversations on disk. A root is a project's folder; they are below its `.deck/conversations`.
///
/// What changes one holds its lock, and first finishes or undoes what a killed process began. What reads one takes no lock,
/// and finds it whole at any time.
pub trait Conversations: Send + Sync {
    /// The ids of all conversations of a root.
    ///
    /// # Errors
    /// When the folder can't be read.
    fn ids(&self, root: &Path) -> Result<Vec<TalkId>, ConversationsError>;

    /// A conversation as it is.
    ///
    /// # Errors
    /// When it exists and can't be read.
    fn read(&self, root: &Path, id: &TalkId) -> Result<Option<Talk>, ConversationsError>;

    /// The conversation of this id, made if it is missing; true if it was. `at` is the time, RFC 3339.
    ///
    /// # Errors
    /// When it can't be read or made; nothing of it is there then.
    fn open(&self, root: &Path, new: &NewTalk, at: &str) -> Result<(Talk, bool), ConversationsError>;

    /// Adds records to a conversation. `decide` sees it as it is under the lock. What is returned is on disk.
    ///
    /// # Errors
    /// When it is missing or can't be written; nothing is added then.
    fn change(
        &self,
        root: &Path,
        id: &TalkId,
        at: &str,
        decide: &mut dyn FnMut(&State) -> Vec<Event>,
    ) -> Result<State, ConversationsError>;

    /// Messages, oldest first.
    ///
    /// # Errors
    /// When they can't be read.
    fn messages(&self, root: &Path, id: &TalkId, page: &Page) -> Result<Vec<Numbered>, ConversationsError>;

    /// A message by its id, wherever it is.
    ///
    /// # Errors
    /// When they can't be read.
    fn message(
        &self,
        root: &Path,
        id: &TalkId,
        message: &str,
    ) -> Result<Option<Numbered>, ConversationsError>;

    /// Which of these ids messages have, wherever they are.
    ///
    /// # Errors
    /// When they can't be read.
    fn known(
        &self,
        root: &Path,
        id: &TalkId,
        messages: &[String],
    ) -> Result<BTreeSet<String>, ConversationsError>;

    /// All records after a number, also those that were archived.
    ///
    /// # Errors
    /// When they can't be read.
    fn records(&self, root: &Path, id: &TalkId, since: u64) -> Result<Vec<Record>, ConversationsError>;

    /// A checkpoint: the one that counts, or an older version that is kept.
    ///
    /// # Errors
    /// When it exists and can't be read.
    fn checkpoint(
        &self,
        root: &Path,
        id: &TalkId,
        version: Option<u64>,
    ) -> Result<Option<Checkpoint>, ConversationsError>;

    /// Replaces the checkpoint and archives what is in the new one. The older one is kept as a version.
    ///
    /// # Errors
    /// [`ConversationsError::LeaseLost`] when another compaction has begun, or the system's.
    fn compact(
        &self,
        root: &Path,
        id: &TalkId,
        new: &NewCheckpoint,
        at: &str,
    ) -> Result<State, ConversationsError>;

    /// Brings back the checkpoint before the last compaction, and the messages that it archived.
    ///
    /// # Errors
    /// [`ConversationsError::NothingToUndo`], or the system's.
    fn undo_compaction(&self, root: &Path, id: &TalkId, at: &str) -> Result<State, ConversationsError>;

    /// Archives all messages. Returns how many.
    ///
    /// # Errors
    /// When it can't be written.
    fn clear(&self, root: &Path, id: &TalkId, at: &str) -> Result<(State, u64), ConversationsError>;

    /// The text of a part.
    ///
    /// # Errors
    /// When it exists and can't be read.
    fn part(&self, root: &Path, id: &TalkId, part: Part) -> Result<Option<String>, ConversationsError>;

    /// Replaces a part.
    ///
    /// # Errors
    /// When it can't be written.
    fn put_part(&self, root: &Path, id: &TalkId, part: Part, text: &str) -> Result<(), ConversationsError>;

    /// Moves a conversation's files to the trash, where they stay for seven days.
    ///
    /// # Errors
    /// When they can't be moved.
    fn remove(&self, root: &Path, id: &TalkId, at: &str) -> Result<(), ConversationsError>;

    /// Brings back the files that were moved to the trash last.
    ///
    /// # Errors
    /// [`ConversationsError::Missing`] when there are none, or when a conversation of the id is there by now.
    fn restore(&self, root: &Path, id: &TalkId) -> Result<Talk, ConversationsError>;

    /// Whether none of a root's conversations would replace another one there.
    ///
    /// # Errors
    /// When the folders can't be read.
    fn can_relocate(&self, from: &Path, to: &Path) -> Result<bool, ConversationsError>;

    /// Moves all conversations of a root to another one, which has none of their ids, with those in the trash. Nothing of them is
    /// left in the first one. Returns which were moved.
    ///
    /// # Errors
    /// When one is there already, or can't be moved: each is whole in one of the two then, or is completed by another call.
    fn relocate(&self, from: &Path, to: &Path, at: &str) -> Result<Vec<TalkId>, ConversationsError>;

    /// What a conversation's log is like, to notice that it was written.
    fn stamp(&self, root: &Path, id: &TalkId) -> Option<Stamp>;
}
