//! `deck list --watch`: every change of a status, as it happens.
//!
//! Invariant: one line for one change, never two: an answer is reported when a second poll confirms it.

use std::collections::{HashMap, HashSet};
use std::process::ExitCode;
use std::time::Duration;

use jiff::tz::TimeZone;

use super::Done;
use crate::api::{self, ChangedSession, Code, DeletedSession, EventKind, WatchLine};
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::text;
use crate::engine::{Changes, Event, Next, Pace};
use crate::ops::{Cx, SessionState, Snapshot};

/// Between two polls.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Prints all sessions and then every change, until it is interrupted or nobody reads any more.
pub(super) fn run(
    context: &Context,
    cx: &Cx,
    keeps: impl Fn(&Session, Option<&SessionState>) -> bool,
) -> Done {
    let (_, engine) = context.wiring.watching(Pace::Steady(POLL_INTERVAL))?;
    let waker = engine.waker();
    let mut polls = engine.subscribe().blocking()?;
    let mut changes = Changes::default();
    let mut shown = HashSet::new();
    while !context.out.is_closed() {
        match polls.next_within(POLL_INTERVAL) {
            Next::Poll(poll) => {
                let snapshot = poll.snapshot()?;
                let events = changes.confirmed(snapshot);
                if changes.is_open() {
                    waker.confirm();
                }
                print(context, cx, snapshot, events, &keeps, &mut shown)?;
            }
            Next::Nothing => {}
            Next::Ended => return Err(CliError::new(Code::Failed, "polling ended")),
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a line for each change of a session that passes the filter, or did when it was printed last (`shown`).
fn print(
    context: &Context,
    cx: &Cx,
    snapshot: &Snapshot,
    events: Vec<Event>,
    keeps: &impl Fn(&Session, Option<&SessionState>) -> bool,
    shown: &mut HashSet<SessionId>,
) -> Result<(), CliError> {
    let out = context.out;
    let sessions = if events.is_empty() { HashMap::new() } else { snapshot.profile.by_id() };
    for event in events {
        let (id, event, from) = match event {
            Event::SessionRemoved { id, title } => {
                if !shown.remove(&id) {
                    continue;
                }
                if out.json {
                    out.value_line(&WatchLine::Deleted(DeletedSession::new(&id, title)))?;
                } else {
                    out.line(&format!("{}  {}  deleted", time(snapshot), text::clean(&title)))?;
                }
                continue;
            }
            Event::SessionAdded(id) => (id, EventKind::Added, None),
            Event::SessionChanged(id) => (id, EventKind::Changed, None),
            Event::StatusChanged { id, from, .. } => (id, EventKind::Status, from.map(Into::into)),
        };
        let Some(session) = sessions.get(&id) else { continue };
        let state = snapshot.state(&session.id);
        // What comes into the filter, and what leaves it.
        let was_shown = shown.remove(&id);
        if keeps(session, state) {
            shown.insert(id);
        } else if !was_shown {
            continue;
        }
        if out.json {
            let session = api::Session::of(session, cx.profile.name.as_str(), state);
            out.value_line(&WatchLine::Changed(Box::new(ChangedSession { event, from, session })))?;
        } else {
            out.line(&sentence(context, session, state, snapshot))?;
        }
    }
    Ok(())
}

fn sentence(
    context: &Context,
    session: &Session,
    state: Option<&SessionState>,
    snapshot: &Snapshot,
) -> String {
    let title = text::clean(&session.title);
    let Some(v) = state.map(|l| &l.verdict) else { return format!("{}  {title}", time(snapshot)) };
    let unsent = session.aside(v.status).map(str::to_owned);
    let reason = unsent.or_else(|| v.reason.as_ref().map(ToString::to_string));
    let reason = reason.map(|r| format!(" · {r}")).unwrap_or_default();
    let asks = v.asks.as_ref().map(|a| format!("  {}", text::clean(a))).unwrap_or_default();
    let words = format!("{} {title}  {}{reason}", v.kind().glyph(), v.status);
    format!("{}  {}{}", time(snapshot), context.out.status(v.kind(), &words), context.out.dim(&asks))
}

fn time(snapshot: &Snapshot) -> String {
    snapshot.at.to_zoned(TimeZone::system()).strftime("%H:%M:%S").to_string()
}
