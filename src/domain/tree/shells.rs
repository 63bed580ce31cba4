//! Headless shells among the rows: under the session that owns them, the others under a heading at the end.
//!
//! Invariants: a shell is in at most one row; without a shell nobody owns there is no heading; the rows of sessions
//! and groups are as they were.

use super::rows::{Row, SessionRow};
use crate::domain::id::SessionId;
use crate::domain::shell::ShellId;

/// A shell, as the tree places it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellNode {
    pub id: ShellId,
    /// The live session that owns it.
    pub under: Option<SessionId>,
}

/// The heading of the shells that no session owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellsRow {
    /// Whether its rows follow.
    pub expanded: bool,
    /// The shells below it, whether shown or not.
    pub members: Vec<ShellId>,
}

/// A shell's row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellRow {
    pub id: ShellId,
    /// How deep it is, counting groups and parents.
    pub depth: usize,
    /// The lines that join it to its session; none below the heading.
    pub branch: String,
}

/// Puts the rows of shells among those of sessions and groups. One whose session has no row has none either.
pub fn with_shells(rows: Vec<Row>, shells: &[ShellNode], expanded: bool) -> Vec<Row> {
    if shells.is_empty() {
        return rows;
    }
    let mut out = Vec::with_capacity(rows.len() + shells.len() + 1);
    let mut rows = rows.into_iter().peekable();
    while let Some(row) = rows.next() {
        let session = match &row {
            Row::Session(session) => Some(session.clone()),
            _ => None,
        };
        out.push(row);
        let Some(session) = session else { continue };
        let own: Vec<_> = shells.iter().filter(|s| s.under.as_ref() == Some(&session.id)).collect();
        let has_children = matches!(rows.peek(), Some(Row::Session(next)) if is_below(next, &session));
        for (i, shell) in own.iter().enumerate() {
            let is_last = i + 1 == own.len() && !has_children;
            let branch = format!("{}{}", rails(&session.branch), if is_last { "└ " } else { "├ " });
            out.push(Row::Shell(ShellRow { id: shell.id.clone(), depth: session.depth + 1, branch }));
        }
    }
    let members: Vec<ShellId> = shells.iter().filter(|s| s.under.is_none()).map(|s| s.id.clone()).collect();
    if members.is_empty() {
        return out;
    }
    let below = members.clone();
    out.push(Row::Shells(ShellsRow { expanded, members }));
    if expanded {
        let row = |id| Row::Shell(ShellRow { id, depth: 1, branch: String::new() });
        out.extend(below.into_iter().map(row));
    }
    out
}

fn is_below(next: &SessionRow, session: &SessionRow) -> bool {
    next.is_child && next.depth == session.depth + 1
}

/// The lines that continue below a row with this branch.
fn rails(branch: &str) -> String {
    match (branch.strip_suffix("├ "), branch.strip_suffix("└ ")) {
        (Some(above), _) => format!("{above}│ "),
        (_, Some(above)) => format!("{above}  "),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::profile::Profile;
    use crate::domain::session::Session;
    use crate::domain::tree::rows;
    use jiff::Timestamp;

    fn profile() -> Profile {
        let mut p = Profile::default();
        for (id, parent) in [("api", None), ("tests", Some("api")), ("docs", None)] {
            let mut s = Session::new(SessionId::new(id), id, Timestamp::UNIX_EPOCH);
            s.parent_id = parent.map(SessionId::new);
            s.order = p.next_session_order(&s.group_path);
            p.sessions.push(s);
        }
        p
    }

    fn node(n: u8, under: Option<&str>) -> ShellNode {
        ShellNode { id: ShellId::from_entropy([n; 16]), under: under.map(SessionId::new) }
    }

    fn drawn(shells: &[ShellNode], expanded: bool) -> Vec<String> {
        let number = |id: &ShellId| shells.iter().position(|s| s.id == *id).unwrap();
        let line = |row: &Row| match row {
            Row::Session(s) => format!("{}{}", s.branch, s.id),
            Row::Shell(s) => format!("{}{}shell {}", s.branch, " ".repeat(s.depth), number(&s.id)),
            Row::Shells(s) => format!("shells {}", s.members.len()),
            Row::Group(g) => g.name.clone(),
        };
        with_shells(rows(&profile(), false, |_| true), shells, expanded).iter().map(line).collect()
    }

    #[test]
    fn a_shell_stands_under_its_session_and_the_others_at_the_end() {
        let shells = [node(1, Some("api")), node(2, Some("tests")), node(3, None), node(4, Some("docs"))];
        let wanted =
            ["api", "├  shell 0", "└ tests", "  └   shell 1", "docs", "└  shell 3", "shells 1", " shell 2"];
        assert_eq!(drawn(&shells, true), wanted);
        assert_eq!(drawn(&shells, false), wanted[..7]);
    }

    #[test]
    fn without_shells_nothing_is_added() {
        assert_eq!(drawn(&[], true), ["api", "└ tests", "docs"]);
        assert_eq!(drawn(&[node(1, Some("gone"))], true), ["api", "└ tests", "docs"]);
    }
}
