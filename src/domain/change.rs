//! What was last done to the arrangement of a profile, so that it can be undone: titles, groups, order, archive.
//!
//! Invariant: it is recorded in the same write as what it undoes. An undo puts back only what is still as it was
//! left: what was changed since is kept.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::group::{Group, GroupPath};
use super::id::SessionId;
use super::mcp_servers::project_file::FileChange;
use super::profile::Profile;
use super::session::Session;

/// How many changes can be undone, one after the other.
const MOST: usize = 20;

/// One command's change of the arrangement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// When the command began.
    pub at: Timestamp,
    /// What it did, such as `moved {} to work`: `{}` are the sessions.
    pub words: String,
    /// The sessions that it changed.
    #[serde(default)]
    sessions: Vec<Moved>,
    /// Groups that were there before and are not any more, as they were.
    #[serde(default)]
    gone: Vec<Group>,
    /// Groups that were not there before, as they became.
    #[serde(default)]
    came: Vec<Group>,
    /// A file of the user's that it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<FileChange>,
    /// The handoff that it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<String>,
    /// Fields of a newer deck.
    #[serde(flatten)]
    extra: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Moved {
    id: SessionId,
    before: Place,
    after: Place,
}

/// What a session's arrangement is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    title: String,
    group: GroupPath,
    order: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    archived_at: Option<Timestamp>,
    /// When the worktree that it works in was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    removed_at: Option<Timestamp>,
}

impl Place {
    fn of(session: &Session) -> Self {
        Self {
            title: session.title.clone(),
            group: session.group_path.clone(),
            order: session.order,
            archived_at: session.archived_at,
            removed_at: session.place.as_ref().and_then(|place| place.removed_at),
        }
    }
}

/// What an undo of a change did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoneChange {
    /// What was undone, in words.
    pub words: String,
    /// The sessions that were put back.
    pub sessions: Vec<SessionId>,
}

/// Whether two records of a group are the same; which rows are shown is no arrangement.
fn same(a: &Group, b: &Group) -> bool {
    let shown = |group: &Group| Group { expanded: true, ..group.clone() };
    shown(a) == shown(b)
}

/// The groups of `these` that are not among `those`.
fn without(these: &[Group], those: &[Group]) -> Vec<Group> {
    these.iter().filter(|g| !those.iter().any(|other| same(g, other))).cloned().collect()
}

impl Profile {
    /// Does `change`, and records how it can be undone. What began at the same time is one command.
    ///
    /// # Errors
    /// What `change` returns; nothing is recorded then.
    pub fn arranged<T, E>(
        &mut self,
        at: Timestamp,
        words: &str,
        change: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let (groups, places): (Vec<Group>, Vec<(SessionId, Place)>) =
            (self.groups.clone(), self.sessions.iter().map(|s| (s.id.clone(), Place::of(s))).collect());
        let result = change(self)?;
        let moved = |(id, before): (SessionId, Place)| {
            let after = Place::of(self.session(&id)?);
            (after != before).then_some(Moved { id, before, after })
        };
        let sessions: Vec<Moved> = places.into_iter().filter_map(moved).collect();
        let (gone, came) = (without(&groups, &self.groups), without(&self.groups, &groups));
        if sessions.is_empty() && gone.is_empty() && came.is_empty() {
            return Ok(result);
        }
        match self
            .changes
            .last_mut()
            .filter(|last| last.at == at && last.file.is_none() && last.handoff.is_none())
        {
            Some(last) => {
                for new in sessions {
                    match last.sessions.iter_mut().find(|old| old.id == new.id) {
                        Some(old) => old.after = new.after,
                        None => last.sessions.push(new),
                    }
                }
                // A group that came and went within one command leaves no trace.
                let (passed, gone): (Vec<_>, Vec<_>) =
                    gone.into_iter().partition(|g| last.came.iter().any(|c| same(c, g)));
                last.came.retain(|c| !passed.iter().any(|g| same(c, g)));
                last.gone.extend(gone);
                last.came.extend(came);
            }
            None => {
                let words = words.to_owned();
                self.changes.push(Change {
                    at,
                    words,
                    sessions,
                    gone,
                    came,
                    file: None,
                    handoff: None,
                    extra: Map::new(),
                });
                self.forget_oldest();
            }
        }
        Ok(result)
    }

    fn forget_oldest(&mut self) {
        let surplus = self.changes.len().saturating_sub(MOST);
        self.changes.drain(..surplus);
    }

    /// Records a change of a file, and how it can be undone.
    pub fn changed_file(&mut self, at: Timestamp, words: String, file: FileChange) {
        let (sessions, gone, came) = (Vec::new(), Vec::new(), Vec::new());
        self.changes.push(Change {
            at,
            words,
            sessions,
            gone,
            came,
            file: Some(file),
            handoff: None,
            extra: Map::new(),
        });
        self.forget_oldest();
    }

    /// Records a handoff, which can be undone.
    pub fn changed_by_handoff(&mut self, at: Timestamp, words: String, handoff: String) {
        let (sessions, gone, came) = (Vec::new(), Vec::new(), Vec::new());
        let handoff = Some(handoff);
        self.changes.push(Change { at, words, sessions, gone, came, file: None, handoff, extra: Map::new() });
        self.forget_oldest();
    }

