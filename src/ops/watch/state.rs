//! The result of polling all sessions.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;

use crate::domain::id::SessionId;
use crate::domain::profile::Profile;
use crate::domain::screen::AgentDialog;
use crate::domain::session::Session;
use crate::domain::status::{Evidence, EvidenceOutcome, Facts, Verdict, outcomes};
use crate::ops::mcp_servers::McpState;
use crate::ops::worker::Listed;
use crate::ports::mux::{MuxError, PaneRow, ServerId, Silence};

/// What is known of one session.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionState {
    /// Its agent's pane, if it has one.
    pub row: Option<PaneRow>,
    /// Its status.
    pub verdict: Verdict,
    /// What that rests on.
    pub evidence: Vec<Evidence>,
    /// When the user last acknowledged it.
    pub acknowledged_at: Option<Timestamp>,
    /// Whether the folder of its worktree is gone.
    pub folder_gone: bool,
    /// The question it asks, with the choices, when they can be read.
    pub dialog: Option<AgentDialog>,
    /// Whether what it was started with is out of date.
    pub mcp: McpState,
    /// Its workers, if it has others than its agent.
    pub workers: Vec<Listed>,
}

impl SessionState {
    /// Everything the reducer went by, without its memory.
    pub fn facts<'a>(&'a self, session: &Session, now: Timestamp) -> Facts<'a> {
        Facts {
            folder_gone: self.folder_gone,
            ..facts(session, self.row.as_ref(), self.acknowledged_at, &self.evidence, now)
        }
    }

    /// Each piece of evidence with what became of it.
    pub fn explained(&self, session: &Session, now: Timestamp) -> Vec<(&Evidence, EvidenceOutcome)> {
        let mut all: Vec<_> = self.evidence.iter().zip(outcomes(&self.facts(session, now))).collect();
        // While an agent starts, what would decide later doesn't yet.
        let decided_by = self.verdict.decided_by;
        for (index, (_, outcome)) in all.iter_mut().enumerate() {
            match *outcome {
                _ if decided_by == Some(index) => *outcome = EvidenceOutcome::Decides,
                EvidenceOutcome::Decides => *outcome = EvidenceOutcome::SetAside("too early"),
                _ => {}
            }
        }
        all
    }
}

/// What the reducer goes by for one session.
pub(super) fn facts<'a>(
    session: &Session,
    row: Option<&PaneRow>,
    acknowledged_at: Option<Timestamp>,
    evidence: &'a [Evidence],
    now: Timestamp,
) -> Facts<'a> {
    let started = row.and_then(|r| r.tags.started).and_then(|ms| Timestamp::from_millisecond(ms).ok());
    Facts {
        now,
        wanted: session.wanted,
        started_at: started.or(session.launched_at),
        start_kind: row.map(|r| r.tags.start_kind).unwrap_or_default(),
        acknowledged_at,
        answered_at: row.and_then(|r| r.tags.answered).and_then(|ms| Timestamp::from_millisecond(ms).ok()),
        unsent: session.draft.is_some(),
        activity_at: row.and_then(|r| Timestamp::from_second(r.own_activity()).ok()),
        resized_at: row.and_then(|r| r.tags.resized).and_then(|r| Timestamp::from_millisecond(r.at).ok()),
        setup: row.and_then(|r| r.tags.setup),
        folder_gone: false,
        evidence,
    }
}

/// All sessions of a profile at one moment.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    pub profile: Arc<Profile>,
    /// What is known of each live session.
    pub states: BTreeMap<SessionId, SessionState>,
    /// When it was taken.
    pub at: Timestamp,
    /// What had to be recovered when the profile was read.
    pub recovered: Option<String>,
    /// deck's own server.
    pub server: ServerId,
    /// Servers that gave no answer: their sessions have the last known status,
    /// unconfirmed.
    pub unreached: BTreeMap<ServerId, Silence>,
    /// Shared MCP servers of its sessions that were given up, by name, with why.
    pub given_up_mcps: BTreeMap<String, String>,
}

impl Snapshot {
    /// Why statuses are unconfirmed, one error for each server that gave no answer.
    pub fn silences(&self) -> Vec<MuxError> {
        let error = |(server, why): (&ServerId, &Silence)| MuxError::Unreached {
            server: server.clone(),
            why: why.clone(),
        };
        self.unreached.iter().map(error).collect()
    }

    /// What is known of a session.
    pub fn state(&self, id: &SessionId) -> Option<&SessionState> {
        self.states.get(id)
    }
}
