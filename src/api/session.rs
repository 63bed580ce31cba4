//! Sessions as they are listed, shown, watched and revived.

use jiff::Timestamp;
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::{Conversation, McpChange, Reason, ResumeEntry, Status, Totals, Version, Worker};
use crate::domain::{conversation, place, screen, session};
use crate::ops::SessionState;

/// A session, with what is known of it now.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Session {
    pub schema_version: Version,
    /// Its own id, which never changes.
    pub id: String,
    /// The user's name for it; several sessions may have the same.
    pub title: String,
    pub profile: String,
    /// The group it is in, such as `work/backend`; empty for none.
    pub group_path: String,
    /// The folder its agent works in.
    pub project_path: String,
    pub tool: String,
    /// The command that starts its agent.
    pub command: String,
    /// Further arguments for that command.
    pub args: Vec<String>,
    /// The scopes of deck's MCP server that its agent is started with; empty if it has no server.
    pub mcp: Vec<String>,
    /// The MCP servers that it was last started with, whoever gives it them.
    pub loaded_mcp_names: Vec<String>,
    /// How that differs from what a start would give it now; empty if it doesn't, null if that isn't known.
    pub mcp_changes: Option<Vec<McpChange>>,
    /// What it is doing; null if it could not be looked at.
    pub status: Option<Status>,
    pub reason: Option<Reason>,
    /// When it came to this status.
    pub since: Option<Timestamp>,
    /// What it asks, or what went wrong, in the agent's words.
    pub asks: Option<String>,
    /// The choices of the question that it asks; empty if it asks none, or one without choices.
    pub choices: Vec<Choice>,
    /// Since when nothing has confirmed the status; null if it is confirmed.
    pub unsure_since: Option<Timestamp>,
    /// When the user saw it last.
    pub acknowledged_at: Option<Timestamp>,
    /// Its first prompt, if that has not been sent.
    pub draft: Option<String>,
    /// The agent's id of the conversation that it resumes.
    pub resume_id: Option<String>,
    /// The session that it belongs to.
    pub parent_id: Option<String>,
    /// The session whose work it continues.
    pub handed_from: Option<String>,
    /// The session that continues its work.
    pub handed_to: Option<String>,
    /// The conversation that it carries.
    pub carries: Option<Carries>,
    /// Its place among its siblings.
    pub order: i64,
    /// The worktree that it works in; null if it works in its folder as it is.
    pub place: Option<Place>,
    /// What works in it: its agent first.
    pub workers: Vec<Worker>,
    /// The session whose further agent it is.
    pub worker_of: Option<String>,
    pub tmux: Tmux,
    /// What deck noted when it last started the agent.
    pub note: Option<String>,
    pub created_at: Timestamp,
    /// When its record was last changed.
    pub updated_at: Timestamp,
}

/// The conversation that a session carries: its agent is the one that talks in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Carries {
    /// The conversation's id.
    pub conversation: String,
    /// The project's folder that it is in.
    pub root: String,
    pub role: String,
    /// Whether the agent has replaced its own context by a summary since it was last given back what that may lack.
    pub compacted: bool,
}

impl From<&crate::domain::talk::Carries> for Carries {
    fn from(of: &crate::domain::talk::Carries) -> Self {
        Self {
            conversation: of.id.to_string(),
            root: of.root.clone(),
            role: of.role.clone(),
            compacted: of.compacted,
        }
    }
}

/// Where a session runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Tmux {
    /// The server's socket, as `tmux -L` takes it.
    pub socket: String,
    /// The name of the tmux session.
    pub name: String,
    /// The pane, as its own server names it; null if there is none.
    pub pane_id: Option<String>,
    /// The agent's process; null if none is running.
    pub pid: Option<i32>,
}

/// The worktree that a session works in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Place {
    /// The id of its repository.
    pub repository_id: String,
    /// Its top.
    pub worktree: String,
    /// The branch that it was made for; null if that was a commit.
    pub branch: Option<String>,
    /// The branch that this one is to end in.
    pub base: Option<String>,
    /// Whether deck made it.
    pub made: bool,
    /// Whether it is still being made.
    pub pending: bool,
    /// `none`, `wanted`, `done`, `failed` or `skipped`.
    pub setup: String,
    /// The first of the ten ports that its programs may listen on.
    pub port: u32,
}

impl From<&place::Place> for Place {
    fn from(place: &place::Place) -> Self {
        Self {
            repository_id: place.repository_id.clone(),
            worktree: place.worktree.clone(),
            branch: place.branch.clone(),
            base: place.base.clone(),
            made: place.made,
            pending: place.pending.is_some(),
            setup: place.setup.word().to_owned(),
            port: place.port(),
        }
    }
}

/// One choice of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Choice {
    /// Its number, as the agent shows it, or counted from 1.
    pub number: u32,
    pub label: String,
    /// Whether it opens a text field: then it is answered with a text.
    pub is_text: bool,
}

