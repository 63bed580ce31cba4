//! What a list of panes says: which panes there are, and what is known of each.

use std::collections::BTreeMap;

use super::{MuxError, PaneRef, ServerId, SessionRef, Silence};
use crate::domain::id::{SessionId, is_conversation};
use crate::domain::session::Adopted;
use crate::domain::status::{Exit, HookNote, Resized, SetupStep, StartKind};
use crate::domain::worker::WorkerId;

/// The agent's pane of one session, as the batched list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaneRow {
    pub session: SessionRef,
    /// The session's name.
    pub name: String,
    /// The agent's pane.
    pub pane: PaneRef,
    /// What the server knows of it.
    pub facts: PaneFacts,
    /// What deck keeps on its session.
    pub tags: SessionTags,
}

/// What a server knows of a pane.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PaneFacts {
    /// The agent's process.
    pub pid: Option<i32>,
    /// How it ended, once it is dead.
    pub dead: Option<Exit>,
    /// Server second of the window's last change.
    pub activity: i64,
    /// Terminals of users that are attached to this session, whichever of its windows they show.
    pub attached: u32,
    /// Whether its window is the one that its session shows, or would show.
    pub is_current: bool,
    /// Whether one of them shows this pane's window.
    pub is_looked_at: bool,
    /// Whether its window has reported a change, and reports no other before
    /// [`MuxWrite::rearm`](super::MuxWrite::rearm).
    pub reported: bool,
    /// The pane's size in cells: columns, rows.
    pub size: (u16, u16),
    /// The pane's title, stripped.
    pub title: String,
}

/// The pane of a terminal that works beside an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalRow {
    pub session: SessionRef,
    /// The session's name.
    pub name: String,
    pub pane: PaneRef,
    /// deck's id of the session.
    pub of: SessionId,
    pub worker: WorkerId,
    pub facts: PaneFacts,
}

/// What deck keeps on a session. A pane may set it, too: nothing of it is trusted unchecked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionTags {
    /// deck's id of the session.
    pub id: Option<SessionId>,
    /// What was adopted, as long as deck has not started the agent itself.
    pub adopted: Option<Adopted>,
    /// deck's memory of its status.
    pub memory: String,
    /// When the user last acknowledged it, in milliseconds of Unix time.
    pub ack: Option<i64>,
    /// When deck last answered a question of its agent, in milliseconds of Unix time.
    pub answered: Option<i64>,
    /// When deck last changed its window's size.
    pub resized: Option<Resized>,
    /// When it was last started, in milliseconds of Unix time.
    pub started: Option<i64>,
    /// How it was last started.
    pub start_kind: StartKind,
    /// The conversation's id, as published on the session.
    pub resume_id: Option<String>,
    /// The loopback port that the agent was told to serve on.
    pub port: Option<u16>,
    /// What a start noted about itself.
    pub note: String,
    /// How far the setup of its worktree is, if that is under way or failed.
    pub setup: Option<SetupStep>,
    /// What the agent's hook reported last.
    pub hook: Option<HookNote>,
}

impl PaneRow {
    pub fn server(&self) -> &ServerId {
        &self.pane.server
    }

    /// The server's second of the last change that is not the layout for a size that deck set.
    pub fn own_activity(&self) -> i64 {
        self.tags.resized.map_or(self.facts.activity, |resized| resized.own_activity(self.facts.activity))
    }

    /// The session that it reports, unless the id is invalid: a pane may set its options itself.
    pub fn own_id(&self) -> Option<&SessionId> {
        self.tags.id.as_ref().filter(|id| id.is_safe())
    }

    /// The conversation that it reports, unless the id is invalid.
    pub fn conversation(&self) -> Option<&str> {
        self.tags.resume_id.as_deref().filter(|id| is_conversation(id))
    }
}

/// A pane on a server that is not deck's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignPane {
    pub session: SessionRef,
    /// The session's name.
    pub name: String,
    pub pane: PaneRef,
    /// The pane's process.
    pub pid: i32,
    /// deck's id, where the session has one already.
    pub deck_id: Option<SessionId>,
    /// The pane's title, stripped.
    pub title: String,
}

impl ForeignPane {
    pub fn server(&self) -> &ServerId {
        &self.pane.server
    }
}

/// A batched list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PaneList {
    /// The server's second of the list.
    pub at: i64,
    /// The agents' panes, in no particular order.
    pub rows: Vec<PaneRow>,
    /// The terminals beside them; none in a list of what changed.
    pub terminals: Vec<TerminalRow>,
    /// Servers whose panes are not in it: nothing is known of them now.
    pub unreached: BTreeMap<ServerId, Silence>,
}

impl PaneList {
    /// Nothing, if this server answered.
    ///
    /// # Errors
    /// [`MuxError::Unreached`] if nothing is known of its panes now.
    pub fn reached(&self, server: &ServerId) -> Result<(), MuxError> {
        match self.unreached.get(server) {
            Some(why) => Err(MuxError::Unreached { server: server.clone(), why: why.clone() }),
            None => Ok(()),
        }
    }
}

/// What the user's other servers hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Strangers {
    pub panes: Vec<ForeignPane>,
    /// Those that did not answer in time.
    pub silent: Vec<ServerId>,
}
