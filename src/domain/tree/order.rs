//! The order of sessions: it is the user's, and only they change it.
//!
//! Invariant: a change of order changes nothing else, but for the group that a session is put into.

use super::edit::shift;
use crate::domain::group::GroupPath;
use crate::domain::id::SessionId;
use crate::domain::profile::Profile;
use crate::domain::session::Session;

/// Where among others a session is put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Slot {
    /// Before this one, in its group.
    Before(SessionId),
    /// Behind this one, in its group.
    Behind(SessionId),
    /// At the end of a group.
    Into(GroupPath),
}

impl Profile {
    /// Moves a session among the sessions of its group with the same parent by `by` places.
    pub fn reorder_session(&mut self, id: &SessionId, by: i64) -> bool {
        let Some((group, parent)) = self.session(id).map(|s| (s.group_path.clone(), s.parent_id.clone()))
        else {
            return false;
        };
        let mut siblings: Vec<(i64, jiff::Timestamp, SessionId)> = self
            .live_sessions()
            .filter(|s| s.group_path == group && s.parent_id == parent)
            .map(|s| (s.order, s.created_at, s.id.clone()))
            .collect();
        siblings.sort();
        let ids = shift(siblings.into_iter().map(|(_, _, id)| id).collect(), id, by);
        for (order, sibling) in (0..).zip(ids) {
            if let Some(s) = self.session_mut(&sibling) {
                s.order = order;
            }
        }
        true
    }

    /// Puts a session into a slot. False when one of the sessions named isn't there.
    ///
    /// Sub-sessions follow their parents as they are shown; only the order among siblings counts.
    pub fn place_session(&mut self, id: &SessionId, slot: &Slot) -> bool {
        let beside = match slot {
            Slot::Before(other) | Slot::Behind(other) => Some(other),
            Slot::Into(_) => None,
        };
        if beside == Some(id) || self.session(id).is_none() {
            return beside == Some(id);
        }
        let group = match (slot, beside.and_then(|o| self.session(o))) {
            (Slot::Into(group), _) => group.clone(),
            (_, Some(other)) => other.group_path.clone(),
            _ => return false,
        };
        self.ensure_group(&group);
        if let Some(session) = self.session_mut(id) {
            session.group_path = group.clone();
        }
        let mut all: Vec<SessionId> =
            in_order(self.live_sessions().filter(|s| s.group_path == group && s.id != *id));
        let at = beside.and_then(|other| all.iter().position(|s| s == other));
        let at = match slot {
            Slot::Before(_) => at,
            Slot::Behind(_) => at.map(|at| at + 1),
            Slot::Into(_) => None,
        };
        all.insert(at.unwrap_or(all.len()), id.clone());
        self.arrange_sessions(&all);
        true
    }

    /// Gives sessions the order in which they are named.
    pub fn arrange_sessions(&mut self, ids: &[SessionId]) {
        for (order, id) in (0..).zip(ids) {
            if let Some(session) = self.session_mut(id) {
                session.order = order;
            }
        }
    }

    /// All sessions in the order in which they were arranged.
    pub fn arrangement(&self) -> Vec<SessionId> {
        in_order(self.live_sessions())
    }
}

fn in_order<'a>(sessions: impl Iterator<Item = &'a Session>) -> Vec<SessionId> {
    let mut all: Vec<_> = sessions.map(|s| (s.order, s.created_at, s.id.clone())).collect();
    all.sort();
    all.into_iter().map(|(.., id)| id).collect()
}

#[cfg(test)]
mod tests {
    use super::super::edit::tests::{path, with};
    use super::*;

    #[test]
    fn reorder_stops_at_the_ends() {
        let mut p = with(&["g"], &[("a", "g"), ("b", "g"), ("c", "g")]);
        p.reorder_session(&SessionId::new("c"), -9);
        let mut order: Vec<_> = p.sessions.iter().map(|s| (s.order, s.id.as_str())).collect();
        order.sort_unstable();
        assert_eq!(order, [(0, "c"), (1, "a"), (2, "b")]);
    }

    fn id(name: &str) -> SessionId {
        SessionId::new(name)
    }

    fn order(p: &Profile) -> Vec<String> {
        let mut all: Vec<_> = p.sessions.iter().collect();
        all.sort_by_key(|s| (s.group_path.clone(), s.order));
        all.iter().map(|s| format!("{}/{}", s.group_path, s.id)).collect()
    }

    #[test]
    fn a_session_is_put_beside_another_whatever_its_group() {
        let mut p = with(&["g", "h"], &[("a", "g"), ("b", "g"), ("c", "h")]);
        assert!(p.place_session(&id("c"), &Slot::Before(id("b"))));
        assert_eq!(order(&p), ["g/a", "g/c", "g/b"]);
        assert!(p.place_session(&id("a"), &Slot::Behind(id("b"))));
        assert_eq!(order(&p), ["g/c", "g/b", "g/a"]);
        assert!(p.place_session(&id("b"), &Slot::Into(path("h"))));
        assert!(p.place_session(&id("a"), &Slot::Into(path("h"))));
        assert_eq!(order(&p), ["g/c", "h/b", "h/a"]);
    }

    #[test]
    fn what_is_gone_moves_nothing() {
        let mut p = with(&["g"], &[("a", "g"), ("b", "g")]);
        let before = p.clone();
        assert!(!p.place_session(&id("a"), &Slot::Before(id("x"))));
        assert!(!p.place_session(&id("x"), &Slot::Before(id("a"))));
        assert!(p.place_session(&id("a"), &Slot::Before(id("a"))), "already there");
        assert_eq!(p, before);
    }

    #[test]
    fn an_arrangement_can_be_put_back() {
        let mut p = with(&["g"], &[("a", "g"), ("b", "g"), ("c", "g")]);
        let before = p.arrangement();
        p.arrange_sessions(&[id("c"), id("a"), id("b")]);
        assert_eq!(p.arrangement(), [id("c"), id("a"), id("b")]);
        p.arrange_sessions(&before);
        assert_eq!(p.arrangement(), before);
    }
}
