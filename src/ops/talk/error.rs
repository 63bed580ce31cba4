//! What can go wrong with conversations.

use std::path::PathBuf;

use crate::domain::session::SessionName;
use crate::domain::talk::{BadMessage, BadSubject, TalkId};
use crate::ports::ConversationsError;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum TalkError {
    #[error("unknown role {name:?}")]
    NoRole { name: String, near: Option<String> },
    #[error(transparent)]
    Subject(#[from] BadSubject),
    /// Another conversation has that id.
    #[error("{id} is the id of another conversation already: {there}, not {asked}")]
    Collision { id: TalkId, there: String, asked: String },
    #[error(transparent)]
    Message(#[from] BadMessage),
    #[error("{id} has a message {message:?} already, with other words")]
    OtherContent { id: TalkId, message: String },
    #[error("{0} is archived: nothing is added to it")]
    Archived(TalkId),
    #[error("no conversation {word:?}")]
    NoConversation { word: String, near: Option<String> },
    #[error("{word:?} matches {} conversations: {}", ids.len(), ids.join(", "))]
    Several { word: String, ids: Vec<String> },
    #[error("session {by} carries {id} already")]
    CarriedByOther { id: TalkId, by: SessionName },
    #[error("session {by} carries {id}: it can't be removed")]
    StillCarried { id: TalkId, by: SessionName },
    #[error("a session of another profile, or one that is gone, carries {0}")]
    CarriedElsewhere(TalkId),
    #[error("session {session} carries {id} already: one session carries one conversation")]
    CarriesOther { session: SessionName, id: TalkId },
    #[error("deck can't read transcripts of {0:?}: such a session can carry no conversation")]
    NoTranscripts(String),
    #[error("no session carries {0}")]
    NotCarried(TalkId),
    #[error("a session carries {id}: what is said in it is read from the session's transcript")]
    SpeaksForItself { id: TalkId },
    #[error("this session carries no conversation")]
    NoneCarried,
    #[error("`.` only works inside a session")]
    NotInside,
    #[error("{id} has no message {message:?}")]
    NoMessage { id: TalkId, message: String },
    #[error("{id} has no pin {number}")]
    NoPin { id: TalkId, number: u64 },
    #[error("{id} has no checkpoint {version}: versions {} are kept", versions.join(", "))]
    NoVersion { id: TalkId, version: u64, versions: Vec<String> },
    #[error("{id} is being compacted by process {pid}")]
    BeingCompacted { id: TalkId, pid: i32 },
    #[error("invalid value {0:?}: write it as KEY=VALUE")]
    NoKey(String),
    #[error("{key} of the context is made by deck; {allowed} can be given")]
    BadContextKey { key: String, allowed: String },
    #[error("{} can't be imported: {why}", path.display())]
    BadImport { path: PathBuf, why: String },
    /// A file outside could not be read or written.
    #[error("can't {action} {}", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error(transparent)]
    Files(#[from] ConversationsError),
}
