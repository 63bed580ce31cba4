//! The terminal multiplexer that sessions live on.
//!
//! Invariants of every implementation: targets are the multiplexer's own ids, never names;
//! nothing foreign is expanded as a format; reading starts no server.

mod refs;

use std::collections::BTreeMap;

pub use super::tags::{Tag, TagName};
use crate::domain::id::{SessionId, is_conversation};
use crate::domain::launch::Publish;
use crate::domain::session::Adopted;
use crate::domain::status::{Exit, HookNote, StartKind};
pub use refs::{PaneRef, ServerId, SessionRef};

/// The agent's pane of one session, as the batched list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaneRow {
    /// The session.
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
    /// Clients of users that show this session.
    pub attached: u32,
    /// Whether its window has reported a change, and reports no other before [`Mux::rearm`].
    pub reported: bool,
    /// The pane's size in cells: columns, rows.
    pub size: (u16, u16),
    /// The pane's title, stripped.
    pub title: String,
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
    /// What the agent's hook reported last.
    pub hook: Option<HookNote>,
}

impl PaneRow {
    /// The server that it is on.
    pub fn server(&self) -> &ServerId {
        &self.pane.server
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
    /// The session.
    pub session: SessionRef,
    /// The session's name.
    pub name: String,
    /// The pane.
    pub pane: PaneRef,
    /// The pane's process.
    pub pid: i32,
    /// deck's id, where the session has one already.
    pub deck_id: Option<SessionId>,
    /// The pane's title, stripped.
    pub title: String,
}

impl ForeignPane {
    /// The server that it is on.
    pub fn server(&self) -> &ServerId {
        &self.pane.server
    }
}

/// A batched list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PaneList {
    /// The server's second of the list.
    pub at: i64,
    /// The panes, in no particular order.
    pub rows: Vec<PaneRow>,
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

/// Why a server gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Silence {
    /// Its process is stopped.
    Stopped(i32),
    /// Anything else, in words.
    Failed(String),
}

impl Silence {
    /// What an error says about the server.
    pub fn of(error: &MuxError) -> Self {
        match error {
            MuxError::Stopped(pid) | MuxError::Unreached { why: Self::Stopped(pid), .. } => {
                Self::Stopped(*pid)
            }
            other => Self::Failed(other.to_string()),
        }
    }

    /// One thing to do about it, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Stopped(pid) => Some(format!("`kill -CONT {pid}` lets it continue")),
            Self::Failed(_) => None,
        }
    }
}

impl std::fmt::Display for Silence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Stopped(pid) => write!(f, "its process {pid} is stopped"),
            Self::Failed(words) => f.write_str(words),
        }
    }
}

/// What a full inventory adds for one session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordTags {
    /// The home of the deck that made it.
    pub home: String,
    /// Its profile.
    pub profile: String,
    /// The user's title.
    pub title: String,
    /// The tool.
    pub tool: String,
    /// The command, as recorded.
    pub command: String,
    /// Its directory.
    pub path: String,
    /// Its group.
    pub group: String,
}

/// A pane's capture, with colours.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ScreenCapture {
    /// The rows, raw, each with its escape sequences.
    pub lines: Vec<Vec<u8>>,
    /// Columns and rows of the pane.
    pub size: (u16, u16),
    /// The cursor's column and row, when it is shown.
    pub cursor: Option<(u16, u16)>,
    /// How many lines have scrolled away above, and are kept.
    pub history: u32,
    /// How many lines back this capture is.
    pub back: u32,
}

/// A session to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// Its name: `[A-Za-z0-9_-]` only.
    pub name: String,
    /// The working directory.
    pub dir: String,
    /// The script that its pane runs.
    pub script: String,
    /// Its environment.
    pub env: BTreeMap<String, String>,
    /// Columns and rows.
    pub size: (u16, u16),
    /// What to put on it in the same breath.
    pub tags: Vec<Tag>,
}

/// What was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreatedPane {
    /// The session.
    pub session: SessionRef,
    /// Its pane.
    pub pane: PaneRef,
    /// The pane's process.
    pub pid: Option<i32>,
}

