//! The list of all panes, and which session each belongs to.
//!
//! Invariant: a server that doesn't answer leaves what was listed of it last.

use std::collections::BTreeMap;

use jiff::SignedDuration;

use super::Watcher;
use crate::domain::id::SessionId;
use crate::domain::status::Exit;
use crate::ops::panes::{PaneRole, role};
use crate::ops::{Cx, OpResult};
use crate::ports::MuxError;
use crate::ports::mux::{PaneList, PaneRow};

/// For how long after a whole list only what moved is asked for. What other decks write on a session
/// (an acknowledgement, a status) and what comes or goes moves no window: it shows in a whole one.
const WHOLE: SignedDuration = SignedDuration::from_millis(900);
/// How often the server is told to collect a child.
const TELL: u32 = 5;

impl Watcher {
    /// All panes; none when there is no server. Some versions of tmux don't collect a child that ended
    /// at once: they have to be told, and asked again. A child that they lost for good is not asked
    /// for over and over: telling costs the server a process.
    pub(super) fn list_panes(&mut self, cx: &Cx) -> OpResult<PaneList> {
        let servers = self.servers.clone();
        let ask = |since| match cx.mux.panes(&servers, since) {
            Err(MuxError::NoServer(_)) => Ok(PaneList::default()),
            other => other,
        };
        // Between two whole lists only what moved is asked for.
        let now = cx.clock.now();
        let since = self.listed.as_ref().filter(|(at, _)| now.duration_since(*at) < WHOLE).map(|(_, l)| l.at);
        let mut list = ask(since)?;
        self.unreached = std::mem::take(&mut list.unreached);
        if !self.unreached.is_empty() && since.is_none() {
            // What was listed of them last is the last that is known.
            let last = self.listed.take().map(|(_, l)| l.rows).unwrap_or_default();
            let kept: Vec<PaneRow> = last.into_iter().filter(|r| !self.reaches(r)).collect();
            list.rows.extend(kept);
        }
        if let (Some(_), Some((at, whole))) = (since, self.listed.take()) {
            list = merged(whole, list);
            self.listed = Some((at, list.clone()));
        } else {
            self.listed = Some((now, list.clone()));
        }
        let mut tell = false;
        for row in list.rows.iter().filter(|r| r.facts.dead == Some(Exit::NotYetKnown)) {
            let told = self.told.entry(row.pane.clone()).or_default();
            tell |= *told < TELL;
            *told += 1;
        }
        if tell {
            cx.mux.reap()?;
            list = ask(None)?;
        }
        for row in list.rows.iter_mut().filter(|r| r.facts.dead == Some(Exit::NotYetKnown)) {
            // The pane may be dead before its process is: then how it ends is still to come.
            let lost = self.told.get(&row.pane).is_some_and(|n| *n >= TELL);
            if lost && row.facts.pid.is_none_or(|pid| !cx.host.lives(pid)) {
                row.facts.dead = Some(Exit::Unknown);
            }
        }
        self.told.retain(|pane, _| list.rows.iter().any(|r| r.pane == *pane && r.facts.dead.is_some()));
        Ok(list)
    }

    /// Each session's pane.
    pub(super) fn match_rows(&self, cx: &Cx, rows: Vec<PaneRow>) -> BTreeMap<SessionId, PaneRow> {
        let mut by_id = BTreeMap::new();
        // One that carries the id goes before one that only has the name.
        let (marked, unmarked): (Vec<_>, Vec<_>) = rows.into_iter().partition(|r| r.own_id().is_some());
        for row in unmarked.into_iter().rev().chain(marked) {
            if let PaneRole::Agent(id) = role(cx, &row, self.profile.live_sessions()) {
                by_id.insert(id, row);
            }
        }
        by_id
    }
}

/// A whole list with the rows that moved since in place of the old ones.
fn merged(mut whole: PaneList, moved: PaneList) -> PaneList {
    for row in moved.rows {
        match whole.rows.iter_mut().find(|r| r.pane == row.pane) {
            Some(old) => *old = row,
            None => whole.rows.push(row),
        }
    }
    whole.at = moved.at;
    whole
}
