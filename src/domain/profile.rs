//! A profile's contents: its sessions and groups, as one value.
//!
//! Invariants: `revision` counts writes; a session's group exists for as long as the session is
//! live; what is deleted stays in the trash until [`Profile::purge`] finds it old enough.

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::change::Change;
use super::group::{Group, GroupPath};
use super::handoff::Handoff;
use super::id::SessionId;
use super::mcp_servers::project_file::ProjectServer;
use super::repository::Repository;
use super::session::Session;

/// The format this deck writes.
pub const SCHEMA_VERSION: u32 = 1;

/// How long something stays in the trash.
pub const TRASH_DAYS: i64 = 7;

/// Everything a profile holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Format of the file.
    #[serde(default = "current_schema")]
    pub schema_version: u32,
    /// Counts writes.
    #[serde(default)]
    pub revision: u64,
    /// Sessions, also those in the trash and the archive.
    #[serde(default)]
    pub sessions: Vec<Session>,
    /// Groups, also those in the trash.
    #[serde(default)]
    pub groups: Vec<Group>,
    /// Repositories that were added, or first used for a worktree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repositories: Vec<Repository>,
    /// What was last done to the arrangement, to be undone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
    /// The MCP servers that deck has written into projects' files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub project_mcps: Vec<ProjectServer>,
    /// What was handed over from one session to another, the oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handoffs: Vec<Handoff>,
    /// Fields of a newer deck.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

const fn current_schema() -> u32 {
    SCHEMA_VERSION
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            revision: 0,
            sessions: Vec::new(),
            groups: Vec::new(),
            repositories: Vec::new(),
            changes: Vec::new(),
            project_mcps: Vec::new(),
            handoffs: Vec::new(),
            extra: Map::new(),
        }
    }
}

/// What an undo brought back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Restored {
    pub sessions: Vec<SessionId>,
    pub groups: Vec<GroupPath>,
}

impl Profile {
    /// Sessions that are neither deleted nor archived.
    pub fn live_sessions(&self) -> impl Iterator<Item = &Session> {
        self.sessions.iter().filter(|s| s.is_live())
    }

    /// Groups that are not deleted.
    pub fn live_groups(&self) -> impl Iterator<Item = &Group> {
        self.groups.iter().filter(|g| g.is_live())
    }

    /// The session with this id, deleted or not.
    pub fn session(&self, id: &SessionId) -> Option<&Session> {
        self.sessions.iter().find(|s| &s.id == id)
    }

    /// All sessions by their ids, deleted ones too: for those who look up many of them.
    pub fn by_id(&self) -> HashMap<&SessionId, &Session> {
        self.sessions.iter().map(|s| (&s.id, s)).collect()
    }

    /// The session with this id, to change.
    pub fn session_mut(&mut self, id: &SessionId) -> Option<&mut Session> {
        self.sessions.iter_mut().find(|s| &s.id == id)
    }

    /// The live group at this path.
    pub fn group(&self, path: &GroupPath) -> Option<&Group> {
        self.live_groups().find(|g| &g.path == path)
    }

    /// The order that puts a new session behind all others of its group.
    pub fn next_session_order(&self, group: &GroupPath) -> i64 {
        self.live_sessions().filter(|s| &s.group_path == group).map(|s| s.order + 1).max().unwrap_or(0)
    }

    /// Puts a session into the trash. Its children lose nothing: they stay.
    pub fn delete_session(&mut self, id: &SessionId, at: Timestamp) -> bool {
        match self.session_mut(id) {
            Some(s) if s.deleted_at.is_none() => {
                s.deleted_at = Some(at);
                s.updated_at = at;
                true
            }
            _ => false,
        }
    }

    /// When something was deleted last that can be brought back.
    pub fn last_deletion(&self) -> Option<Timestamp> {
        let sessions = self.sessions.iter().filter_map(|s| s.deleted_at);
        sessions.chain(self.groups.iter().filter_map(|g| g.deleted_at)).max()
    }

