//! `deck list --watch`: every change of a status, as it happens.
//!
//! Invariant: one line for one change, never two: an answer is reported when a second poll confirms it.

use std::collections::{BTreeMap, HashMap};
use std::process::ExitCode;
use std::time::Duration;

use jiff::tz::TimeZone;

use super::Done;
use crate::api::{self, DeletedSession, WatchLine};
use crate::cli::Context;
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::status::{Reason, Status};
use crate::domain::text;
use crate::ops::{Cx, SessionState, Snapshot, Watcher};

/// Between two polls.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// What makes a change: not which kind of work is done, and not how long.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shown {
    status: Option<Status>,
    reason: Option<Reason>,
    unsent: Option<&'static str>,
    title: String,
    group: String,
}

impl Shown {
    fn of(session: &Session, state: Option<&SessionState>) -> Self {
        let verdict = state.map(|l| &l.verdict);
        let status = verdict.map(|v| v.status);
        Self {
            status,
            reason: verdict.and_then(|v| v.reason.clone()).filter(|_| status != Some(Status::Running)),
            unsent: status.and_then(|s| session.unsent(s)),
            title: session.title.clone(),
            group: session.group_path.to_string(),
        }
    }
}

/// Which sessions changed since they were last reported.
#[derive(Debug, Default)]
struct Changes {
    told: BTreeMap<SessionId, Shown>,
    /// Seen once, to be confirmed.
    seen: BTreeMap<SessionId, Shown>,
}

impl Changes {
    /// Those whose change this poll confirms; the first poll reports all at once.
    fn confirmed(
        &mut self,
        snapshot: &Snapshot,
        keeps: &impl Fn(&Session, Option<&SessionState>) -> bool,
    ) -> Vec<SessionId> {
        let first = self.told.is_empty() && self.seen.is_empty();
        let mut news = Vec::new();
        for session in snapshot.profile.live_sessions() {
            let state = snapshot.state(&session.id);
            let shown = Shown::of(session, state);
            let id = &session.id;
            if self.told.get(id) == Some(&shown) {
                self.seen.remove(id);
            } else if first || self.seen.get(id) == Some(&shown) {
                self.seen.remove(id);
                let known = self.told.insert(id.clone(), shown).is_some();
                // With a filter: what comes into it, and what leaves it.
                if keeps(session, state) || (known && !first) {
                    news.push(id.clone());
                }
            } else {
                self.seen.insert(id.clone(), shown);
            }
        }
        news
    }

    /// Those that were reported and no longer exist.
    fn gone(&mut self, snapshot: &Snapshot) -> Vec<(SessionId, String)> {
        let sessions = snapshot.profile.by_id();
        let is_gone = |id: &SessionId| sessions.get(id).is_none_or(|s| !s.is_live());
        let gone: Vec<_> = self
            .told
            .iter()
            .filter(|(id, _)| is_gone(id))
            .map(|(id, s)| (id.clone(), s.title.clone()))
            .collect();
        for (id, _) in &gone {
            self.told.remove(id);
            self.seen.remove(id);
        }
        gone
    }
}

/// Prints all sessions and then every change, until it is interrupted or nobody reads any more.
pub(super) fn run(
    context: &Context,
    cx: &Cx,
    keeps: impl Fn(&Session, Option<&SessionState>) -> bool,
) -> Done {
    let mut watcher = Watcher::new();
    let mut changes = Changes::default();
    let out = context.out;
    loop {
        let snapshot = watcher.tick(cx)?;
        let news = changes.confirmed(&snapshot, &keeps);
        let sessions = if news.is_empty() { HashMap::new() } else { snapshot.profile.by_id() };
        for id in news {
            let Some(session) = sessions.get(&id) else { continue };
            let state = snapshot.state(&id);
            if out.json {
                let session = api::Session::of(session, cx.caller.profile.as_str(), state);
                out.value_line(&WatchLine::Changed(Box::new(session)))?;
            } else {
                out.line(&sentence(context, session, state, &snapshot))?;
            }
        }
        for (id, title) in changes.gone(&snapshot) {
            if out.json {
                out.value_line(&WatchLine::Deleted(DeletedSession::new(&id, title)))?;
            } else {
                out.line(&format!("{}  {}  deleted", time(&snapshot), text::clean(&title)))?;
            }
        }
        if out.is_closed() {
            return Ok(ExitCode::SUCCESS);
        }
        cx.clock.pause(POLL_INTERVAL);
    }
}

fn sentence(
    context: &Context,
    session: &Session,
    state: Option<&SessionState>,
    snapshot: &Snapshot,
) -> String {
    let title = text::clean(&session.title);
    let Some(v) = state.map(|l| &l.verdict) else { return format!("{}  {title}", time(snapshot)) };
    let unsent = session.unsent(v.status).map(str::to_owned);
    let reason = unsent.or_else(|| v.reason.as_ref().map(ToString::to_string));
    let reason = reason.map(|r| format!(" · {r}")).unwrap_or_default();
    let asks = v.asks.as_ref().map(|a| format!("  {}", text::clean(a))).unwrap_or_default();
    let words = format!("{} {title}  {}{reason}", v.status.glyph(), v.status);
    format!("{}  {}{}", time(snapshot), context.out.status(v.status, &words), context.out.dim(&asks))
}

fn time(snapshot: &Snapshot) -> String {
    snapshot.at.to_zoned(TimeZone::system()).strftime("%H:%M:%S").to_string()
}
