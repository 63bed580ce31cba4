//! The tree laid out as rows, as the TUI and `deck list --tree` show it.
//!
//! Invariants: sessions without a group come first, without a heading; a sub-session is
//! under its parent when both are in one group, else on its own; every live session that
//! passes the filter and isn't folded away is in exactly one row.

use std::collections::BTreeSet;

use crate::domain::group::GroupPath;
use crate::domain::id::SessionId;
use crate::domain::profile::Profile;
use crate::domain::session::Session;

/// What a row stands for: stable while rows come and go.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RowKey {
    /// A group's heading.
    Group(GroupPath),
    /// A session.
    Session(SessionId),
}

/// A group's heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupRow {
    /// Its path.
    pub path: GroupPath,
    /// Its name.
    pub name: String,
    /// How deep it is; 0 at the first level.
    pub depth: usize,
    /// Whether its rows follow.
    pub expanded: bool,
    /// The sessions in it and below, whether shown or not.
    pub members: Vec<SessionId>,
}

/// A session's row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// Its id.
    pub id: SessionId,
    /// How deep it is, counting groups and parents.
    pub depth: usize,
    /// Whether it is under its parent.
    pub is_child: bool,
    /// The lines that join it to its parent and its siblings, two cells for each parent above it.
    pub branch: String,
}

/// One visible row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Row {
    /// A group's heading.
    Group(GroupRow),
    /// A session.
    Session(SessionRow),
}

impl Row {
    /// What the row stands for.
    pub fn key(&self) -> RowKey {
        match self {
            Self::Group(g) => RowKey::Group(g.path.clone()),
            Self::Session(s) => RowKey::Session(s.id.clone()),
        }
    }
}

/// Lays out the live sessions that `keep` lets pass.
///
/// With `filtered`, folds are ignored and groups without a passing session are left out:
/// a search must show what it found.
pub fn rows(profile: &Profile, filtered: bool, keep: impl Fn(&Session) -> bool) -> Vec<Row> {
    let sessions: Vec<&Session> = profile.live_sessions().filter(|s| keep(s)).collect();
    let mut out = Vec::new();
    let layout = Layout { profile, sessions, filtered };
    layout.group_contents(&GroupPath::root(), 0, &mut out);
    out
}

struct Layout<'a> {
    profile: &'a Profile,
    sessions: Vec<&'a Session>,
    filtered: bool,
}

impl Layout<'_> {
    fn group_contents(&self, path: &GroupPath, depth: usize, out: &mut Vec<Row>) {
        let mut here: Vec<&Session> =
            self.sessions.iter().copied().filter(|s| self.home(s) == *path).collect();
        here.sort_by_key(|s| (s.order, s.created_at, s.id.clone()));
        let ids: BTreeSet<&SessionId> = here.iter().map(|s| &s.id).collect();
        let is_child = |s: &Session| s.parent_id.as_ref().is_some_and(|p| ids.contains(p) && *p != s.id);
        let mut shown = BTreeSet::new();
        for s in here.iter().filter(|s| !is_child(s)) {
            Self::with_children(s, &here, depth, None, &mut shown, out);
        }
        // Parents that form a circle (a damaged file) must not hide their sessions.
        for s in &here {
            if !shown.contains(&s.id) {
                Self::with_children(s, &here, depth, None, &mut shown, out);
            }
        }
        let mut groups: Vec<_> = self.profile.live_groups().filter(|g| g.path.parent() == *path).collect();
        groups.sort_by_key(|g| (g.order, g.path.clone()));
        for g in groups {
            let members: Vec<SessionId> = self
                .sessions
                .iter()
                .filter(|s| s.group_path.is_within(&g.path))
                .map(|s| s.id.clone())
                .collect();
            if self.filtered && members.is_empty() {
                continue;
            }
            let expanded = g.expanded || self.filtered;
            out.push(Row::Group(GroupRow {
                path: g.path.clone(),
                name: g.name.clone(),
                depth,
                expanded,
                members,
            }));
            if expanded {
                self.group_contents(&g.path, depth + 1, out);
            }
        }
    }

    /// The group a session is shown in: its own, or the nearest above that exists.
    fn home(&self, session: &Session) -> GroupPath {
        let mut at = session.group_path.clone();
        while !at.is_root() && self.profile.group(&at).is_none() {
            at = at.parent();
        }
        at
    }

    fn with_children(
        session: &Session,
        here: &[&Session],
        depth: usize,
        below: Option<Below<'_>>,
        shown: &mut BTreeSet<SessionId>,
        out: &mut Vec<Row>,
    ) {
        if !shown.insert(session.id.clone()) {
            return;
        }
        let (branch, rails) = below.as_ref().map(Below::lines).unwrap_or_default();
        let is_child = below.is_some();
        out.push(Row::Session(SessionRow { id: session.id.clone(), depth, is_child, branch }));
        let is_new = |c: &&&Session| c.parent_id.as_ref() == Some(&session.id) && !shown.contains(&c.id);
        let children: Vec<&Session> = here.iter().filter(is_new).copied().collect();
        for (i, child) in children.iter().enumerate() {
            let below = Below { rails: &rails, is_last: i + 1 == children.len() };
            Self::with_children(child, here, depth + 1, Some(below), shown, out);
        }
    }
}

