//! Why a session has its status: the evidence, and the last changes.

use jiff::Timestamp;
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::{Reason, Status, Version};
use crate::domain::session::Session;
use crate::domain::status;
use crate::ops::SessionState;

/// Why a session has its status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Explanation {
    pub schema_version: Version,
    pub id: String,
    pub title: String,
    pub status: Status,
    pub reason: Option<Reason>,
    /// When it came to this status.
    pub since: Timestamp,
    /// What it asks, or what went wrong, in the agent's words.
    pub asks: Option<String>,
    /// Since when nothing has confirmed the status; null if it is confirmed.
    pub unsure_since: Option<Timestamp>,
    /// When the user saw it last.
    pub acknowledged_at: Option<Timestamp>,
    /// What each source reports.
    pub evidence: Vec<Evidence>,
    /// The messages that other agents sent to it, oldest first.
    pub messages: Vec<AgentMessage>,
    /// The last changes of its status, oldest first; only with `--history`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<Vec<Change>>,
}

impl Explanation {
    /// Why `session` has its status; with the changes, if they are wanted.
    pub fn of(
        session: &Session,
        state: &SessionState,
        now: Timestamp,
        history: Option<&[status::Change]>,
    ) -> Self {
        let verdict = &state.verdict;
        let explained = state.explained(session, now);
        Self {
            schema_version: Version,
            id: session.id.to_string(),
            title: session.title.clone(),
            status: verdict.status.into(),
            reason: verdict.reason.as_ref().map(Reason::from),
            since: verdict.since,
            asks: verdict.asks.clone(),
            unsure_since: verdict.unsure,
            acknowledged_at: state.acknowledged_at,
            evidence: explained.into_iter().map(|(e, outcome)| Evidence::of(e, outcome)).collect(),
            messages: Vec::new(),
            history: history.map(|changes| changes.iter().map(Change::from).collect()),
        }
    }
}

impl Explanation {
    /// With the messages that other agents sent to it.
    #[must_use]
    pub fn with_messages(self, messages: &[crate::ops::guard::AgentMessage]) -> Self {
        let one = |m: &crate::ops::guard::AgentMessage| AgentMessage {
            at: m.at,
            from: m.from.to_string(),
            title: m.title.clone(),
        };
        Self { messages: messages.iter().map(one).collect(), ..self }
    }
}

/// A message that another agent sent, of which the text is not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct AgentMessage {
    pub at: Timestamp,
    /// The id of the session that sent it.
    pub from: String,
    /// Its title; null if it is gone.
    pub title: Option<String>,
}

/// What one source reports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Evidence {
    pub source: Source,
    /// What was seen: gone, blocked, failed, busy, ready or unknown.
    pub observation: &'static str,
    /// What kind of that, such as `permission`.
    pub kind: Option<String>,
    /// Since when, by the source's own account.
    pub since: Option<Timestamp>,
    /// When deck looked.
    pub seen_at: Timestamp,
    /// The rule that matched.
    pub rule: Option<String>,
    /// What the source reported, or the line that matched.
    pub line: Option<String>,
    /// What is asked, or what went wrong, in the agent's words.
    pub asks: Option<String>,
    /// What became of it: decides, agrees, disagrees, can't tell, or why it has no weight.
    pub standing: &'static str,
}

impl Evidence {
    fn of(evidence: &status::Evidence, outcome: status::EvidenceOutcome) -> Self {
        Self {
            source: evidence.source.into(),
            observation: evidence.what.word(),
            kind: evidence.what.kind(),
            since: evidence.since,
            seen_at: evidence.seen_at,
            rule: evidence.rule.clone(),
            line: evidence.line.clone(),
            asks: evidence.asks.clone(),
            standing: outcome.words().trim_start_matches("← "),
        }
    }
}

/// Who reports something about a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The process table and tmux.
    Process,
    /// The agent itself, in its session file or its local service.
    Report,
    /// A hook that the agent ran.
    Hook,
    /// The title of the pane.
    Title,
    /// Rules on the screen.
    Screen,
    /// The conversation's file.
    Transcript,
    /// Whether the screen was repainted lately.
    Activity,
}

impl From<status::Source> for Source {
    fn from(source: status::Source) -> Self {
        match source {
            status::Source::Process => Self::Process,
            status::Source::Report => Self::Report,
            status::Source::Hook => Self::Hook,
            status::Source::Title => Self::Title,
            status::Source::Screen => Self::Screen,
            status::Source::Transcript => Self::Transcript,
            status::Source::Activity => Self::Activity,
        }
    }
}

/// A change of a session's status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Change {
    /// When deck saw it.
    pub at: Timestamp,
    /// The status before.
    pub from: Status,
    /// The status since then.
    pub status: Status,
    pub reason: Option<Reason>,
    /// Since when, by the evidence's own time.
    pub since: Timestamp,
    /// The source that decided; null if none did.
    pub source: Option<Source>,
    /// The rule that matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// What the source reported, or the line that matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
}

impl From<&status::Change> for Change {
    fn from(change: &status::Change) -> Self {
        Self {
            at: change.at,
            from: change.from.into(),
            status: change.status.into(),
            reason: change.reason.as_ref().map(Reason::from),
            since: change.since,
            source: change.source.map(Source::from),
            rule: change.rule.clone(),
            line: change.line.clone(),
        }
    }
}
