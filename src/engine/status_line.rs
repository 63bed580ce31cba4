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
            .map(|r| (r.session.clone(), line(cx, snapshot, &r.session)))
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
fn line(cx: &Cx, snapshot: &Snapshot, from: &SessionRef) -> (String, String) {
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
    let next = others.first().map(|(_, _, row)| match row.server() == &cx.installation.socket {
        true => row.session.session.clone(),
        false => row.session.to_string(),
    });
    let next = next.unwrap_or_default();
    (names.join("  "), next)
}
