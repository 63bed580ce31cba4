//! The JSON forms of things: stable, snake_case, RFC 3339 times, statuses as words.

use jiff::Timestamp;
use serde::Serialize;

use crate::domain::screen::Choice;
use crate::domain::session::Session;
use crate::domain::status::{Reason, Status};
use crate::ops::SessionState;

/// A session.
#[derive(Debug, Serialize)]
pub(crate) struct SessionJson {
    pub id: String,
    pub title: String,
    pub profile: String,
    pub group_path: String,
    pub project_path: String,
    pub tool: String,
    pub command: String,
    pub args: Vec<String>,
    pub status: Option<Status>,
    pub reason: Option<Reason>,
    pub since: Option<Timestamp>,
    pub asks: Option<String>,
    pub choices: Vec<Choice>,
    pub unsure_since: Option<Timestamp>,
    pub acknowledged_at: Option<Timestamp>,
    pub draft: Option<String>,
    pub resume_id: Option<String>,
    pub parent_id: Option<String>,
    pub order: i64,
    pub tmux: TmuxJson,
    pub note: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Where a session lives.
#[derive(Debug, Serialize)]
pub(crate) struct TmuxJson {
    pub socket: String,
    pub name: String,
    pub pane_id: Option<String>,
    pub pid: Option<i32>,
}

/// A session with what is known of it.
pub(crate) fn session(session: &Session, profile: &str, state: Option<&SessionState>) -> SessionJson {
    let row = state.and_then(|l| l.row.as_ref());
    let verdict = state.map(|l| &l.verdict);
    let ack = row.and_then(|r| r.tags.ack).and_then(|ms| Timestamp::from_millisecond(ms).ok());
    SessionJson {
        id: session.id.to_string(),
        title: session.title.clone(),
        profile: profile.to_owned(),
        group_path: session.group_path.to_string(),
        project_path: session.project_path.clone(),
        tool: session.tool.clone(),
        command: session.command.clone(),
        args: session.args.clone(),
        status: verdict.map(|v| v.status),
        reason: verdict.and_then(|v| v.reason.clone()),
        since: verdict.map(|v| v.since),
        asks: verdict.and_then(|v| v.asks.clone()),
        choices: state.and_then(|l| l.dialog.as_ref()).map(|d| d.choices.clone()).unwrap_or_default(),
        unsure_since: verdict.and_then(|v| v.unsure),
        acknowledged_at: ack,
        draft: session.draft.clone(),
        resume_id: row
            .and_then(|r| r.conversation().map(str::to_owned))
            .or_else(|| session.resume.id.clone()),
        parent_id: session.parent_id.as_ref().map(ToString::to_string),
        order: session.order,
        tmux: TmuxJson {
            socket: session.tmux.socket.to_string(),
            name: session.tmux.name.clone(),
            // As its own server names it.
            pane_id: row.map(|r| r.pane.pane.clone()),
            pid: row.and_then(|r| r.facts.pid).filter(|_| row.is_some_and(|r| r.facts.dead.is_none())),
        },
        note: row.map(|r| r.tags.note.clone()).filter(|n| !n.is_empty()),
        created_at: session.created_at,
        updated_at: session.updated_at,
    }
}