impl From<&screen::Choice> for Choice {
    fn from(choice: &screen::Choice) -> Self {
        Self { number: choice.number, label: choice.label.clone(), is_text: choice.is_text }
    }
}

impl Session {
    /// A session with what is known of it.
    pub fn of(session: &session::Session, profile: &str, state: Option<&SessionState>) -> Self {
        let row = state.and_then(|l| l.row.as_ref());
        let verdict = state.map(|l| &l.verdict);
        let ack = row.and_then(|r| r.tags.ack).and_then(|ms| Timestamp::from_millisecond(ms).ok());
        let choices =
            state.and_then(|l| l.dialog.as_ref()).map(|d| d.choices.iter().map(Choice::from).collect());
        Self {
            schema_version: Version,
            id: session.id.to_string(),
            title: session.title.clone(),
            profile: profile.to_owned(),
            group_path: session.group_path.to_string(),
            project_path: session.project_path.clone(),
            tool: session.tool.clone(),
            command: session.command.clone(),
            args: session.args.clone(),
            mcp: session.mcp.clone(),
            loaded_mcp_names: session.loaded_mcps.clone(),
            mcp_changes: state.and_then(|l| McpChange::all(&l.mcp)),
            status: verdict.map(|v| v.status.into()),
            reason: verdict.and_then(|v| v.reason.as_ref()).map(Reason::from),
            since: verdict.map(|v| v.since),
            asks: verdict.and_then(|v| v.asks.clone()),
            choices: choices.unwrap_or_default(),
            unsure_since: verdict.and_then(|v| v.unsure),
            acknowledged_at: ack,
            draft: session.draft.clone(),
            resume_id: row
                .and_then(|r| r.conversation().map(str::to_owned))
                .or_else(|| session.resume.id.clone()),
            parent_id: session.parent_id.as_ref().map(ToString::to_string),
            handed_from: session.handed_from.as_ref().map(ToString::to_string),
            handed_to: session.handed_to.as_ref().map(ToString::to_string),
            carries: session.carries.as_ref().map(Carries::from),
            order: session.order,
            place: session.place.as_ref().map(Place::from),
            workers: Worker::all(session, state),
            worker_of: session.worker_of.as_ref().map(ToString::to_string),
            tmux: Tmux {
                socket: session.tmux.socket.to_string(),
                name: session.tmux.name.clone(),
                pane_id: row.map(|r| r.pane.pane.clone()),
                pid: row.and_then(|r| r.facts.pid).filter(|_| row.is_some_and(|r| r.facts.dead.is_none())),
            },
            note: row.map(|r| r.tags.note.clone()).filter(|n| !n.is_empty()),
            created_at: session.created_at,
            updated_at: session.updated_at,
        }
    }
}

/// A session with its conversation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct SessionDetails {
    #[serde(flatten)]
    pub session: Session,
    /// The ids of all conversations that it has had, oldest first.
    pub resume_history: Vec<ResumeEntry>,
    /// The end of its conversation; null if it has none that deck can read.
    pub conversation: Option<Conversation>,
    /// What its whole conversation adds up to; null unless all of it is counted.
    pub totals: Option<Totals>,
}

impl SessionDetails {
    /// A session with the end of its conversation, and with what was counted of it.
    pub fn of(
        session: Session,
        resume: &session::Resume,
        conversation: Option<&conversation::Digest>,
        counted: Option<&conversation::Counted>,
    ) -> Self {
        Self {
            session,
            resume_history: resume.history.iter().map(ResumeEntry::from).collect(),
            conversation: conversation.map(Conversation::from),
            totals: counted.filter(|c| c.whole).map(|c| Totals::from(&c.totals)),
        }
    }
}

/// What `deck unarchive` answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
#[expect(dead_code, reason = "for its schema: a verb prints what it collected")]
pub enum Unarchived {
    /// The titles of archived sessions.
    Titles(Vec<String>),
    /// The session that was restored.
    One(Box<Session>),
    /// The sessions that were restored.
    Many(Vec<Session>),
}

/// What `deck revive` answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
pub enum Revive {
    /// The sessions that were lost.
    Lost(Vec<Session>),
    /// What became of each, in the order in which they were done.
    Done(Vec<RevivedSession>),
}

/// A session that was lost, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct RevivedSession {
    pub schema_version: Version,
    pub id: String,
    pub title: String,
    pub result: Revival,
    /// Why it failed.
    pub error: Option<String>,
}

/// What became of a session that was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub enum Revival {
    #[serde(rename = "revived")]
    Revived,
    /// Another deck was faster.
    #[serde(rename = "runs already")]
    Running,
    #[serde(rename = "failed")]
    Failed,
}

impl Revival {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Revived => "revived",
            Self::Running => "runs already",
            Self::Failed => "failed",
        }
    }
}