/// A pane's process to be replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Respawn {
    /// The session.
    pub session: SessionRef,
    /// The pane, which keeps its id.
    pub pane: PaneRef,
    /// The working directory.
    pub dir: String,
    /// The script to run.
    pub script: String,
    /// What to put on the session in the same breath.
    pub tags: Vec<Tag>,
}

/// What went wrong between deck and the multiplexer.
#[derive(Debug, thiserror::Error)]
pub enum MuxError {
    /// The program is not installed.
    #[error("tmux is not installed")]
    NotInstalled,
    /// The program is older than deck can work with.
    #[error("tmux {found} is too old: deck needs {needed}")]
    TooOld {
        /// The version found.
        found: String,
        /// The oldest that works.
        needed: &'static str,
    },
    /// No server runs on the socket.
    #[error("no tmux server on socket {:?}", .0.as_str())]
    NoServer(ServerId),
    /// The connection broke.
    #[error("lost the connection to the tmux server: {0}")]
    Closed(String),
    /// No answer in time.
    #[error("the tmux server didn't respond within {0} s")]
    TimedOut(u64),
    /// One of several servers can't be asked.
    #[error("can't reach the tmux server on socket {:?}: {why}", .server.as_str())]
    Unreached {
        /// Which.
        server: ServerId,
        /// Why.
        why: Silence,
    },
    /// The server is stopped, so it answers nobody.
    #[error("the tmux server (process {0}) is stopped")]
    Stopped(i32),
    /// Another process has the server's lock.
    #[error("the tmux server is {0}")]
    Busy(super::Busy),
    /// A command was refused.
    #[error("tmux refused {command}: {message}")]
    Refused {
        /// The command's name.
        command: String,
        /// The server's words.
        message: String,
    },
    /// An answer of the server that can't be understood.
    #[error("unexpected answer from tmux to {command}: {answer:?}")]
    Unexpected {
        /// The command's name.
        command: String,
        /// What came.
        answer: String,
    },
    /// Something that can't be passed.
    #[error("can't pass {0} to tmux: it contains a NUL character")]
    Unpassable(&'static str),
    /// It could not be started.
    #[error("can't start tmux")]
    Start(#[source] std::io::Error),
}

/// What the user's other servers hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Strangers {
    /// Their panes.
    pub panes: Vec<ForeignPane>,
    /// Those that did not answer in time.
    pub silent: Vec<ServerId>,
}

/// A multiplexer's server, and those on which sessions were adopted.
pub trait Mux: Send + Sync {
    /// Lists the sessions of these servers too, from now on: some were adopted there. deck's own is
    /// passed over.
    fn include(&self, servers: &[&ServerId]);

    /// The panes of all servers of this user but deck's own. Nothing is changed on any of them, and one
    /// that doesn't answer soon hides no other.
    ///
    /// # Errors
    /// [`MuxError`] when nothing can be asked.
    fn foreign_panes(&self) -> Result<Strangers, MuxError>;

    /// The agents' panes. With `changed_since`, only those that are dead or whose window changed
    /// in that server second or later. A server that doesn't answer hides no other: it is named in
    /// [`PaneList::unreached`].
    ///
    /// # Errors
    /// [`MuxError`]; [`MuxError::NoServer`] when none runs and none may be started.
    fn panes(&self, changed_since: Option<i64>) -> Result<PaneList, MuxError>;

    /// What the full inventory adds, for each session asked for; `None` for one that is gone.
    ///
    /// # Errors
    /// [`MuxError`] when the server can't be asked.
    fn record_tags(&self, sessions: &[SessionRef]) -> Result<Vec<Option<RecordTags>>, MuxError>;

    /// The value of each variable in each session's own environment.
    ///
    /// # Errors
    /// [`MuxError`] when the server can't be asked.
    fn environment(&self, wanted: &[(SessionRef, String)]) -> Result<Vec<Option<String>>, MuxError>;

    /// The text on each pane; `None` for one that is gone.
    ///
    /// # Errors
    /// [`MuxError`] when the server can't be asked.
    fn screens(&self, panes: &[PaneRef]) -> Result<Vec<Option<String>>, MuxError>;

