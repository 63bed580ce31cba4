//! Following the ids of conversations: from agents' reports to their sessions, from there to the ledger.

use std::collections::BTreeMap;

use super::{Repairs, SessionState, Watcher};
use crate::domain::id::{SessionId, is_conversation};
use crate::domain::session::{IdSource, Session};
use crate::domain::status::{Memory, Reason, Source};
use crate::ops::digest::digest_of;
use crate::ops::launch::source_of;
use crate::ops::{Cx, OpResult};
use crate::ports::mux::{PaneRow, SessionRef, Tag, TagName};

impl Watcher {
    /// Follows the ids that sessions carry into the ledger, and agents' reports into the sessions.
    pub(super) fn learn_ids(&self, cx: &Cx, rows: &BTreeMap<SessionId, PaneRow>, repairs: &mut Repairs) {
        for (id, row) in rows.iter().filter(|(id, _)| self.looks_at(id)) {
            let Some(session) = self.profile.session(id).filter(|s| s.is_live()) else { continue };
            let known = session.resume.id.as_deref();
            // The conversation of an agent that was started by hand in a shell is not the shell's.
            let reported = self.reports.get(id).filter(|_| !self.fronts.contains_key(id));
            let reported = reported.and_then(|r| r.conversation.as_deref());
            let (conversation, source) = match (reported.filter(|id| is_conversation(id)), row.conversation())
            {
                (Some(reported), carried) if carried != Some(reported) => (reported, IdSource::Reported),
                (_, Some(carried)) if known != Some(carried) => (carried, source_of(cx, session)),
                _ => continue,
            };
            match self.owner(id, conversation, rows) {
                Some(owner) => repairs.tags.extend(second(row, &owner)),
                None => repairs.conversations.push((id.clone(), conversation.to_owned(), source)),
            }
        }
    }

    /// The older session that has this conversation open: it keeps it.
    fn owner(
        &self,
        id: &SessionId,
        conversation: &str,
        rows: &BTreeMap<SessionId, PaneRow>,
    ) -> Option<String> {
        let own = self.profile.session(id)?;
        let has = |s: &&Session| {
            s.id != *id
                && s.resume.id.as_deref() == Some(conversation)
                && (s.created_at, &s.id) < (own.created_at, &own.id)
                && rows.get(&s.id).is_some_and(|r| r.facts.dead.is_none())
        };
        self.profile.live_sessions().find(has).map(|s| s.title.clone())
    }

    /// Finds first prompts that arrived after all: where a turn begins or ends, its conversation is asked.
    pub(super) fn note_arrived(
        &self,
        cx: &Cx,
        states: &BTreeMap<SessionId, SessionState>,
        repairs: &mut Repairs,
    ) -> OpResult<()> {
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        for session in self.sessions(&self.profile) {
            let Some(draft) = &session.draft else { continue };
            let Some(state) = states.get(&session.id) else { continue };
            let worked = matches!(state.verdict.reason, Some(Reason::Busy(_) | Reason::Finished));
            let before = state.row.as_ref().and_then(|r| Memory::parse(&r.tags.memory));
            if !worked || before.is_some_and(|m| m.reason == state.verdict.reason) {
                continue;
            }
            let said = digest_of(cx, session, state.row.as_ref())?.and_then(|d| d.last_prompt);
            if said.is_some_and(|s| flat(&s) == flat(draft)) {
                repairs.arrived.push((session.id.clone(), draft.clone()));
            }
        }
        Ok(())
    }

    /// Finds conversations that had a first turn: from then on they are missed when they are gone.
    pub(super) fn note_used(
        &self,
        cx: &Cx,
        states: &BTreeMap<SessionId, SessionState>,
        repairs: &mut Repairs,
    ) {
        let had_turn = |l: &SessionState, has_id: bool| {
            let v = &l.verdict;
            // A repaint alone may be anything. It is no reason to refuse a restart.
            let decider = v.decided_by.and_then(|i| l.evidence.get(i));
            if !has_id && decider.is_none_or(|e| e.source == Source::Activity) {
                return false;
            }
            let now = l.row.as_ref().is_some_and(|r| r.facts.dead.is_none());
            now && (matches!(v.reason, Some(Reason::Busy(_) | Reason::Finished)) && v.unsure.is_none())
        };
        let has_conversation = |s: &Session| {
            s.resume.id.is_some() || cx.tools.tool(&s.tool).is_some_and(|e| e.tool.resume_kind().is_some())
        };
        let unused = |s: &&Session| !s.resume.used && has_conversation(s);
        let used = self
            .sessions(&self.profile)
            .filter(unused)
            .filter(|s| states.get(&s.id).is_some_and(|l| had_turn(l, s.resume.id.is_some())))
            .map(|s| s.id.clone());
        repairs.used.extend(used);
    }
}

/// The note on a session that an older one has its conversation, unless it is there.
fn second(row: &PaneRow, owner: &str) -> Option<(SessionRef, Tag)> {
    let note = format!("shares a conversation with {owner}: both write to it; stop one of them");
    (row.tags.note != note).then(|| (row.session.clone(), Tag::new(TagName::Note, note)))
}
