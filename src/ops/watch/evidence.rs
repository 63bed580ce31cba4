//! Putting together what all sources report about one session.

use jiff::{SignedDuration, Timestamp};

use super::{REPAINT, Watcher};
use crate::domain::session::{DesiredState, Session};
use crate::domain::status::{BusyKind, Evidence, Exit, GRACE, HookNote, Observation, Source, Turn};
use crate::domain::tool::Fallback;
use crate::ops::Cx;
use crate::ports::mux::PaneRow;

/// How far ahead of this poll a hook may be: it may have run while deck looked.
const AHEAD: SignedDuration = SignedDuration::from_secs(10);

/// Whether a hook's note was made by a clock that was ahead. No other note is taken until then.
pub(super) fn is_ahead(note: &HookNote, now: Timestamp) -> bool {
    note.at > (now + AHEAD).as_millisecond()
}

impl Watcher {
    /// Everything the sources report about one session.
    pub(super) fn evidence(
        &self,
        cx: &Cx,
        session: &Session,
        row: Option<&PaneRow>,
        server_now: i64,
        now: Timestamp,
    ) -> Vec<Evidence> {
        let since = session.stopped_at.filter(|_| session.wanted == DesiredState::Stopped);
        let since = since.or_else(|| (session.launched_at.is_none()).then_some(session.created_at));
        // What can't be asked says nothing, not even that it is gone.
        let reached = match row {
            Some(row) => self.reaches(row),
            None => !self.unreached.contains_key(cx.server_of(session)),
        };
        if !reached && session.wanted == DesiredState::Running {
            return Vec::new();
        }
        let gone = |exit| vec![Evidence::new(Source::Process, Observation::Gone(exit), now).since(since)];
        let Some(row) = row else {
            // Another deck may be between writing its intent and making the tmux session.
            let making = session.wanted == DesiredState::Running
                && session.launched_at.is_some_and(|at| now.duration_since(at) < GRACE);
            return if making { Vec::new() } else { gone(Exit::Missing) };
        };
        if let Some(exit) = &row.facts.dead {
            return gone(exit.clone());
        }
        let mut all = self.seen_of(cx, session, row).map(|s| s.evidence.clone()).unwrap_or_default();
        let entry = self.tool_of(cx, session);
        // What was reported before this start is not new.
        let since_start = |at: i64| row.tags.started.is_none_or(|started| at >= started);
        if let Some(report) = self.reports.get(&session.id) {
            all.extend(report.evidence.clone());
            let told = |e: &&Evidence| e.since.is_none_or(|at| since_start(at.as_millisecond()));
            all.extend(report.transcript.as_ref().filter(told).cloned());
        }
        all.extend(
            row.tags
                .hook
                .as_ref()
                .filter(|n| since_start(n.at) && !is_ahead(n, now))
                .map(|n| n.evidence(now)),
        );
        let fallback = entry.map_or(Fallback::Activity, |e| e.tool.fallback);
        // A hook's older word is not a sign of life.
        let silent = all.iter().all(|e| e.what == Observation::Unknown || e.source == Source::Hook);
        if silent && fallback == Fallback::Activity {
            let moved = server_now - row.own_activity() < REPAINT;
            let what =
                if moved { Observation::Busy(BusyKind::Active) } else { Observation::Ready(Turn::Unmarked) };
            all.push(Evidence::new(Source::Activity, what, now));
        }
        all
    }
}
