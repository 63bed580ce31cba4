//! The headless shells of the profile that is shown.

use super::Model;
use crate::domain::fuzzy::Query;
use crate::domain::id::SessionId;
use crate::domain::profile::Profile;
use crate::domain::session::Session;
use crate::domain::shell::ShellId;
use crate::domain::tree::{RowKey, ShellNode};
use crate::ops::shell::{JobTail, ShellState, ShellsSeen};

/// What is known of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shells {
    seen: ShellsSeen,
}

impl Shells {
    /// Takes what was seen last.
    pub(in crate::app) fn take(&mut self, seen: ShellsSeen) {
        self.seen = seen;
    }

    /// All active ones, oldest first.
    pub fn all(&self) -> &[ShellState] {
        &self.seen.shells
    }

    pub fn get(&self, id: &ShellId) -> Option<&ShellState> {
        self.seen.shells.iter().find(|s| s.shell.session_id == *id)
    }

    /// The end of what this shell's job printed, never of another's.
    pub fn tail(&self, id: &ShellId) -> Option<&JobTail> {
        self.seen.tail.as_ref().filter(|tail| tail.job.session_id == *id)
    }

    /// Whether a job runs in one of them: its time is shown by the second.
    pub(super) fn any_runs(&self) -> bool {
        self.seen.shells.iter().any(|s| s.running > 0)
    }

    /// Those that pass the filter's words, as the tree places them.
    pub(super) fn nodes(&self, profile: &Profile, words: &str) -> Vec<ShellNode> {
        let query = Query::new(words);
        let passes = |s: &&ShellState| {
            let code = s.job.as_ref().map(|j| j.code.as_str()).unwrap_or_default();
            query.score(s.shell.label(), &[s.shell.work_dir.as_str(), code]).is_some()
        };
        let node = |s: &ShellState| ShellNode {
            id: s.shell.session_id.clone(),
            under: owner(profile, s).map(|session| session.id.clone()),
        };
        self.seen.shells.iter().filter(passes).map(node).collect()
    }
}

/// The live session that owns a shell.
fn owner<'a>(profile: &'a Profile, state: &ShellState) -> Option<&'a Session> {
    let id = SessionId::parse(&state.shell.owner)?;
    profile.session(&id).filter(|s| s.is_live())
}

impl Model {
    /// The selected shell.
    pub fn shell(&self) -> Option<&ShellState> {
        match self.view.cursor.as_ref()? {
            RowKey::Shell(id) => self.profile.shells.get(id),
            _ => None,
        }
    }

    /// The session that owns the selected shell.
    pub(in crate::app) fn shell_owner(&self) -> Option<&Session> {
        owner(self.record(), self.shell()?)
    }
}
