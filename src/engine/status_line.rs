//! The status line of an attached session: which others need the user, and where the jump key leads.
//!
//! Invariant: only attached sessions get it, and only when it changed.

use std::collections::BTreeMap;

use crate::domain::text;
use crate::ops::{Cx, OpResult, Snapshot, needy};
use crate::ports::mux::{SessionRef, Tag, TagName};

/// The most cells for all names: the line has eighty, and the attached session and the keys are there too.
const NAMES: usize = 20;
/// The most cells of a title.
const TITLE: usize = 14;

/// Keeps the line up to date.
#[derive(Debug, Default)]
pub struct StatusLine {
    shown: BTreeMap<SessionRef, (String, String)>,
}

impl StatusLine {
    /// Writes the line of every session that is attached, where it isn't what it was.
    ///
    /// # Errors
    /// [`crate::ops::OpError`] when the server can't be asked.
    pub fn show(&mut self, cx: &Cx, snapshot: &Snapshot) -> OpResult<()> {
        let attached: BTreeMap<_, _> = snapshot
            .states
            .values()
            .filter_map(|l| l.row.as_ref())
            .filter(|r| r.facts.attached > 0)
            .map(|r| (r.session.clone(), line(snapshot, &r.session)))
            .collect();
        let news = attached.iter().filter(|(session, line)| self.shown.get(session) != Some(line));
        let tags: Vec<(SessionRef, Tag)> = news
            .flat_map(|(session, (names, next))| {
                [
                    (session.clone(), Tag::new(TagName::Needs, names)),
                    (session.clone(), Tag::new(TagName::Next, next)),
                ]
            })
            .collect();
        if !tags.is_empty() {
            cx.mux.tag_each(&tags)?;
        }
        self.shown = attached;
        Ok(())
    }
}

/// Who else needs the user, seen from one session, and the session to go to.
fn line(snapshot: &Snapshot, from: &SessionRef) -> (String, String) {
    let others: Vec<_> = needy(snapshot)
        .into_iter()
        .filter_map(|(s, l)| Some((s, l, l.row.as_ref()?)))
        .filter(|(_, _, row)| row.session != *from)
        .collect();
    let name =
        |(s, l, _): &(
            &crate::domain::session::Session,
            &crate::ops::SessionState,
            &crate::ports::mux::PaneRow,
        )| { format!("{} {}", l.verdict.kind().glyph(), text::fit(&text::clean(&s.title), TITLE)) };
    let mut names: Vec<String> = Vec::new();
    let mut used = 0;
    for one in others.iter().map(name) {
        used += text::cells(&one) + 2;
        // The first is always named.
        if !names.is_empty() && used > NAMES {
            break;
        }
        names.push(one);
    }
    if others.len() > names.len() {
        names.push(format!("+{}", others.len() - names.len()));
    }
    // A client can't go to a session on another server.
    let mut reachable = others.iter().map(|(_, _, row)| &row.pane).filter(|p| p.server == from.server);
    let next = reachable.next().map(|p| p.pane.clone()).unwrap_or_default();
    (names.join("  "), next)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::{SignedDuration, Timestamp};

    use super::*;
    use crate::domain::id::SessionId;
    use crate::domain::profile::Profile;
    use crate::domain::session::Session;
    use crate::domain::status::{BlockKind, Memory, Reason, Source, Status, Verdict};
    use crate::ops::SessionState;
    use crate::ports::mux::{PaneFacts, PaneRef, PaneRow, ServerId, SessionTags};

    /// Sessions that ask, the first one for longest: title and server.
    fn asking(all: &[(&str, &str)]) -> Snapshot {
        let at: Timestamp = "2026-03-04T10:42:12Z".parse().unwrap();
        let mut profile = Profile::default();
        let mut states = BTreeMap::new();
        for (n, (title, server)) in (0..).zip(all) {
            let (id, since) = (SessionId::new(*title), at - SignedDuration::from_secs(60 - n));
            profile.sessions.push(Session::new(id.clone(), title, since));
            let reason = Some(Reason::Blocked(BlockKind::Question));
            let memory = Memory::new(Status::Waiting, reason.clone(), since, Source::Report);
            let verdict = Verdict {
                status: Status::Waiting,
                reason,
                since,
                asks: None,
                unsure: None,
                decided_by: None,
                memory,
            };
            let server = ServerId::from(*server);
            let row = PaneRow {
                session: SessionRef::new(&server, format!("${n}")),
                name: (*title).into(),
                pane: PaneRef::new(&server, format!("%{n}")),
                facts: PaneFacts::default(),
                tags: SessionTags::default(),
            };
            let state = SessionState {
                row: Some(row),
                verdict,
                evidence: vec![],
                acknowledged_at: None,
                folder_gone: false,
                dialog: None,
                mcp: crate::ops::mcp_servers::McpState::NotKnown,
                workers: Vec::new(),
            };
            states.insert(id, state);
        }
        Snapshot {
            profile: Arc::new(profile),
            states,
            at,
            recovered: None,
            server: ServerId::from("deck"),
            unreached: Default::default(),
            given_up_mcps: Default::default(),
        }
    }

    #[test]
    fn the_jump_key_leads_to_a_session_on_the_same_server() {
        let seen = asking(&[("far", "default"), ("near", "deck"), ("here", "deck")]);
        let from =
            |server: &str, n: u8| line(&seen, &SessionRef::new(&ServerId::from(server), format!("${n}")));
        assert_eq!(from("deck", 2), ("◐ far  ◐ near".to_owned(), "%1".to_owned()));
        assert_eq!(from("default", 0), ("◐ near  ◐ here".to_owned(), String::new()), "there is no way");
    }
}