    /// The capture of one pane with its colours, `back` lines back in its history or as many as there
    /// are; `None` when it is gone.
    ///
    /// # Errors
    /// [`MuxError`] when the server can't be asked.
    fn capture(&self, pane: &PaneRef, back: u32) -> Result<Option<ScreenCapture>, MuxError>;

    /// The last `lines` lines of a pane with its history, as text; `None` when it is gone.
    ///
    /// # Errors
    /// [`MuxError`] when the server can't be asked.
    fn history(&self, pane: &PaneRef, lines: u32) -> Result<Option<String>, MuxError>;

    /// Makes a session; starts the server if none runs.
    ///
    /// # Errors
    /// [`MuxError`] when it isn't made.
    fn create(&self, new: &NewSession) -> Result<CreatedPane, MuxError>;

    /// Ends a pane's process and runs another in it.
    ///
    /// # Errors
    /// [`MuxError`] when nothing was run.
    fn respawn(&self, respawn: &Respawn) -> Result<CreatedPane, MuxError>;

    /// How a script in a pane puts facts on its session.
    fn publish(&self) -> Publish;

    /// Puts facts on a session.
    ///
    /// # Errors
    /// [`MuxError`] when the session is gone.
    fn tag(&self, session: &SessionRef, tags: &[Tag]) -> Result<(), MuxError>;

    /// Puts a fact on each of several sessions in one burst. Those that are gone are passed over.
    ///
    /// # Errors
    /// [`MuxError`] when the server can't be asked.
    fn tag_each(&self, tags: &[(SessionRef, Tag)]) -> Result<(), MuxError>;

    /// Sets a variable in a session's environment.
    ///
    /// # Errors
    /// [`MuxError`] when the session is gone.
    fn set_environment(&self, session: &SessionRef, name: &str, value: &str) -> Result<(), MuxError>;

    /// Ends a session. One that is already gone is not an error.
    ///
    /// # Errors
    /// [`MuxError`] when the server can't be asked.
    fn kill(&self, session: &SessionRef) -> Result<(), MuxError>;

    /// Ends a pane, and with its last pane a session. One that is already gone is not an error.
    ///
    /// # Errors
    /// [`MuxError`] when the server can't be asked.
    fn close(&self, pane: &PaneRef) -> Result<(), MuxError>;

    /// Presses keys, by their tmux names.
    ///
    /// # Errors
    /// [`MuxError`] when the pane is gone.
    fn keys(&self, pane: &PaneRef, keys: &[&str]) -> Result<(), MuxError>;

    /// Types a text as it is, without any reading of it as keys.
    ///
    /// # Errors
    /// [`MuxError`] when the pane is gone.
    fn type_text(&self, pane: &PaneRef, text: &str) -> Result<(), MuxError>;

    /// Pastes a text, bracketed when the program asked for that.
    ///
    /// # Errors
    /// [`MuxError`] when the pane is gone.
    fn paste(&self, pane: &PaneRef, text: &str) -> Result<(), MuxError>;

    /// Turns the wheel over a pane: as its program wants it, if it takes the mouse; as arrow keys where it
    /// has the whole screen.
    ///
    /// # Errors
    /// [`MuxError`] when the pane is gone.
    fn wheel(&self, pane: &PaneRef, up: bool) -> Result<(), MuxError>;

    /// Has the windows of these sessions report their next change, where they report any.
    ///
    /// # Errors
    /// [`MuxError`] when the server can't be asked.
    fn rearm(&self, sessions: &[SessionRef]) -> Result<(), MuxError>;

    /// Makes the server collect children that ended, so that it learns how.
    ///
    /// # Errors
    /// [`MuxError`] when the server can't be asked.
    fn reap(&self) -> Result<(), MuxError>;

    /// The version of the server.
    ///
    /// # Errors
    /// [`MuxError`] when it can't be asked.
    fn version(&self) -> Result<String, MuxError>;

    /// Ends the whole server with every session on it: for a throw-away one alone.
    ///
    /// # Errors
    /// [`MuxError`] when it can't be asked.
    fn shut_down(&self) -> Result<(), MuxError>;
}
