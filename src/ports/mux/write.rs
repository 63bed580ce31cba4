//! Changing what is on the multiplexer: sessions, their facts and their environments.

use std::collections::BTreeMap;

use super::{MuxError, PaneRef, SessionRef, Tag};
use crate::domain::launch::Publish;
use crate::domain::worker::WorkerId;

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
    pub session: SessionRef,
    pub pane: PaneRef,
    /// The pane's process.
    pub pid: Option<i32>,
}

/// A pane's process to be replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Respawn {
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

/// A window to be made in a session that is there, for a terminal beside its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewWindow {
    pub session: SessionRef,
    /// The window's name.
    pub name: String,
    /// The worker that it is for.
    pub worker: WorkerId,
    /// The working directory.
    pub dir: String,
    /// The script that its pane runs.
    pub script: String,
    /// Where its programs are looked for; none: where this deck's are.
    pub path: Option<String>,
}

/// The process of a terminal to be replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RespawnWindow {
    /// The pane, which keeps its id.
    pub pane: PaneRef,
    /// The working directory.
    pub dir: String,
    /// The script to run.
    pub script: String,
}

/// Making, changing and ending sessions.
pub trait MuxWrite: Send + Sync {
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

    /// Makes a window for a terminal. The window that clients show stays the one that they show.
    ///
    /// # Errors
    /// [`MuxError`] when it isn't made.
    fn create_window(&self, new: &NewWindow) -> Result<CreatedPane, MuxError>;

    /// Makes a session with a terminal and without an agent; starts the server if none runs.
    ///
    /// # Errors
    /// [`MuxError`] when it isn't made.
    fn create_with_terminal(&self, new: &NewSession, worker: &WorkerId) -> Result<CreatedPane, MuxError>;

    /// Ends a terminal's process and runs another in its pane.
    ///
    /// # Errors
    /// [`MuxError`] when nothing was run.
    fn respawn_window(&self, respawn: &RespawnWindow) -> Result<(), MuxError>;

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

    /// Gives the window of a pane another size, in columns and rows, and puts a fact on its session in the same breath, unless
    /// the window has that size, or a client shows it: then nothing is done. A client that shows it later has it in its own
    /// size.
    ///
    /// # Errors
    /// [`MuxError`] when the session is gone.
    fn resize(
        &self,
        pane: &PaneRef,
        size: (u16, u16),
        tag: Option<(&SessionRef, &Tag)>,
    ) -> Result<(), MuxError>;

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

    /// Ends the whole server with every session on it: for a throw-away one alone.
    ///
    /// # Errors
    /// [`MuxError`] when it can't be asked.
    fn shut_down(&self) -> Result<(), MuxError>;
}
