//! The status of each session from what was seen of it, and what deck keeps of that.
//!
//! Invariant: a status depends on the evidence, the time and the memory on the session alone.

use std::collections::BTreeMap;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};

use super::{Repairs, SessionState, Watcher, evidence, state};
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::status::{Change, Evidence, EvidenceOutcome, Facts, Memory, Status, Verdict, reduce};
use crate::ops::Cx;
use crate::ops::mcp_servers::McpState;
use crate::ops::worker::{Listed, listed};
use crate::ports::mux::{PaneRow, Tag, TagName};

/// How long two sources may disagree before it is logged.
const DISPUTE: SignedDuration = SignedDuration::from_secs(5);

impl Watcher {
    /// The status of each session that is looked at, but for those whose state is `known`.
    pub(super) fn judge(
        &mut self,
        cx: &Cx,
        rows: &BTreeMap<SessionId, PaneRow>,
        known: &BTreeMap<SessionId, SessionState>,
        server_now: i64,
        now: Timestamp,
        repairs: &mut Repairs,
    ) -> BTreeMap<SessionId, SessionState> {
        let profile = self.profile.clone();
        let mut states = BTreeMap::new();
        self.mcp_states.begin(cx, &profile, now);
        let is_due = |s: &&Session| self.looks_at(&s.id) && !known.contains_key(&s.id);
        for session in profile.live_sessions().filter(is_due).collect::<Vec<_>>() {
            let row = rows.get(&session.id);
            let evidence = self.evidence(cx, session, row, server_now, now);
            let ack = self.acknowledged(session, row, now, repairs);
            let is_reached = row.is_none_or(|r| self.reaches(r));
            let memory = match row.filter(|_| is_reached) {
                Some(row) => {
                    self.orphaned.remove(&session.id);
                    Memory::parse(&row.tags.memory)
                }
                None => self.kept_memory(cx, session, row),
            };
            let folder_gone = is_folder_gone(cx, session);
            let facts = Facts { folder_gone, ..state::facts(session, row, ack, &evidence, now) };
            let verdict = reduce(&facts, memory.as_ref());
            self.remember(session, row.filter(|_| is_reached), memory.as_ref(), &verdict, repairs);
            if let Some(row) =
                row.filter(|r| is_reached && r.tags.hook.as_ref().is_some_and(|n| evidence::is_ahead(n, now)))
            {
                // It would keep out all notes until its time comes.
                let stale = [TagName::HookAt, TagName::Hook];
                repairs.tags.extend(stale.map(|name| (row.session.clone(), Tag::none(name))));
            }
            let change = change(memory.as_ref(), &verdict, &evidence, now);
            repairs.changes.extend(change.map(|change| (session.id.clone(), change)));
            let asks = verdict.status == Status::Waiting;
            let seen = row.filter(|_| asks).and_then(|r| self.seen_of(cx, session, r));
            let dialog = seen.and_then(|s| s.dialog.clone());
            let envs = &self.envs;
            let mcp = match row.filter(|row| is_reached && row.facts.dead.is_none()) {
                Some(row) => self.mcp_states.of(cx, &profile, session, || {
                    envs.get(&row.session).map(|e| e.vars.clone()).unwrap_or_default()
                }),
                None => McpState::NotKnown,
            };
            let (row, acknowledged_at) = (row.cloned(), ack);
            let workers = self.workers_of(session, rows);
            let state =
                SessionState { row, verdict, evidence, acknowledged_at, folder_gone, dialog, mcp, workers };
            self.note_dispute(session, &state, now);
            states.insert(session.id.clone(), state);
        }
        self.mcp_states.end();
        states
    }

    /// The workers of a session, if it has others than its agent.
    fn workers_of(&self, session: &Session, rows: &BTreeMap<SessionId, PaneRow>) -> Vec<Listed> {
        if session.workers.is_empty() && !self.has_further.contains(&session.id) {
            return Vec::new();
        }
        let terminals = self.listed.as_ref().map(|(_, list)| &list.terminals[..]).unwrap_or_default();
        listed(&self.profile, session, |id| rows.get(id), terminals)
    }

