//! The tree laid out as rows, as the TUI and `deck list --tree` show it.
//!
//! Invariants: sessions without a group come first, without a header; a sub-session is
//! under its parent when both are in one group, else on its own; every live session that
//! passes the filter and isn't folded away is in exactly one row.

use std::collections::{HashMap, HashSet};

use crate::domain::group::{Group, GroupPath};
use crate::domain::id::SessionId;
use crate::domain::profile::Profile;
use crate::domain::session::Session;
use crate::domain::shell::ShellId;

use super::shells::{ShellRow, ShellsRow};

/// What a row stands for: stable while rows come and go.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RowKey {
    /// A group's header.
    Group(GroupPath),
    Session(SessionId),
    /// A headless shell.
    Shell(ShellId),
    /// The heading of the shells that no session owns.
    Shells,
}

/// A group's header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupRow {
    pub path: GroupPath,
    pub name: String,
    /// How deep it is; 0 at the first level.
    pub depth: usize,
    /// Whether its rows follow.
    pub expanded: bool,
    /// The sessions in it and below, whether shown or not.
    pub members: Vec<SessionId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
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
    /// A group's header.
    Group(GroupRow),
    Session(SessionRow),
    /// A headless shell.
    Shell(ShellRow),
    /// The heading of the shells that no session owns.
    Shells(ShellsRow),
}

impl Row {
    /// What the row stands for.
    pub fn key(&self) -> RowKey {
        match self {
            Self::Group(g) => RowKey::Group(g.path.clone()),
            Self::Session(s) => RowKey::Session(s.id.clone()),
            Self::Shell(s) => RowKey::Shell(s.id.clone()),
            Self::Shells(_) => RowKey::Shells,
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
    Layout::new(profile, &sessions, filtered).group_contents(&GroupPath::root(), 0, &mut out);
    out
}

/// The live sessions that `keep` lets pass in the order of the list, those of folded groups too.
pub fn in_row_order(profile: &Profile, keep: impl Fn(&Session) -> bool) -> Vec<SessionId> {
    let of_row = |row: Row| match row {
        Row::Session(row) => Some(row.id),
        Row::Group(_) | Row::Shell(_) | Row::Shells(_) => None,
    };
    rows(profile, true, keep).into_iter().filter_map(of_row).collect()
}

/// What is where, sorted once: laying out asks only for what is below one group or one session, so that
/// its work grows with the number of sessions and not with its square.
struct Layout<'a> {
    filtered: bool,
    /// The groups below each group, in order.
    groups: HashMap<GroupPath, Vec<&'a Group>>,
    /// The sessions that are shown in each group, in order.
    sessions: HashMap<GroupPath, Vec<&'a Session>>,
    /// The sessions in each group and below, in the order of the profile.
    members: HashMap<GroupPath, Vec<SessionId>>,
}

impl<'a> Layout<'a> {
    fn new(profile: &'a Profile, all: &[&'a Session], filtered: bool) -> Self {
        let mut groups: HashMap<GroupPath, Vec<&Group>> = HashMap::new();
        let mut exist = HashSet::new();
        for group in profile.live_groups() {
            groups.entry(group.path.parent()).or_default().push(group);
            exist.insert(&group.path);
        }
        for siblings in groups.values_mut() {
            siblings.sort_by_key(|g| (g.order, &g.path));
        }
        let mut sessions: HashMap<GroupPath, Vec<&Session>> = HashMap::new();
        let mut members: HashMap<GroupPath, Vec<SessionId>> = HashMap::new();
        for session in all {
            let lineage = session.group_path.lineage();
            // A session is shown in its own group, or in the nearest above that exists.
            let home = lineage.iter().rev().find(|g| exist.contains(g)).cloned();
            sessions.entry(home.unwrap_or_default()).or_default().push(session);
            for group in lineage {
                members.entry(group).or_default().push(session.id.clone());
            }
        }
        for here in sessions.values_mut() {
            here.sort_by_key(|s| (s.order, s.created_at, &s.id));
        }
        Self { filtered, groups, sessions, members }
    }

