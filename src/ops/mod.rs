//! The use cases, one in each file, written against the ports alone.
//!
//! Invariants: the intent is on disk before a command goes to the multiplexer; every step can be repeated;
//! the TUI and the command line call the same functions on the same [`Cx`]. It must not know
//! files, tmux's syntax, or how anything is drawn.

mod acknowledge;
mod adopt;
mod agent_env;
mod answer;
mod archive;
mod attention;
mod cancel;
mod conversation_id;
mod create;
mod delete;
mod digest;
mod edit;
mod error;
mod explain;
mod fork;
mod front;
mod groups;
mod import;
mod launch;
mod orphans;
mod output;
mod pane_input;
mod panes;
mod press;
mod preview_header;
mod profiles;
mod restart;
mod revive;
mod send;
mod set;
mod stop;
#[cfg(test)]
mod tests;
mod undo;
mod verify_resume;
mod versions;
pub mod watch;

pub use acknowledge::acknowledge;
pub use adopt::{Candidate, Candidates, KnownBy, adopt, candidates};
pub use answer::{Answered, Pick, Question, answer, question};
pub use archive::{archive, archived, unarchive};
pub use attention::{Need, need, needy};
pub use cancel::{Cancel, HeldOff};
pub use conversation_id::{record_conversation_id, wait_for_session_id};
pub use create::{Created, New, create, default_title, prepare};
pub use delete::{Deleted, delete};
pub use digest::{count, count_of, digest, said};
pub use edit::{arrange, move_to, place, rename, reorder};
pub use error::{OpError, OpResult};
pub use explain::evidence_words;
pub use fork::fork;
pub use groups::{
    add_group, move_group, remove_group, rename_group, reorder_group, set_default_path, set_expanded,
};
pub use import::{conversations, import, known_conversations};
pub use launch::{Launched, preview, start};
pub use orphans::recover_orphans;
pub use output::{history, screen};
pub use pane_input::{PaneInput, type_into};
pub use panes::servers;
pub use press::press;
pub use preview_header::{PreviewHeader, preview_header};
pub use profiles::retag_profile;
pub use restart::{Restarted, restart};
pub use revive::{Revived, look_settled, lost, revive};
pub use send::{Receipt, SendOptions, Unsent, keep_draft, paste_when_ready, send};
pub use set::{KEYS as SETTINGS, set};
pub use stop::stop;
pub use undo::{Undone, undo};
pub use verify_resume::{verify_resume, verify_resume_of};
pub use versions::versions;
pub use watch::{SessionState, Snapshot, Watcher};

use std::path::PathBuf;
use std::sync::Arc;

use crate::domain::id::{ProfileName, SessionId};
use crate::domain::session::Session;
use crate::ports::mux::ServerId;
use crate::ports::{Catalogue, Clock, History, Host, Mux, Reports, Store};

/// Where this deck is and on whose behalf it acts.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    /// The profile.
    pub profile: ProfileName,
    /// What names this deck's home on a shared tmux server.
    pub home_key: String,
    /// `DECK_HOME`, when it is set.
    pub deck_home: Option<String>,
    /// deck's own server.
    pub socket: ServerId,
    /// deck's own program, by absolute path.
    pub program: String,
    /// The caller's environment.
    pub env: Vec<(String, String)>,
    /// The caller's working directory.
    pub cwd: PathBuf,
    /// The folder for settings files that deck passes to agents.
    pub files: PathBuf,
    /// The session the caller itself runs in.
    pub inside: Option<SessionId>,
    /// Columns and rows of a session that nobody has looked at yet.
    pub size: (u16, u16),
}

/// Columns and rows where nobody has said where a session will be seen.
pub const UNSEEN: (u16, u16) = (200, 50);

impl Caller {
    /// A variable of the caller; none when it is unset or empty.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.env.iter().find(|(k, _)| k == name).map(|(_, v)| v.as_str()).filter(|v| !v.is_empty())
    }
}

/// Everything a use case works with: one profile on one multiplexer.
#[derive(Clone)]
pub struct Cx {
    /// The profile on disk.
    pub store: Arc<dyn Store>,
    /// The multiplexer.
    pub mux: Arc<dyn Mux>,
    /// The agents' own reports.
    pub reports: Arc<dyn Reports>,
    /// The machine.
    pub host: Arc<dyn Host>,
    /// Time and ids.
    pub clock: Arc<dyn Clock>,
    /// The tools.
    pub tools: Arc<dyn Catalogue>,
    /// The last changes of status.
    pub history: Arc<dyn History>,
    /// Where and on whose behalf.
    pub caller: Arc<Caller>,
    /// Whether the caller still waits.
    pub cancel: Cancel,
}

impl std::fmt::Debug for Cx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Deck").field("place", &self.caller).finish_non_exhaustive()
    }
}

impl Cx {
    /// This deck for sessions that will first be seen at this size.
    #[must_use]
    pub fn seen_at(&self, size: (u16, u16)) -> Self {
        Self { caller: Arc::new(Caller { size, ..(*self.caller).clone() }), ..self.clone() }
    }

    /// The live session with this id, as it is on disk now.
    ///
    /// # Errors
    /// [`OpError::Missing`] when there is none, or it is in the trash.
    pub fn session(&self, id: &SessionId) -> OpResult<Session> {
        let profile = self.store.load()?.profile;
        profile
            .session(id)
            .filter(|s| s.deleted_at.is_none())
            .cloned()
            .ok_or_else(|| OpError::Missing(id.clone()))
    }

    /// The server that a session is on: deck's own where its record names none.
    pub fn server_of<'a>(&'a self, session: &'a Session) -> &'a ServerId {
        if session.tmux.socket.is_empty() { &self.caller.socket } else { &session.tmux.socket }
    }

    /// Changes one session's record.
    ///
    /// # Errors
    /// [`OpError`] when it is gone or can't be written.
    pub fn change_session(&self, id: &SessionId, mut change: impl FnMut(&mut Session)) -> OpResult<Session> {
        let now = self.clock.now();
        crate::ports::transact(&*self.store, |profile| {
            let session = profile
                .session_mut(id)
                .filter(|s| s.deleted_at.is_none())
                .ok_or_else(|| OpError::Missing(id.clone()))?;
            change(session);
            session.updated_at = now;
            Ok(session.clone())
        })
    }
}
