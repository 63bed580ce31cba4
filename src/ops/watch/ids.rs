//! Following the ids of conversations: from agents' reports to their sessions, from there to the ledger.

use std::collections::BTreeMap;

use super::{SessionState, Watcher};
use crate::domain::id::{SessionId, is_conversation};
use crate::domain::session::{IdSource, Session};
use crate::domain::status::{Memory, Reason, Source};
use crate::ops::digest::digest_of;
use crate::ops::launch::source_of;
use crate::ops::{Cx, OpResult, keep_draft, record_conversation_id};
use crate::ports::mux::{PaneRow, Tag, TagName};

impl Watcher {
    /// Follows the ids that sessions carry into the ledger, and agents' reports into the sessions.
    pub(super) fn learn_ids(&mut self, cx: &Cx, rows: &BTreeMap<SessionId, PaneRow>) -> OpResult<()> {
        let mut news: Vec<(SessionId, String, IdSource)> = Vec::new();
        for (id, row) in rows {
            let Some(session) = self.profile.session(id).filter(|s| s.is_live()) else { continue };
            let known = session.resume.id.as_deref();
            // The conversation of an agent that was started by hand in a shell is not the shell's.
            let reported = self.reports.get(id).filter(|_| !self.fronts.contains_key(id));
            let reported = reported.and_then(|r| r.conversation.as_deref());
            match (reported.filter(|id| is_conversation(id)), row.conversation()) {
                (Some(reported), carried) if carried != Some(reported) => {
                    news.push((id.clone(), reported.to_owned(), IdSource::Reported));
                }
                (_, Some(carried)) if known != Some(carried) => {
                    news.push((id.clone(), carried.to_owned(), source_of(cx, session)));
                }
                _ => {}
            }
        }
        for (id, conversation, source) in news {
            match self.owner(&id, &conversation, rows) {
                Some(owner) => self.tell_second(cx, rows.get(&id), &owner)?,
                None => {
                    record_conversation_id(cx, &id, &conversation, source)?;
                }
            }
        }
        Ok(())
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

    /// Notes on a session that an older one has its conversation.
    fn tell_second(&self, cx: &Cx, row: Option<&PaneRow>, owner: &str) -> OpResult<()> {
        let note = format!("shares a conversation with {owner}: both write to it; stop one of them");
        match row.filter(|r| r.tags.note != note) {
            Some(row) => Ok(cx.mux.tag(&row.session, &[Tag::new(TagName::Note, note)])?),
            None => Ok(()),
        }
    }

    /// Drops first prompts that arrived after all: where a turn begins or ends, its conversation is asked.
    pub(super) fn note_arrived(
        &mut self,
        cx: &Cx,
        states: &BTreeMap<SessionId, SessionState>,
    ) -> OpResult<()> {
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        for session in self.profile.clone().live_sessions() {
            let Some(draft) = session.draft.as_deref().map(flat) else { continue };
            let Some(state) = states.get(&session.id) else { continue };
            let worked = matches!(state.verdict.reason, Some(Reason::Busy(_) | Reason::Finished));
            let before = state.row.as_ref().and_then(|r| Memory::parse(&r.tags.memory));
            if !worked || before.is_some_and(|m| m.reason == state.verdict.reason) {
                continue;
            }
            let said = digest_of(cx, session, state.row.as_ref())?.and_then(|d| d.last_prompt);
            if said.is_some_and(|s| flat(&s) == draft) {
                keep_draft(cx, &session.id, None)?;
            }
        }
        Ok(())
    }

    /// Notes in the record that a conversation had a turn: from then on it is missed when it is gone.
    pub(super) fn note_used(&mut self, cx: &Cx, states: &BTreeMap<SessionId, SessionState>) -> OpResult<()> {
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
        let news: Vec<SessionId> = self
            .profile
            .live_sessions()
            .filter(unused)
            .filter(|s| states.get(&s.id).is_some_and(|l| had_turn(l, s.resume.id.is_some())))
            .map(|s| s.id.clone())
            .collect();
        for id in news {
            cx.change_session(&id, |s| s.resume.used = true)?;
        }
        Ok(())
    }
}