    fn group_contents(&self, path: &GroupPath, depth: usize, out: &mut Vec<Row>) {
        self.sessions_of(path, depth, out);
        for g in self.groups.get(path).into_iter().flatten() {
            let members = self.members.get(&g.path).cloned().unwrap_or_default();
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

    fn sessions_of(&self, path: &GroupPath, depth: usize, out: &mut Vec<Row>) {
        let Some(here) = self.sessions.get(path) else { return };
        let ids: HashSet<&SessionId> = here.iter().map(|s| &s.id).collect();
        let mut family = Family::default();
        let mut tops = Vec::new();
        for &session in here {
            match session.parent_id.as_ref().filter(|p| ids.contains(p) && **p != session.id) {
                Some(parent) => family.children.entry(parent).or_default().push(session),
                None => tops.push(session),
            }
        }
        // Parents that form a circle (a damaged file) must not hide their sessions.
        for session in tops.iter().chain(here) {
            family.show(session, depth, None, out);
        }
    }
}

/// The sessions of one group with their sub-sessions.
#[derive(Default)]
struct Family<'a> {
    children: HashMap<&'a SessionId, Vec<&'a Session>>,
    shown: HashSet<&'a SessionId>,
}

impl<'a> Family<'a> {
    /// Adds the row of a session that has none yet, and those of its sub-sessions.
    fn show(&mut self, session: &'a Session, depth: usize, below: Option<Below<'_>>, out: &mut Vec<Row>) {
        if !self.shown.insert(&session.id) {
            return;
        }
        let (branch, rails) = below.as_ref().map(Below::lines).unwrap_or_default();
        let is_child = below.is_some();
        out.push(Row::Session(SessionRow { id: session.id.clone(), depth, is_child, branch }));
        let mut children = self.children.get(&session.id).cloned().unwrap_or_default();
        children.retain(|c| !self.shown.contains(&c.id));
        for (i, child) in children.iter().enumerate() {
            let below = Below { rails: &rails, is_last: i + 1 == children.len() };
            self.show(child, depth + 1, Some(below), out);
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

    fn capture(rows: &[Row]) -> String {
        let line = |row: &Row| match row {
            Row::Group(g) => {
                let fold = if g.expanded { '▾' } else { '▸' };
                format!("{}{fold} {} {}\n", "  ".repeat(g.depth), g.name, g.members.len())
            }
            Row::Session(s) => {
                let parents = s.branch.chars().count() / 2;
                format!("{}{}{}\n", "  ".repeat(s.depth - parents), s.branch, s.id)
            }
            Row::Shell(_) | Row::Shells(_) => unreachable!("there are none without shells"),
        };
        rows.iter().map(line).collect()
    }

    #[test]
    fn ungrouped_first_and_children_under_their_parent() {
        let p = profile();
        assert_eq!(
            capture(&rows(&p, false, |_| true)),
            "loose\n▾ work 3\n  api\n  └ api-tests\n  ▾ docs 1\n    docs\n"
        );
    }

    #[test]
    fn a_folded_group_hides_its_rows_but_counts_them() {
        let mut p = profile();
        p.set_expanded(&GroupPath::parse("work").unwrap(), false);
        assert_eq!(capture(&rows(&p, false, |_| true)), "loose\n▸ work 3\n");
    }

    #[test]
    fn a_filter_opens_folds_and_drops_empty_groups() {
        let mut p = profile();
        p.set_expanded(&GroupPath::parse("work").unwrap(), false);
        assert_eq!(capture(&rows(&p, true, |s| s.title == "docs")), "▾ work 1\n  ▾ docs 1\n    docs\n");
    }

    #[test]
    fn all_sessions_in_the_order_of_the_list_whatever_is_folded() {
        let mut p = profile();
        p.set_expanded(&GroupPath::parse("work").unwrap(), false);
        p.session_mut(&SessionId::new("docs")).unwrap().order = -1;
        let titles = |keep: &dyn Fn(&Session) -> bool| {
            let ids = in_row_order(&p, keep);
            ids.iter().map(|id| p.session(id).unwrap().title.clone()).collect::<Vec<_>>()
        };
        assert_eq!(titles(&|_| true), ["loose", "api", "api-tests", "docs"]);
        assert_eq!(titles(&|s| s.title.len() == 4), ["docs"]);
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
        assert_eq!(capture(&rows(&p, false, |_| true)), "top\n├ a\n│ └ a1\n└ b\n");
    }

    #[test]
    fn a_circle_of_parents_hides_nobody() {
        let mut p = profile();
        p.session_mut(&SessionId::new("api")).unwrap().parent_id = Some(SessionId::new("api-tests"));
        let shown = rows(&p, false, |_| true).iter().filter(|r| matches!(r, Row::Session(_))).count();
        assert_eq!(shown, 4);
    }

    #[test]
    fn the_work_grows_with_the_sessions_not_with_their_square() {
        let mut p = Profile::default();
        for i in 0..2000 {
            let mut s = Session::new(SessionId::new(format!("s{i}")), "s", Timestamp::UNIX_EPOCH);
            s.order = i;
            s.parent_id = (i % 2 == 1).then(|| SessionId::new(format!("s{}", i - 1)));
            p.sessions.push(s);
        }
        let mut shown = 0;
        let compared = SessionId::comparisons(|| shown = rows(&p, false, |_| true).len());
        assert_eq!(shown, 2000);
        assert!(compared < 2000 * 30, "{compared} comparisons of ids for 2000 sessions");
    }
}