/// Where a sub-session is among its siblings.
struct Below<'a> {
    /// The lines of the parents above that continue below.
    rails: &'a str,
    is_last: bool,
}

impl Below<'_> {
    /// The lines before its own row, and before those of its sub-sessions.
    fn lines(&self) -> (String, String) {
        let (own, further) = if self.is_last { ("└ ", "  ") } else { ("├ ", "│ ") };
        (format!("{}{own}", self.rails), format!("{}{further}", self.rails))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    fn profile() -> Profile {
        let mut p = Profile::default();
        for (id, group, parent) in [
            ("loose", "", None),
            ("api", "work", None),
            ("api-tests", "work", Some("api")),
            ("docs", "work/docs", Some("api")),
        ] {
            let mut s = Session::new(SessionId::new(id), id, Timestamp::UNIX_EPOCH);
            if !group.is_empty() {
                s.group_path = GroupPath::parse(group).unwrap();
            }
            s.parent_id = parent.map(SessionId::new);
            s.order = p.next_session_order(&s.group_path);
            p.ensure_group(&s.group_path.clone());
            p.sessions.push(s);
        }
        p
    }

    fn picture(rows: &[Row]) -> String {
        let line = |row: &Row| match row {
            Row::Group(g) => {
                let fold = if g.expanded { '▾' } else { '▸' };
                format!("{}{fold} {} {}\n", "  ".repeat(g.depth), g.name, g.members.len())
            }
            Row::Session(s) => {
                let parents = s.branch.chars().count() / 2;
                format!("{}{}{}\n", "  ".repeat(s.depth - parents), s.branch, s.id)
            }
        };
        rows.iter().map(line).collect()
    }

    #[test]
    fn ungrouped_first_and_children_under_their_parent() {
        let p = profile();
        assert_eq!(
            picture(&rows(&p, false, |_| true)),
            "loose\n▾ work 3\n  api\n  └ api-tests\n  ▾ docs 1\n    docs\n"
        );
    }

    #[test]
    fn a_folded_group_hides_its_rows_but_counts_them() {
        let mut p = profile();
        p.set_expanded(&GroupPath::parse("work").unwrap(), false);
        assert_eq!(picture(&rows(&p, false, |_| true)), "loose\n▸ work 3\n");
    }

    #[test]
    fn a_filter_opens_folds_and_drops_empty_groups() {
        let mut p = profile();
        p.set_expanded(&GroupPath::parse("work").unwrap(), false);
        assert_eq!(picture(&rows(&p, true, |s| s.title == "docs")), "▾ work 1\n  ▾ docs 1\n    docs\n");
    }

    #[test]
    fn siblings_are_joined_by_lines() {
        let mut p = Profile::default();
        for (id, parent) in [("top", None), ("a", Some("top")), ("a1", Some("a")), ("b", Some("top"))] {
            let mut s = Session::new(SessionId::new(id), id, Timestamp::UNIX_EPOCH);
            s.parent_id = parent.map(SessionId::new);
            s.order = p.next_session_order(&s.group_path);
            p.sessions.push(s);
        }
        assert_eq!(picture(&rows(&p, false, |_| true)), "top\n├ a\n│ └ a1\n└ b\n");
    }

    #[test]
    fn a_circle_of_parents_hides_nobody() {
        let mut p = profile();
        p.session_mut(&SessionId::new("api")).unwrap().parent_id = Some(SessionId::new("api-tests"));
        let shown = rows(&p, false, |_| true).iter().filter(|r| matches!(r, Row::Session(_))).count();
        assert_eq!(shown, 4);
    }
}
