//! Reading from the multiplexer: which panes there are, what they show, and what deck keeps on their sessions.

use super::{MuxError, PaneList, PaneRef, ServerId, SessionRef, Strangers};

/// What a full inventory adds for one session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordTags {
    /// The home of the deck that made it.
    pub home: String,
    pub profile: String,
    /// The user's title.
    pub title: String,
    pub tool: String,
    /// The command, as recorded.
    pub command: String,
    /// Its directory.
    pub path: String,
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

/// Looking at the servers: nothing is changed on them.
pub trait MuxRead: Send + Sync {
    /// The agents' panes on these servers. With `changed_since`, only those that are dead or whose window
    /// changed in that server second or later. A server that doesn't answer hides no other: it is named in
    /// [`PaneList::unreached`].
    ///
    /// # Errors
    /// [`MuxError`]; [`MuxError::NoServer`] when deck's own is the only one asked, and it doesn't run.
    fn panes(&self, servers: &[ServerId], changed_since: Option<i64>) -> Result<PaneList, MuxError>;

    /// The panes of all servers of this user but deck's own. Nothing is changed on any of them, and one
    /// that doesn't answer soon hides no other.
    ///
    /// # Errors
    /// [`MuxError`] when nothing can be asked.
    fn foreign_panes(&self) -> Result<Strangers, MuxError>;

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

    /// When a user was last at each session: attached to it, or typed into it, in that server's seconds. `None` for one at
    /// which none ever was.
    ///
    /// # Errors
    /// [`MuxError`] when the server can't be asked.
    fn last_typed(&self, sessions: &[SessionRef]) -> Result<Vec<Option<i64>>, MuxError>;

    /// The session that a client of deck's own server was last shown; `None` if another client was shown one since.
    /// `client` is its process, which may have ended.
    ///
    /// # Errors
    /// [`MuxError`] when the server can't be asked.
    fn last_session_of(&self, client: i32) -> Result<Option<SessionRef>, MuxError>;

    /// The version of the server.
    ///
    /// # Errors
    /// [`MuxError`] when it can't be asked.
    fn version(&self) -> Result<String, MuxError>;
}