    /// Brings back what was deleted last: everything that shares the newest time of deletion.
    pub fn undo_delete(&mut self) -> Restored {
        let Some(at) = self.last_deletion() else { return Restored::default() };
        let mut groups = Vec::new();
        for group in self.groups.iter_mut().filter(|g| g.deleted_at == Some(at)) {
            group.deleted_at = None;
            groups.push(group.path.clone());
        }
        let sessions = self.restore_sessions(|s| s.deleted_at == Some(at));
        Restored { sessions, groups }
    }

    /// Brings back one session from the trash.
    pub fn undo_delete_of(&mut self, id: &SessionId) -> Restored {
        let at = self.session(id).and_then(|s| s.deleted_at);
        // What was deleted with it, since it belongs to it, comes back with it.
        let mut all = vec![id.clone()];
        let mut next = 0;
        while let Some(of) = all.get(next).cloned() {
            let is_of = |s: &&Session| s.worker_of.as_ref() == Some(&of) && s.deleted_at == at;
            let more: Vec<SessionId> = self.sessions.iter().filter(is_of).map(|s| s.id.clone()).collect();
            all.extend(more.into_iter().filter(|id| !all.contains(id)).collect::<Vec<_>>());
            next += 1;
        }
        Restored { sessions: self.restore_sessions(|s| all.contains(&s.id)), groups: Vec::new() }
    }

    /// Takes the chosen sessions out of the trash, each with a group to be in.
    fn restore_sessions(&mut self, chosen: impl Fn(&Session) -> bool) -> Vec<SessionId> {
        let mut restored = Vec::new();
        let mut groups = Vec::new();
        for session in self.sessions.iter_mut().filter(|s| s.deleted_at.is_some()) {
            if chosen(session) {
                session.deleted_at = None;
                restored.push(session.id.clone());
                groups.push(session.group_path.clone());
            }
        }
        for path in groups {
            self.ensure_group(&path);
        }
        restored
    }

    /// Forgets for good what has been in the trash for [`TRASH_DAYS`].
    pub fn purge(&mut self, now: Timestamp) {
        let old = |at: Option<Timestamp>| {
            at.is_some_and(|at| now.duration_since(at) > SignedDuration::from_hours(24 * TRASH_DAYS))
        };
        self.sessions.retain(|s| !old(s.deleted_at));
        self.groups.retain(|g| !old(g.deleted_at));
        self.changes.retain(|c| !old(Some(c.at)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn profile(ids: &[&str]) -> Profile {
        let sessions = ids.iter().map(|id| Session::new(SessionId::new(*id), id, at(0))).collect();
        Profile { sessions, ..Profile::default() }
    }

    #[test]
    fn undo_brings_back_the_last_batch_only() {
        let mut p = profile(&["a", "b", "c"]);
        p.delete_session(&SessionId::new("a"), at(1));
        p.delete_session(&SessionId::new("b"), at(2));
        p.delete_session(&SessionId::new("c"), at(2));
        assert_eq!(p.undo_delete().sessions.len(), 2);
        assert_eq!(p.undo_delete().sessions, [SessionId::new("a")]);
        assert_eq!(p.undo_delete(), Restored::default());
    }

    #[test]
    fn a_restored_session_gets_its_group_back() {
        let mut p = profile(&["a"]);
        p.sessions[0].group_path = GroupPath::parse("x/y").unwrap();
        p.delete_session(&SessionId::new("a"), at(1));
        p.undo_delete_of(&SessionId::new("a"));
        assert!(p.group(&GroupPath::parse("x/y").unwrap()).is_some());
    }

    #[test]
    fn the_trash_is_emptied_after_a_week() {
        let mut p = profile(&["a", "b"]);
        p.delete_session(&SessionId::new("a"), at(0));
        p.purge(at(TRASH_DAYS * 86_400));
        assert_eq!(p.sessions.len(), 2);
        p.purge(at(TRASH_DAYS * 86_400 + 1));
        assert_eq!(p.sessions.len(), 1);
    }
}
