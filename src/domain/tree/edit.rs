//! Changes to the tree of groups.
//!
//! Invariants: every ancestor of a live group is live; no two live groups share a path; no
//! change loses a session. Each change either happens whole or returns an error and changes nothing.

use jiff::Timestamp;

use crate::domain::group::{Group, GroupPath};
use crate::domain::profile::Profile;
use crate::domain::text;

/// What to do with the sessions of a group that is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeleteMode {
    /// Refuse while the group holds any.
    IfEmpty,
    /// Move sessions and subgroups to the group above.
    MoveUp,
    /// Delete sessions and subgroups along with it.
    Along,
}

/// Why a change of the tree was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GroupError {
    /// No such group.
    #[error("no group \"{0}\"")]
    Missing(GroupPath),
    #[error("group \"{0}\" already exists")]
    Taken(GroupPath),
    /// A group can't be put below itself.
    #[error("can't move group \"{0}\" into its own subgroup \"{1}\"")]
    IntoItself(GroupPath, GroupPath),
    /// The group holds sessions or subgroups.
    #[error(
        "group \"{path}\" isn't empty: it holds {} and {}",
        text::counted(*sessions, "session"),
        text::counted(*groups, "group")
    )]
    NotEmpty {
        path: GroupPath,
        /// Sessions in it and below.
        sessions: usize,
        /// Groups below it.
        groups: usize,
    },
}

impl Profile {
    /// Makes `path` and what is missing above it. Returns the paths that are new.
    pub fn ensure_group(&mut self, path: &GroupPath) -> Vec<GroupPath> {
        let mut made = Vec::new();
        for step in path.lineage() {
            if self.group(&step).is_none() {
                let order = self.next_group_order(&step.parent());
                self.groups.push(Group::new(step.clone(), order));
                made.push(step);
            }
        }
        made
    }

    /// Makes a new group.
    ///
    /// # Errors
    /// [`GroupError::Taken`] when it exists.
    pub fn create_group(&mut self, path: &GroupPath) -> Result<(), GroupError> {
        if self.group(path).is_some() {
            return Err(GroupError::Taken(path.clone()));
        }
        self.ensure_group(path);
        Ok(())
    }

    /// Gives a group another last name; everything below it follows.
    ///
    /// # Errors
    /// [`GroupError`] when it is missing or the name is taken.
    pub fn rename_group(&mut self, path: &GroupPath, name: &str) -> Result<GroupPath, GroupError> {
        let target = path.parent().join(name);
        self.rebase_group(path, &target)?;
        Ok(target)
    }

    /// Puts a group below another one, or at the first level; everything below it follows.
    ///
    /// # Errors
    /// [`GroupError`] when it is missing, the place is taken, or lies inside it.
    pub fn move_group(&mut self, path: &GroupPath, to: &GroupPath) -> Result<GroupPath, GroupError> {
        if to.is_within(path) {
            return Err(GroupError::IntoItself(path.clone(), to.clone()));
        }
        let target = to.join(path.name());
        let order = self.next_group_order(to);
        self.rebase_group(path, &target)?;
        if path.parent() != *to
            && let Some(group) = self.groups.iter_mut().find(|g| g.is_live() && g.path == target)
        {
            group.order = order;
        }
        Ok(target)
    }

    fn rebase_group(&mut self, from: &GroupPath, to: &GroupPath) -> Result<(), GroupError> {
        if self.group(from).is_none() {
            return Err(GroupError::Missing(from.clone()));
        }
        if from == to {
            return Ok(());
        }
        if self.group(to).is_some() {
            return Err(GroupError::Taken(to.clone()));
        }
        self.ensure_group(&to.parent());
        for group in self.groups.iter_mut().filter(|g| g.is_live()) {
            group.path = group.path.rebase(from, to);
            group.name = group.path.name().to_owned();
        }
        // Sessions in the trash follow too, so that an undo finds their group.
        for session in &mut self.sessions {
            session.group_path = session.group_path.rebase(from, to);
        }
        Ok(())
    }