    /// Undoes the last change of the arrangement. A file that it changed is put back by who calls this, before.
    pub fn undo_change(&mut self) -> Option<UndoneChange> {
        let change = self.changes.pop()?;
        if let Some(file) = &change.file {
            self.project_mcps.retain(|server| server.file != file.file);
            self.project_mcps.extend(file.servers.iter().cloned());
        }
        let mut expanded: Vec<(GroupPath, bool)> = Vec::new();
        for came in &change.came {
            if let Some(at) = self.groups.iter().position(|g| same(g, came)) {
                let group = self.groups.remove(at);
                expanded.push((group.path, group.expanded));
            }
        }
        for mut group in change.gone {
            let is_taken = group.is_live() && self.group(&group.path).is_some();
            if !is_taken {
                let shown = expanded.iter().find(|(path, _)| *path == group.path);
                group.expanded = shown.map_or(group.expanded, |(_, shown)| *shown);
                self.groups.push(group);
            }
        }
        let titles: Vec<&str> = change.sessions.iter().map(|m| m.before.title.as_str()).collect();
        let what = match titles[..] {
            [one] => one.to_owned(),
            _ => format!("{} sessions", titles.len()),
        };
        let words = change.words.replace("{}", &what);
        let mut sessions = Vec::new();
        for moved in &change.sessions {
            let title_is_free =
                !self.live_sessions().any(|s| s.id != moved.id && s.title == moved.before.title);
            let Some(session) = self.session_mut(&moved.id) else { continue };
            if session.title == moved.after.title && title_is_free {
                session.title.clone_from(&moved.before.title);
            }
            if session.group_path == moved.after.group {
                session.group_path = moved.before.group.clone();
            }
            if session.order == moved.after.order {
                session.order = moved.before.order;
            }
            if session.archived_at == moved.after.archived_at {
                session.archived_at = moved.before.archived_at;
            }
            if let Some(place) = session.place.as_mut().filter(|p| p.removed_at == moved.after.removed_at) {
                place.removed_at = moved.before.removed_at;
            }
            sessions.push(moved.id.clone());
        }
        // What is still there keeps a group to be in.
        let homes: Vec<GroupPath> = self.live_sessions().map(|s| s.group_path.clone()).collect();
        let parents = self.live_groups().map(|g| g.path.parent());
        let needed: Vec<GroupPath> = homes.into_iter().chain(parents).filter(|p| !p.is_root()).collect();
        for path in &needed {
            self.ensure_group(path);
        }
        Some(UndoneChange { words, sessions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn id(name: &str) -> SessionId {
        SessionId::new(name)
    }

    fn path(text: &str) -> GroupPath {
        GroupPath::parse(text).unwrap()
    }

    fn profile() -> Profile {
        let sessions = ["a", "b", "c"].map(|n| Session::new(id(n), n, at(0))).to_vec();
        Profile { sessions, ..Profile::default() }
    }

    fn move_to(p: &mut Profile, at: Timestamp, name: &str, to: &str) {
        let done: Result<(), ()> = p.arranged(at, &format!("moved {{}} to {to}"), |p| {
            p.ensure_group(&path(to));
            p.session_mut(&id(name)).unwrap().group_path = path(to);
            Ok(())
        });
        done.unwrap();
    }

    #[test]
    fn one_command_is_undone_as_one_and_the_one_before_after_it() {
        let mut p = profile();
        let first = p.clone();
        move_to(&mut p, at(1), "a", "x/y");
        let second = p.clone();
        move_to(&mut p, at(2), "b", "z");
        move_to(&mut p, at(2), "c", "z");
        let undone = p.undo_change().unwrap();
        assert_eq!((undone.words.as_str(), undone.sessions.len()), ("moved 2 sessions to z", 2));
        assert_eq!(p, second);
        assert_eq!(p.undo_change().unwrap().words, "moved a to x/y");
        assert_eq!(p, first);
        assert_eq!(p.undo_change(), None);
    }

    #[test]
    fn what_was_changed_since_is_kept() {
        let mut p = profile();
        move_to(&mut p, at(1), "a", "x");
        p.session_mut(&id("b")).unwrap().group_path = path("x");
        p.session_mut(&id("a")).unwrap().title = "mine".to_owned();
        p.undo_change().unwrap();
        let a = p.session(&id("a")).unwrap();
        assert_eq!((a.title.as_str(), a.group_path.is_root()), ("mine", true));
        assert!(p.group(&path("x")).is_some(), "b is in it");
    }

    #[test]
    fn a_failed_command_leaves_no_record_and_neither_does_one_that_changes_nothing() {
        let mut p = profile();
        assert_eq!(p.arranged(at(1), "x", |_| Err::<(), _>(3)), Err(3));
        assert_eq!(p.arranged(at(1), "x", |_| Ok::<_, ()>(4)), Ok(4));
        assert_eq!(p.undo_change(), None);
    }

    #[test]
    fn groups_that_were_renamed_or_created_are_as_before() {
        let mut p = profile();
        p.ensure_group(&path("x/y"));
        p.session_mut(&id("a")).unwrap().group_path = path("x/y");
        let before = p.clone();
        p.arranged(at(1), "renamed group x to z", |p| p.rename_group(&path("x"), "z")).unwrap();
        assert_eq!(p.session(&id("a")).unwrap().group_path, path("z/y"));
        p.undo_change().unwrap();
        let sorted = |p: &Profile| {
            let mut all: Vec<String> = p.groups.iter().map(|g| g.path.to_string()).collect();
            all.sort();
            (all, p.sessions.clone())
        };
        assert_eq!(sorted(&p), sorted(&before));
        p.arranged(at(2), "created group n/m", |p| p.create_group(&path("n/m"))).unwrap();
        assert_eq!(p.undo_change().unwrap().words, "created group n/m");
        assert_eq!(sorted(&p), sorted(&before));
    }

    #[test]
    fn it_survives_the_file() {
        let mut p = profile();
        move_to(&mut p, at(1), "a", "x");
        let text = serde_json::to_string(&p).unwrap();
        let mut read: Profile = serde_json::from_str(&text).unwrap();
        assert_eq!(read, p);
        assert_eq!(read.undo_change().unwrap().words, "moved a to x");
    }
}