    /// Logs that two sources disagree for longer than a change takes.
    fn note_dispute(&mut self, session: &Session, state: &SessionState, now: Timestamp) {
        let explained = state.explained(session, now);
        let Some((other, _)) = explained.iter().find(|(_, s)| *s == EvidenceOutcome::Disagrees) else {
            self.disputes.remove(&session.id);
            return;
        };
        let begun = self.disputes.entry(session.id.clone()).or_insert(Some(now));
        if begun.is_some_and(|at| now.duration_since(at) > DISPUTE) {
            *begun = None;
            let decider = explained.iter().find(|(_, s)| *s == EvidenceOutcome::Decides).map(|(e, _)| e);
            tracing::warn!(session = %session.id, ?decider, ?other, "two sources disagree");
        }
    }

    /// The memory of a session whose tmux session doesn't say it. What no deck that runs now has seen is
    /// in the history, if a server that doesn't answer has it.
    fn kept_memory(&self, cx: &Cx, session: &Session, row: Option<&PaneRow>) -> Option<Memory> {
        let kept = self.orphaned.get(&session.id).cloned();
        let kept = kept.or_else(|| row.and_then(|r| Memory::parse(&r.tags.memory)));
        if kept.is_some() || !self.unreached.contains_key(cx.server_of(session)) {
            return kept;
        }
        let last = cx.history.changes(&session.id).ok()?.pop()?;
        Some(last.memory())
    }

    /// When the user last acknowledged it: recorded on the session, or they just left it.
    fn acknowledged(
        &mut self,
        session: &Session,
        row: Option<&PaneRow>,
        now: Timestamp,
        repairs: &mut Repairs,
    ) -> Option<Timestamp> {
        let row = row?;
        if !self.reaches(row) {
            return row.tags.ack.and_then(|ms| Timestamp::from_millisecond(ms).ok());
        }
        let noted = row.tags.ack.and_then(|ms| Timestamp::from_millisecond(ms).ok());
        if row.facts.is_looked_at {
            self.attached.insert(session.id.clone());
        } else if self.attached.remove(&session.id) {
            let tag = Tag::new(TagName::Acknowledged, now.as_millisecond());
            repairs.tags.push((row.session.clone(), tag));
            self.unwritten.acknowledge(row, now);
            return Some(now);
        }
        noted
    }

    /// Notes the answer for the tmux session, when it is another than the last.
    fn remember(
        &mut self,
        session: &Session,
        row: Option<&PaneRow>,
        before: Option<&Memory>,
        verdict: &Verdict,
        repairs: &mut Repairs,
    ) {
        match row {
            _ if before == Some(&verdict.memory) => {}
            Some(row) => {
                let memory = verdict.memory.to_json();
                self.unwritten.remember(row, memory.clone());
                repairs.tags.push((row.session.clone(), Tag::new(TagName::Status, memory)));
            }
            None => {
                self.orphaned.insert(session.id.clone(), verdict.memory.clone());
            }
        }
    }
}

/// Whether the worktree that a session works in is not there.
fn is_folder_gone(cx: &Cx, session: &Session) -> bool {
    let place = session.place.as_ref().filter(|place| place.pending.is_none());
    place.is_some_and(|place| !cx.host.is_dir(Path::new(&place.worktree)))
}

/// A change of status with the evidence that decided, to be explained later.
fn change(
    before: Option<&Memory>,
    verdict: &Verdict,
    evidence: &[Evidence],
    now: Timestamp,
) -> Option<Change> {
    // Which tool a running agent uses is not a change of its status.
    let is_change = |m: &&Memory| {
        m.status != verdict.status || (m.reason != verdict.reason && m.status != Status::Running)
    };
    let before = before.filter(is_change)?;
    let decider = verdict.decided_by.and_then(|i| evidence.get(i));
    Some(Change::new(before, verdict, decider, now))
}