    /// Moves a group among its siblings by `by` places.
    ///
    /// # Errors
    /// [`GroupError::Missing`] when there is no such group.
    pub fn reorder_group(&mut self, path: &GroupPath, by: i64) -> Result<(), GroupError> {
        if self.group(path).is_none() {
            return Err(GroupError::Missing(path.clone()));
        }
        let parent = path.parent();
        let mut siblings: Vec<(i64, GroupPath)> = self
            .live_groups()
            .filter(|g| g.path.parent() == parent)
            .map(|g| (g.order, g.path.clone()))
            .collect();
        siblings.sort();
        let paths = shift(siblings.into_iter().map(|(_, p)| p).collect(), path, by);
        for (order, sibling) in (0..).zip(paths) {
            if let Some(g) = self.groups.iter_mut().find(|g| g.is_live() && g.path == sibling) {
                g.order = order;
            }
        }
        Ok(())
    }

    /// Puts a group into the trash.
    ///
    /// # Errors
    /// [`GroupError::NotEmpty`] with [`DeleteMode::IfEmpty`] while it holds anything;
    /// [`GroupError::Taken`] when a subgroup that moves up would meet one of the same name.
    pub fn delete_group(
        &mut self,
        path: &GroupPath,
        mode: DeleteMode,
        at: Timestamp,
    ) -> Result<(), GroupError> {
        if self.group(path).is_none() {
            return Err(GroupError::Missing(path.clone()));
        }
        let below = |p: &GroupPath| p.is_within(path) && p != path;
        let sessions = self.live_sessions().filter(|s| s.group_path.is_within(path)).count();
        let groups = self.live_groups().filter(|g| below(&g.path)).count();
        match mode {
            DeleteMode::IfEmpty if sessions + groups > 0 => {
                return Err(GroupError::NotEmpty { path: path.clone(), sessions, groups });
            }
            DeleteMode::IfEmpty => {}
            DeleteMode::MoveUp => return self.hoist(path, at),
            DeleteMode::Along => {
                for s in self.sessions.iter_mut().filter(|s| s.is_live() && s.group_path.is_within(path)) {
                    s.deleted_at = Some(at);
                    s.updated_at = at;
                }
            }
        }
        for group in self.groups.iter_mut().filter(|g| g.is_live() && g.path.is_within(path)) {
            group.deleted_at = Some(at);
        }
        Ok(())
    }

    /// Deletes `path` alone and moves everything inside it one level up.
    fn hoist(&mut self, path: &GroupPath, at: Timestamp) -> Result<(), GroupError> {
        let up = path.parent();
        let children: Vec<GroupPath> =
            self.live_groups().filter(|g| g.path.parent() == *path).map(|g| g.path.clone()).collect();
        if let Some(taken) =
            children.iter().map(|c| up.join(c.name())).find(|t| t != path && self.group(t).is_some())
        {
            return Err(GroupError::Taken(taken));
        }
        // First the group itself: a child of the same name takes its path.
        for g in self.groups.iter_mut().filter(|g| g.is_live() && g.path == *path) {
            g.deleted_at = Some(at);
        }
        for s in self.sessions.iter_mut().filter(|s| s.is_live() && s.group_path.is_within(path)) {
            s.group_path = s.group_path.rebase(path, &up);
        }
        for g in self.groups.iter_mut().filter(|g| g.is_live() && g.path.is_within(path) && g.path != *path) {
            g.path = g.path.rebase(path, &up);
        }
        Ok(())
    }

    /// Shows or hides a group's rows. Returns whether anything changed.
    pub fn set_expanded(&mut self, path: &GroupPath, expanded: bool) -> bool {
        match self.groups.iter_mut().find(|g| g.is_live() && &g.path == path) {
            Some(g) if g.expanded != expanded => {
                g.expanded = expanded;
                true
            }
            _ => false,
        }
    }

    fn next_group_order(&self, parent: &GroupPath) -> i64 {
        self.live_groups().filter(|g| g.path.parent() == *parent).map(|g| g.order + 1).max().unwrap_or(0)
    }
}

