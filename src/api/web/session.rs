//! A session, as the page shows it.

use jiff::Timestamp;
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::Worker;
use crate::api;

/// A session with its workers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, schemars(rename = "WebSession"))]
pub struct Session {
    pub id: String,
    /// `worktree` or `quick`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The folder that its agent works in.
    pub location_path: String,
    /// The repository of a worktree session.
    pub repository_id: Option<String>,
    /// The top of the worktree of a worktree session.
    pub worktree_id: Option<String>,
    /// `active` while its agent runs, else `inactive`.
    pub status: String,
    pub created_at: Timestamp,
    pub workers: Vec<Worker>,
    pub title: String,
    pub profile: String,
    /// The group that it is in, such as `work/backend`; empty for none.
    pub group: String,
    /// Its tool.
    pub agent_id: String,
    /// The session that it is under.
    pub parent_id: Option<String>,
    /// Its place among its siblings.
    pub order: i64,
    /// The branch of its worktree, as it was made.
    pub branch: Option<String>,
    /// The branch that this one is to end in.
    pub base: Option<String>,
    /// What deck knows of its agent.
    pub deck: Deck,
}

/// What deck knows of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, schemars(rename = "WebDeck"))]
pub struct Deck {
    /// What it is doing; null if it could not be looked at.
    pub status: Option<api::Status>,
    pub reason: Option<api::Reason>,
    /// When it came to this status.
    pub since: Option<Timestamp>,
    /// Since when nothing confirms the status; null if it is confirmed.
    pub unsure: Option<Timestamp>,
    /// What it asks, or what went wrong, in the agent's words.
    pub asks: Option<String>,
    /// The choices of what it asks.
    pub choices: Vec<api::Choice>,
    /// Names the dialog that is shown: an answer is taken only while it is this one. Null if it asks nothing that can be
    /// answered.
    pub screen: Option<String>,
    /// Whether it needs its user.
    pub needs_you: bool,
    /// A first prompt that was not sent.
    pub draft: Option<String>,
}

impl Session {
    /// From what `--json` prints. `screen` names the dialog that is shown.
    pub fn of(session: &api::Session, needs_you: bool, screen: Option<String>) -> Self {
        let place = session.place.as_ref();
        let is_active = session.tmux.pid.is_some();
        Self {
            id: session.id.clone(),
            kind: if place.is_some() { "worktree" } else { "quick" }.to_owned(),
            location_path: session.project_path.clone(),
            repository_id: place.map(|p| p.repository_id.clone()),
            worktree_id: place.map(|p| p.worktree.clone()),
            status: if is_active { "active" } else { "inactive" }.to_owned(),
            created_at: session.created_at,
            workers: session.workers.iter().map(|worker| Worker::of(worker, &session.tool)).collect(),
            title: session.title.clone(),
            profile: session.profile.clone(),
            group: session.group_path.clone(),
            agent_id: session.tool.clone(),
            parent_id: session.parent_id.clone(),
            order: session.order,
            branch: place.and_then(|p| p.branch.clone()),
            base: place.and_then(|p| p.base.clone()),
            deck: Deck {
                status: session.status,
                reason: session.reason.clone(),
                since: session.since,
                unsure: session.unsure_since,
                asks: session.asks.clone(),
                choices: session.choices.clone(),
                screen,
                needs_you,
                draft: session.draft.clone(),
            },
        }
    }
}
