//! What is done to conversations, and what of them is read.

use std::path::PathBuf;

use crate::domain::conversation::Said;
use crate::domain::id::SessionId;
use crate::domain::talk::TalkId;

/// Names a conversation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TalkName {
    /// The project's folder that it is in.
    pub root: PathBuf,
    pub id: TalkId,
}

/// Whose words are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Whose {
    /// Those of a session's transcript.
    Session(SessionId),
    /// Those of a conversation.
    Talk(TalkName),
}

/// A page of the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TalkPage {
    Messages,
    Checkpoint,
    /// What a request would be made of.
    Request,
}

impl TalkPage {
    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Messages => "messages",
            Self::Checkpoint => "checkpoint",
            Self::Request => "request",
        }
    }

    /// The page behind it.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Messages => Self::Checkpoint,
            Self::Checkpoint => Self::Request,
            Self::Request => Self::Messages,
        }
    }
}

/// What is on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageText {
    Said(Vec<Said>),
    Markdown(String),
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TalkWork {
    /// List the conversations of a session's project, or of the folder that deck was started in, and those that sessions carry.
    List(Option<SessionId>),
    Read(Whose, TalkPage),
    /// Pin a text, or a message by its words.
    Pin(Whose, String),
    Compact(TalkName),
    Archive(TalkName),
}

impl TalkWork {
    /// Whether it changes a conversation.
    pub const fn changes(&self) -> bool {
        matches!(self, Self::Pin(..) | Self::Compact(_) | Self::Archive(_))
    }

    /// The session whose words it is about, if it is one.
    pub const fn session(&self) -> Option<&SessionId> {
        match self {
            Self::Read(Whose::Session(id), _) | Self::Pin(Whose::Session(id), _) => Some(id),
            _ => None,
        }
    }
}