/// `items` with `item` moved by `by` places, as far as it goes.
pub(super) fn shift<T: PartialEq>(mut items: Vec<T>, item: &T, by: i64) -> Vec<T> {
    if let Some(at) = items.iter().position(|x| x == item) {
        let last = i64::try_from(items.len()).unwrap_or(i64::MAX) - 1;
        let to = (i64::try_from(at).unwrap_or(0) + by).clamp(0, last.max(0));
        let moved = items.remove(at);
        items.insert(usize::try_from(to).unwrap_or(0), moved);
    }
    items
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::domain::id::SessionId;
    use crate::domain::session::Session;
    use proptest::prelude::*;

    pub(in crate::domain::tree) fn path(p: &str) -> GroupPath {
        GroupPath::parse(p).unwrap()
    }

    pub(in crate::domain::tree) fn with(groups: &[&str], sessions: &[(&str, &str)]) -> Profile {
        let mut p = Profile::default();
        for g in groups {
            p.ensure_group(&path(g));
        }
        for (id, group) in sessions {
            let mut s = Session::new(SessionId::new(*id), id, Timestamp::UNIX_EPOCH);
            s.group_path = path(group);
            s.order = p.next_session_order(&s.group_path);
            p.sessions.push(s);
        }
        p
    }

    fn paths(p: &Profile) -> Vec<String> {
        let mut all: Vec<_> = p.live_groups().map(|g| g.path.as_str().to_owned()).collect();
        all.sort();
        all
    }

    #[test]
    fn a_rename_takes_everything_below_along() {
        let mut p = with(&["a/b/c", "ab"], &[("s", "a/b/c")]);
        p.rename_group(&path("a"), "z").unwrap();
        assert_eq!(paths(&p), ["ab", "z", "z/b", "z/b/c"]);
        assert_eq!(p.sessions[0].group_path, path("z/b/c"));
    }

    #[test]
    fn a_move_into_itself_or_onto_another_is_refused() {
        let mut p = with(&["a/b", "c/a"], &[]);
        let before = p.clone();
        assert!(matches!(p.move_group(&path("a"), &path("a/b")), Err(GroupError::IntoItself(..))));
        assert!(matches!(p.move_group(&path("a"), &path("c")), Err(GroupError::Taken(_))));
        assert_eq!(p, before);
        p.move_group(&path("a/b"), &GroupPath::root()).unwrap();
        assert_eq!(paths(&p), ["a", "b", "c", "c/a"]);
    }

    #[test]
    fn a_full_group_is_deleted_only_in_an_explicit_way() {
        let mut p = with(&["a/b"], &[("s", "a"), ("t", "a/b")]);
        let at = Timestamp::from_second(9).unwrap();
        let err = p.delete_group(&path("a"), DeleteMode::IfEmpty, at).unwrap_err();
        assert_eq!(err, GroupError::NotEmpty { path: path("a"), sessions: 2, groups: 1 });

        let mut up = p.clone();
        up.delete_group(&path("a"), DeleteMode::MoveUp, at).unwrap();
        assert_eq!(paths(&up), ["b"]);
        assert_eq!(up.sessions[0].group_path, GroupPath::root());
        assert_eq!(up.sessions[1].group_path, path("b"));

        p.delete_group(&path("a"), DeleteMode::Along, at).unwrap();
        assert_eq!(p.live_sessions().count() + p.live_groups().count(), 0);
        let back = p.undo_delete();
        assert_eq!((back.sessions.len(), back.groups.len()), (2, 2));
    }

    /// Any change of the tree: `(which, a, b)` over a few names.
    fn apply(p: &mut Profile, (which, a, b): (u8, String, String)) {
        let (a, b) = (path(&a), path(&b));
        let at = Timestamp::from_second(1).unwrap();
        let _ = match which {
            0 => p.create_group(&a),
            1 => p.rename_group(&a, b.name()).map(|_| ()),
            2 => p.move_group(&a, &b).map(|_| ()),
            3 => p.delete_group(&a, DeleteMode::MoveUp, at),
            4 => p.delete_group(&a, DeleteMode::IfEmpty, at),
            _ => p.reorder_group(&a, 1),
        };
    }

    proptest! {
        #[test]
        fn the_tree_stays_whole(ops in prop::collection::vec((0u8..6, "[ab](/[ab]){0,2}", "[ab](/[ab]){0,2}"), 0..40)) {
            let mut p = with(&["a/b", "b"], &[("s", "a/b"), ("t", "b")]);
            for op in ops {
                apply(&mut p, op);
                let mut all = paths(&p);
                let count = all.len();
                all.dedup();
                prop_assert_eq!(all.len(), count, "a path twice");
                prop_assert_eq!(p.live_sessions().count(), 2, "a session lost");
                for g in p.live_groups() {
                    prop_assert!(g.path.parent().is_root() || p.group(&g.path.parent()).is_some(), "orphan {}", g.path);
                    prop_assert_eq!(g.path.name(), &g.name);
                }
                for s in p.live_sessions() {
                    prop_assert!(s.group_path.is_root() || p.group(&s.group_path).is_some(), "{} without its group", s.id);
                }
            }
        }
    }
}
