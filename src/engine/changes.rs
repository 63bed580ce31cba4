//! What counts as a change from one poll to the next: the one definition of it.
//!
//! Two questions are asked of the same description of a session. What is *shown* of it is anything that
//! a list may have to draw again. What is *announced* is less: not which kind of work is done, and not for how long.
//! An announcement is made when a second poll confirms it: one event for one change, never two.

use std::collections::BTreeMap;

use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::status::{Reason, Status};
use crate::ops::{SessionState, Snapshot};

/// A confirmed change of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// There is one that was not there before, or that the subscriber has not heard of.
    SessionAdded(SessionId),
    /// It was deleted or archived.
    SessionRemoved {
        /// Which one.
        id: SessionId,
        /// What it was called.
        title: String,
    },
    /// Its status, or the reason of it.
    StatusChanged {
        /// Which one.
        id: SessionId,
        /// Its status before; none while it was not known.
        from: Option<Status>,
        /// Its status now.
        to: Option<Status>,
        reason: Option<Reason>,
    },
    /// Its title, its group, or whether its first prompt waits to be sent.
    SessionChanged(SessionId),
}

/// What is announced of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Announced {
    status: Option<Status>,
    reason: Option<Reason>,
    unsent: Option<&'static str>,
    title: String,
    group: String,
}

impl Announced {
    fn of(session: &Session, state: Option<&SessionState>) -> Self {
        let verdict = state.map(|l| &l.verdict);
        let status = verdict.map(|v| v.status);
        Self {
            status,
            reason: verdict.and_then(|v| v.reason.clone()).filter(|_| status != Some(Status::Running)),
            unsent: status.and_then(|s| session.aside(s)),
            title: session.title.clone(),
            group: session.group_path.to_string(),
        }
    }

    fn event(&self, id: &SessionId, before: Option<&Self>) -> Event {
        match before {
            None => Event::SessionAdded(id.clone()),
            Some(b) if (b.status, &b.reason) == (self.status, &self.reason) => {
                Event::SessionChanged(id.clone())
            }
            Some(b) => Event::StatusChanged {
                id: id.clone(),
                from: b.status,
                to: self.status,
                reason: self.reason.clone(),
            },
        }
    }
}

/// The changes of one subscriber: from what was announced to it last, however many polls it has missed since.
#[derive(Debug, Default)]
pub struct Changes {
    announced: BTreeMap<SessionId, Announced>,
    /// Seen once, to be confirmed.
    seen: BTreeMap<SessionId, Announced>,
}

impl Changes {
    /// The changes that this poll confirms; the first poll announces all sessions at once.
    pub fn confirmed(&mut self, snapshot: &Snapshot) -> Vec<Event> {
        let first = self.announced.is_empty() && self.seen.is_empty();
        let mut events = Vec::new();
        for session in snapshot.profile.live_sessions() {
            let now = Announced::of(session, snapshot.state(&session.id));
            let id = &session.id;
            if self.announced.get(id) == Some(&now) {
                self.seen.remove(id);
            } else if first || self.seen.get(id) == Some(&now) {
                self.seen.remove(id);
                let before = self.announced.insert(id.clone(), now.clone());
                events.push(now.event(id, before.as_ref()));
            } else {
                self.seen.insert(id.clone(), now);
            }
        }
        events.extend(self.removed(snapshot));
        events
    }

    /// Whether a change waits for another poll to confirm it.
    pub fn is_open(&self) -> bool {
        !self.seen.is_empty()
    }

    /// Those that were announced and no longer exist.
    fn removed(&mut self, snapshot: &Snapshot) -> Vec<Event> {
        let sessions = snapshot.profile.by_id();
        let is_gone = |id: &SessionId| sessions.get(id).is_none_or(|s| !s.is_live());
        let gone: Vec<_> = self
            .announced
            .iter()
            .filter(|(id, _)| is_gone(id))
            .map(|(id, s)| Event::SessionRemoved { id: id.clone(), title: s.title.clone() })
            .collect();
        self.announced.retain(|id, _| !is_gone(id));
        self.seen.retain(|id, _| !is_gone(id));
        gone
    }
}

