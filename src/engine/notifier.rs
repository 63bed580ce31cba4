//! Notifications: which sessions have begun to need the user since the last poll.
//!
//! Invariants: no notification for the session being viewed; a need is notified once, when it has lasted
//! for a moment; several at once are one notification. Pure: time comes with the poll.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::status::StatusKind;
use crate::domain::text;
use crate::ops::{SessionState, Snapshot};

/// How long a need must last to be reported: a turn may seem over for a moment.
const LASTS: SignedDuration = SignedDuration::from_millis(700);
/// How many are named in one notice.
const NAMED: usize = 3;
/// The most characters of what is asked.
const MOST_ASKED: usize = 80;

/// What is reported at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    pub text: String,
    /// The sessions that it is about, the one that needs the user most first.
    pub sessions: Vec<SessionId>,
}

/// Finds the sessions to notify about.
#[derive(Debug, Default)]
pub struct Notifier {
    /// What each session needed at the last poll; none before the first.
    known: Option<BTreeMap<SessionId, Option<StatusKind>>>,
    /// Since when those needs exist that are not notified yet.
    fresh: BTreeMap<SessionId, Timestamp>,
}

impl Notifier {
    /// Takes a poll. Returns a notice when one is due. `looking_at` is the session that the
    /// user is viewing.
    pub fn take(&mut self, snapshot: &Snapshot, looking_at: Option<&SessionId>) -> Option<Notice> {
        let needs: BTreeMap<SessionId, Option<StatusKind>> =
            snapshot.states.iter().map(|(id, l)| (id.clone(), need_of(l))).collect();
        // What was there when deck opened is on the screen.
        let known = self.known.replace(needs.clone())?;
        for (id, need) in &needs {
            let is_new = need.is_some() && known.get(id).is_some_and(|before| before != need);
            let is_seen = looking_at == Some(id) || snapshot.state(id).is_some_and(is_attached);
            if need.is_none() || is_seen {
                self.fresh.remove(id);
            } else if is_new {
                self.fresh.insert(id.clone(), snapshot.at);
            }
        }
        self.fresh.retain(|id, _| needs.contains_key(id));
        let newest = self.fresh.values().max()?;
        // What comes in a burst is reported together.
        if snapshot.at.duration_since(*newest) < LASTS {
            return None;
        }
        let due = std::mem::take(&mut self.fresh);
        notice(snapshot, &due)
    }
}

fn need_of(state: &SessionState) -> Option<StatusKind> {
    Some(state.verdict.kind()).filter(|kind| kind.needs_user())
}

fn is_attached(state: &SessionState) -> bool {
    state.row.as_ref().is_some_and(|r| r.facts.is_looked_at)
}

fn notice(snapshot: &Snapshot, due: &BTreeMap<SessionId, Timestamp>) -> Option<Notice> {
    let mut all: Vec<(StatusKind, &Session, &SessionState)> = due
        .keys()
        .filter_map(|id| {
            let state = snapshot.state(id)?;
            Some((need_of(state)?, snapshot.profile.session(id)?, state))
        })
        .collect();
    all.sort_by_key(|(need, s, l)| (*need, l.verdict.since, &s.id));
    let named: Vec<String> = all.iter().take(NAMED).map(|(need, s, l)| sentence(*need, s, l)).collect();
    let more = all.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(", {more} more") } else { String::new() };
    let sessions = all.iter().map(|(_, session, _)| session.id.clone()).collect();
    (!named.is_empty()).then(|| Notice { text: format!("{}{more}", named.join(", ")), sessions })
}

