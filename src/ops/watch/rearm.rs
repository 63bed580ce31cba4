//! Having windows report their next change, so that deck is woken by it.
//!
//! A window that has reported is silent until it is told to report again. Where an agent works its window changes all the
//! time, and each change means only that it still works: such a window reports a few times a second, and where
//! many work none of theirs does: then the polls alone look at them.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use super::{SessionState, Watcher};
use crate::domain::id::SessionId;
use crate::domain::status::Status;
use crate::ops::Cx;
use crate::ports::mux::{PaneRef, PaneRow, SessionRef};

/// How often one window reports in the long run.
const EVERY: SignedDuration = SignedDuration::from_millis(400);
/// By how much it may be ahead of that: what was quiet reports three times in a row, since a change often comes in parts.
const AHEAD: SignedDuration = SignedDuration::from_millis(800);
/// With this many working agents, their windows no longer report.
const MANY: usize = 4;

/// Which windows report.
#[derive(Debug, Default)]
pub(super) struct Armed {
    /// Up to when each pane's window has had its reports, at one [`EVERY`].
    until: BTreeMap<PaneRef, Timestamp>,
    /// The panes whose agents work, if those are many.
    silent: BTreeSet<PaneRef>,
}

impl Watcher {
    /// Has the sessions' windows that have reported do so again. Returns their panes: they are to be looked at after
    /// this, so that what changes later is reported again. None where that failed: the polls look at them all the same.
    pub(super) fn rearm(
        &mut self,
        cx: &Cx,
        rows: &BTreeMap<SessionId, PaneRow>,
        now: Timestamp,
    ) -> BTreeSet<PaneRef> {
        if !self.is_woken {
            return BTreeSet::new();
        }
        let is_due = |row: &&PaneRow| {
            // Further ahead than any can be: the clock was set back.
            let may_again = |until: &Timestamp| {
                let ahead = until.duration_since(now);
                ahead <= AHEAD || ahead > AHEAD + EVERY
            };
            row.facts.reported
                && *row.server() == cx.installation.socket
                && self.reaches(row)
                && !self.armed.silent.contains(&row.pane)
                && self.armed.until.get(&row.pane).is_none_or(may_again)
        };
        // Those of other profiles report to whoever watches them.
        let own = self.profile.live_sessions().filter_map(|s| rows.get(&s.id));
        let due: Vec<(PaneRef, SessionRef)> =
            own.filter(is_due).map(|r| (r.pane.clone(), r.session.clone())).collect();
        if due.is_empty() {
            return BTreeSet::new();
        }
        let sessions: Vec<SessionRef> = due.iter().map(|(_, s)| s.clone()).collect();
        if let Err(error) = cx.mux.rearm(&sessions) {
            tracing::warn!(%error, "can't have windows report their changes");
            return BTreeSet::new();
        }
        self.armed.until.retain(|_, until| *until > now && until.duration_since(now) <= AHEAD);
        for (pane, _) in &due {
            let until = self.armed.until.entry(pane.clone()).or_insert(now);
            *until = until.checked_add(EVERY).unwrap_or(now);
            if let Some(listed) = self.listed_row(pane) {
                listed.facts.reported = false;
            }
        }
        due.into_iter().map(|(pane, _)| pane).collect()
    }

    /// Notes whose windows need not report: those of agents that work, where many do.
    pub(super) fn note_running(&mut self, states: &BTreeMap<SessionId, SessionState>) {
        let works = |state: &&SessionState| state.verdict.status == Status::Running;
        let panes: BTreeSet<PaneRef> =
            states.values().filter(works).filter_map(|l| Some(l.row.as_ref()?.pane.clone())).collect();
        self.armed.silent = if panes.len() >= MANY { panes } else { BTreeSet::new() };
    }
}