/// Whether two polls show the same.
pub(super) fn is_same(a: &Snapshot, b: &Snapshot) -> bool {
    let same_profile = std::sync::Arc::ptr_eq(&a.profile, &b.profile) || a.profile == b.profile;
    let shown = |s: &Snapshot| {
        let of = |(id, l): (&SessionId, &SessionState)| {
            let row = l
                .row
                .as_ref()
                .map(|r| (r.pane.clone(), r.facts.pid, r.facts.is_looked_at, r.tags.note.clone()));
            let v = &l.verdict;
            let told = (v.status, v.reason.clone(), v.since, v.asks.clone(), v.unsure);
            (id.clone(), told, row, l.dialog.clone(), l.workers.clone(), l.mcp.clone())
        };
        s.states.iter().map(of).collect::<Vec<_>>()
    };
    same_profile && a.recovered == b.recovered && a.unreached == b.unreached && shown(a) == shown(b)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;

    use super::*;
    use crate::domain::profile::Profile;
    use crate::domain::status::{BlockKind, BusyKind, Memory, Source, Verdict};

    fn state(status: Status, reason: Option<Reason>) -> SessionState {
        let memory = Memory::new(status, reason.clone(), Timestamp::UNIX_EPOCH, Source::Screen);
        let since = Timestamp::UNIX_EPOCH;
        let verdict = Verdict { status, reason, since, asks: None, unsure: None, decided_by: None, memory };
        SessionState {
            row: None,
            verdict,
            evidence: Vec::new(),
            acknowledged_at: None,
            folder_gone: false,
            dialog: None,
            mcp: crate::ops::mcp_servers::McpState::NotKnown,
            workers: Vec::new(),
        }
    }

    fn busy(kind: BusyKind) -> SessionState {
        state(Status::Running, Some(Reason::Busy(kind)))
    }

    fn asks() -> SessionState {
        state(Status::Waiting, Some(Reason::Blocked(BlockKind::Permission)))
    }

    fn shows(sessions: &[(&str, SessionState)]) -> Snapshot {
        let mut profile = Profile::default();
        for (id, _) in sessions {
            profile.sessions.push(Session::new(SessionId::new(*id), id, Timestamp::UNIX_EPOCH));
        }
        let states = sessions.iter().map(|(id, l)| (SessionId::new(*id), l.clone())).collect();
        Snapshot { profile: Arc::new(profile), states, ..Snapshot::default() }
    }

    #[test]
    fn a_change_is_announced_once_when_a_second_poll_confirms_it() {
        let (mut changes, a) = (Changes::default(), SessionId::new("a"));
        let (works, waits) = (shows(&[("a", busy(BusyKind::Thinking))]), shows(&[("a", asks())]));
        assert_eq!(changes.confirmed(&works), [Event::SessionAdded(a.clone())], "the first at once");
        assert_eq!(changes.confirmed(&waits), []);
        assert!(changes.is_open());
        let (from, to) = (Some(Status::Running), Some(Status::Waiting));
        let reason = Some(Reason::Blocked(BlockKind::Permission));
        assert_eq!(changes.confirmed(&waits), [Event::StatusChanged { id: a, from, to, reason }]);
        assert_eq!(changes.confirmed(&waits), []);
        assert!(!changes.is_open());
    }

    #[test]
    fn what_was_there_for_one_poll_alone_is_not_announced() {
        let mut changes = Changes::default();
        let (works, waits) = (shows(&[("a", busy(BusyKind::Thinking))]), shows(&[("a", asks())]));
        changes.confirmed(&works);
        assert_eq!(changes.confirmed(&waits), []);
        assert_eq!(changes.confirmed(&works), []);
        assert!(!changes.is_open());
        assert_eq!(changes.confirmed(&waits), [], "it is confirmed by the next poll alone");
    }

    #[test]
    fn another_kind_of_work_is_shown_but_not_announced() {
        let mut changes = Changes::default();
        let (thinks, active) =
            (shows(&[("a", busy(BusyKind::Thinking))]), shows(&[("a", busy(BusyKind::Active))]));
        changes.confirmed(&thinks);
        assert_eq!((changes.confirmed(&active), changes.confirmed(&active)), (vec![], vec![]));
        assert!(!is_same(&thinks, &active));
        assert!(is_same(&active, &active.clone()));
    }

    #[test]
    fn a_session_that_is_gone_is_announced_at_once_with_its_title() {
        let mut changes = Changes::default();
        changes.confirmed(&shows(&[("a", asks()), ("b", asks())]));
        let gone = Event::SessionRemoved { id: SessionId::new("b"), title: "b".to_owned() };
        assert_eq!(changes.confirmed(&shows(&[("a", asks())])), [gone]);
    }

    #[test]
    fn another_title_is_a_change_of_the_session_but_not_of_its_status() {
        let mut changes = Changes::default();
        let before = shows(&[("a", asks())]);
        changes.confirmed(&before);
        let mut profile = (*before.profile).clone();
        profile.sessions[0].title = "other".to_owned();
        let renamed = Snapshot { profile: Arc::new(profile), ..before };
        changes.confirmed(&renamed);
        assert_eq!(changes.confirmed(&renamed), [Event::SessionChanged(SessionId::new("a"))]);
    }
}