fn sentence(need: StatusKind, session: &Session, state: &SessionState) -> String {
    let title = text::clean(&session.title);
    let reason = state.verdict.reason.as_ref().map(ToString::to_string).unwrap_or_default();
    let asked: String = state
        .verdict
        .asks
        .as_ref()
        .map(|a| text::clean(a).chars().take(MOST_ASKED).collect())
        .unwrap_or_default();
    let about = if asked.is_empty() { String::new() } else { format!(" ({asked})") };
    match need {
        StatusKind::Asks => format!("{title} asks: {reason}{about}"),
        StatusKind::Failed => format!("{title} failed: {reason}{about}"),
        _ => format!("{title} is done"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::profile::Profile;
    use crate::domain::status::{BlockKind, BusyKind, Memory, Reason, Source, Status, Verdict};
    use std::sync::Arc;

    fn state(status: Status, reason: Option<Reason>) -> SessionState {
        let memory = Memory::new(status, reason.clone(), Timestamp::UNIX_EPOCH, Source::Screen);
        let verdict = Verdict {
            status,
            reason,
            since: Timestamp::UNIX_EPOCH,
            asks: None,
            unsure: None,
            decided_by: None,
            memory,
        };
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

    fn running() -> SessionState {
        state(Status::Running, Some(Reason::Busy(BusyKind::Thinking)))
    }

    fn asks() -> SessionState {
        state(Status::Waiting, Some(Reason::Blocked(BlockKind::Permission)))
    }

    fn done() -> SessionState {
        state(Status::Waiting, Some(Reason::Finished))
    }

    fn at(ms: i64, states: [(&str, SessionState); 2]) -> Snapshot {
        let mut profile = Profile::default();
        for (id, _) in &states {
            profile.sessions.push(Session::new(SessionId::new(*id), id, Timestamp::UNIX_EPOCH));
        }
        Snapshot {
            profile: Arc::new(profile),
            states: states.into_iter().map(|(id, l)| (SessionId::new(id), l)).collect(),
            at: Timestamp::from_millisecond(ms).unwrap(),
            recovered: None,
            server: Default::default(),
            unreached: BTreeMap::new(),
            given_up_mcps: BTreeMap::new(),
        }
    }

    #[test]
    fn a_need_that_lasts_is_notified_once() {
        let mut notifier = Notifier::default();
        assert_eq!(notifier.take(&at(0, [("a", running()), ("b", asks())]), None), None, "b is old news");
        assert_eq!(notifier.take(&at(500, [("a", asks()), ("b", asks())]), None), None);
        let words = notifier.take(&at(1300, [("a", asks()), ("b", asks())]), None).map(|n| n.text);
        assert_eq!(words.as_deref(), Some("a asks: permission"));
        assert_eq!(notifier.take(&at(9000, [("a", asks()), ("b", asks())]), None), None);
    }

    #[test]
    fn what_passes_is_not_notified() {
        let mut notifier = Notifier::default();
        notifier.take(&at(0, [("a", running()), ("b", running())]), None);
        notifier.take(&at(100, [("a", done()), ("b", running())]), None);
        assert_eq!(notifier.take(&at(900, [("a", running()), ("b", running())]), None), None);
    }

    #[test]
    fn a_burst_is_one_notice() {
        let mut notifier = Notifier::default();
        notifier.take(&at(0, [("a", running()), ("b", running())]), None);
        notifier.take(&at(100, [("a", done()), ("b", running())]), None);
        assert_eq!(notifier.take(&at(800, [("a", done()), ("b", asks())]), None), None);
        let words = notifier.take(&at(1600, [("a", done()), ("b", asks())]), None).map(|n| n.text);
        assert_eq!(words.as_deref(), Some("b asks: permission, a is done"));
    }

    #[test]
    fn the_one_that_needs_longest_is_named_first() {
        let mut notifier = Notifier::default();
        let mut longest = asks();
        longest.verdict.since = Timestamp::MIN;
        notifier.take(&at(0, [("a", running()), ("b", running())]), None);
        notifier.take(&at(100, [("a", asks()), ("b", longest.clone())]), None);
        let words = notifier.take(&at(1600, [("a", asks()), ("b", longest)]), None).map(|n| n.text);
        assert_eq!(words.as_deref(), Some("b asks: permission, a asks: permission"));
    }

    #[test]
    fn no_notification_for_the_session_being_viewed() {
        let mut notifier = Notifier::default();
        let a = SessionId::new("a");
        notifier.take(&at(0, [("a", running()), ("b", running())]), Some(&a));
        notifier.take(&at(100, [("a", asks()), ("b", running())]), Some(&a));
        assert_eq!(notifier.take(&at(2000, [("a", asks()), ("b", running())]), Some(&a)), None);
        assert_eq!(
            notifier.take(&at(3000, [("a", asks()), ("b", running())]), None),
            None,
            "the user saw it"
        );
    }
}
