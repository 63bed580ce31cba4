//! The list of all panes, and which session each belongs to.
//!
//! Invariant: a server that doesn't answer leaves what was listed of it last.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::{Scope, Watcher, is_over};
use crate::domain::id::SessionId;
use crate::domain::status::Exit;
use crate::ops::panes::{PaneRole, role};
use crate::ops::{Cx, OpResult};
use crate::ports::MuxError;
use crate::ports::mux::{PaneList, PaneRow, ServerId, TerminalRow};

/// For how long after a whole list only what moved is asked for. What other decks write on a session
/// (an acknowledgement, a status) and what comes or goes moves no window: it shows in a whole one.
const WHOLE: SignedDuration = SignedDuration::from_millis(900);
/// How often the server is told to collect a child.
const TELL: u32 = 5;

impl Watcher {
    /// All panes; none when there is no server. Some versions of tmux don't collect a child that ended
    /// at once: they have to be told, and asked again. A child that they lost for good is not asked
    /// for over and over: telling costs the server a process.
    pub(super) fn list_panes(&mut self, cx: &Cx, scope: Scope) -> OpResult<PaneList> {
        let ask = |servers: &[ServerId], since| match cx.mux.panes(servers, since) {
            Err(MuxError::NoServer(_)) => Ok(PaneList::default()),
            other => other,
        };
        let now = cx.clock.now();
        if scope == Scope::Reported
            && let Some((_, last)) = &self.listed
        {
            // Only windows of deck's own server report, and asking another one takes a process.
            let own = std::slice::from_ref(&cx.installation.socket);
            let moved = ask(own, Some(last.at))?;
            self.unreached.retain(|server, _| !own.contains(server));
            self.unreached.extend(moved.unreached.clone());
            let (at, asked_at) = (moved.at.max(last.at), last.at);
            let mut list = self.merge(moved);
            // Of the others nothing later is known.
            self.listed.iter_mut().for_each(|(_, list)| list.at = asked_at);
            list.at = at;
            return Ok(list);
        }
        let servers = self.servers.clone();
        // Between two whole lists only what moved is asked for.
        let since = self.listed.as_ref().filter(|(at, _)| !is_over(*at, WHOLE, now)).map(|(_, l)| l.at);
        let mut list = ask(&servers, since)?;
        self.unreached = std::mem::take(&mut list.unreached);
        list = if since.is_some() { self.merge(list) } else { self.replace(list, now) };
        let mut tell = false;
        for row in list.rows.iter().filter(|r| r.facts.dead == Some(Exit::NotYetKnown)) {
            if !self.reaches(row) {
                continue;
            }
            let told = self.told.entry(row.pane.clone()).or_default();
            tell |= *told < TELL;
            *told += 1;
        }
        if tell {
            match cx.mux.reap() {
                Ok(()) => {
                    list = ask(&servers, None)?;
                    self.unreached = std::mem::take(&mut list.unreached);
                    list = self.replace(list, now);
                }
                Err(error) => tracing::warn!(%error, "can't have the server collect a child"),
            }
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

    /// Takes a whole list. What was listed last of servers that didn't answer is the last that is known of them.
    fn replace(&mut self, mut list: PaneList, now: Timestamp) -> PaneList {
        let last = self.listed.take().map(|(_, l)| l).unwrap_or_default();
        list.rows.extend(last.rows.into_iter().filter(|r| !self.reaches(r)));
        let is_unreached = |row: &TerminalRow| self.unreached.contains_key(&row.pane.server);
        list.terminals.extend(last.terminals.into_iter().filter(is_unreached));
        self.listed = Some((now, list.clone()));
        list
    }

    /// Takes a list of what moved since the last one.
    fn merge(&mut self, moved: PaneList) -> PaneList {
        let Some((at, whole)) = self.listed.take() else { return moved };
        let list = merged(whole, moved);
        self.listed = Some((at, list.clone()));
        list
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
