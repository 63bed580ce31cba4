//! Looking at all sessions: one batched list, captures of what moved, own reports, one answer each.
//!
//! Invariants: a tick starts no process and, when nothing moved, captures nothing; the answer for
//! a session depends only on its evidence, the time and the memory on its tmux session, so that
//! every deck and every one-shot command gives the same one; what can't be looked at stays as it
//! was, with a doubt.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::panes::{PaneRole, role, servers};
use super::{Cx, OpError, OpResult};
use crate::domain::id::SessionId;
use crate::domain::profile::Profile;
use crate::domain::session::Session;
use crate::domain::status::{
    Change, Evidence, EvidenceOutcome, Exit, Memory, Observation, Status, Verdict, reduce,
};
use crate::ports::mux::{PaneList, PaneRef, PaneRow, ServerId, SessionRef, Silence, Tag, TagName};
use crate::ports::reports::Report;
use crate::ports::store::Stamp;
use crate::ports::{MuxError, ToolEntry};

mod ask;
mod evidence;
mod ids;
mod seen;
mod state;

pub use state::{SessionState, Snapshot};

use ask::{AtFront, Env};
use seen::{Seen, read_screen};

/// How often everything is polled again, moved or not.
const FULL: SignedDuration = SignedDuration::from_secs(30);
/// How often a pane is captured while its agent itself reports what it does.
const BESIDE_REPORT: SignedDuration = SignedDuration::from_secs(2);
/// For how long after a whole list only what moved is asked for. What other decks write on a session
/// (an acknowledgement, a status) and what comes or goes moves no window: it shows in a whole one.
const WHOLE: SignedDuration = SignedDuration::from_millis(900);
/// How often a poll is restarted while the server goes down.
const ATTEMPTS: u32 = 3;
/// How long two sources may disagree before it is logged.
const DISPUTE: SignedDuration = SignedDuration::from_secs(5);
/// How often the server is told to collect a child.
const TELL: u32 = 5;
/// A pane repainted within this time counts as busy, for tools that nothing else is known of.
const REPAINT: i64 = 2;

/// Looks at all sessions again and again.
#[derive(Debug, Default)]
pub struct Watcher {
    profile: Arc<Profile>,
    stamp: Option<Stamp>,
    loaded: bool,
    recovered: Option<String>,
    seen: BTreeMap<PaneRef, Seen>,
    /// Variables of sessions that own reports need, read at each full poll and at each start.
    envs: BTreeMap<SessionRef, Env>,
    attached: BTreeSet<SessionId>,
    foreign: BTreeSet<SessionRef>,
    /// The servers that the profile's sessions are on.
    servers: Vec<ServerId>,
    /// The last list, and when the last whole one was made.
    listed: Option<(Timestamp, PaneList)>,
    /// How often the server was told to collect the child of a pane that is dead it doesn't know how.
    told: BTreeMap<PaneRef, u32>,
    /// Agents that were started by hand in shells' sessions.
    fronts: BTreeMap<SessionId, AtFront>,
    /// Which leader of a foreground was last looked behind, and when.
    behind: BTreeMap<SessionId, (i32, Timestamp)>,
    /// When the leader of each foreground was last read.
    led: BTreeMap<SessionId, Timestamp>,
    /// What agents report about themselves at this tick.
    reports: BTreeMap<SessionId, Report>,
    full_at: Option<Timestamp>,
    /// Since when two sources disagree about a session; none once that was logged.
    disputes: BTreeMap<SessionId, Option<Timestamp>>,
    /// Memories for sessions that have no tmux session to keep them, or none that can be asked now.
    orphaned: BTreeMap<SessionId, Memory>,
    /// The servers that didn't answer at this tick.
    unreached: BTreeMap<ServerId, Silence>,
}

impl Watcher {
    /// One that has seen nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What is on disk, without asking the multiplexer: for the first frame.
    ///
    /// # Errors
    /// [`super::OpError`] when the profile can't be read.
    pub fn from_disk(&mut self, cx: &Cx) -> OpResult<Snapshot> {
        self.reload(cx)?;
        Ok(Snapshot {
            profile: self.profile.clone(),
            states: BTreeMap::new(),
            at: cx.clock.now(),
            recovered: self.recovered.clone(),
            server: cx.installation.socket.clone(),
            unreached: BTreeMap::new(),
        })
    }

    /// Makes the next tick list everything.
    pub fn forget(&mut self) {
        self.listed = None;
    }

    /// Makes the next tick read every screen again: by other rules.
    pub fn read_again(&mut self) {
        self.listed = None;
        self.seen.clear();
    }

    /// The listed row of a pane: what this deck writes on a session must be in it, too.
    fn listed_row(&mut self, pane: &PaneRef) -> Option<&mut PaneRow> {
        self.listed.as_mut()?.1.rows.iter_mut().find(|r| r.pane == *pane)
    }

    /// Looks at all sessions.
    ///
    /// # Errors
    /// [`super::OpError`] when the profile can't be read or the server not be asked.
    pub fn tick(&mut self, cx: &Cx) -> OpResult<Snapshot> {
        for _ in 1..ATTEMPTS {
            match self.look_once(cx) {
                // The server went down in the middle of the poll: the next one sees that it is gone.
                Err(OpError::Mux(MuxError::NoServer(_) | MuxError::Closed(_))) => self.listed = None,
                other => return other,
            }
        }
        self.look_once(cx)
    }

    fn look_once(&mut self, cx: &Cx) -> OpResult<Snapshot> {
        self.reload(cx)?;
        let now = cx.clock.now();
        let full = self.full_at.is_none_or(|at| now.duration_since(at) >= FULL);
        let list = self.list_panes(cx)?;
        // What follows from a poll may fail (a full disk, a session that just ended): the poll's result is kept.
        let logged = |what: &str, result: OpResult<()>| {
            if let Err(error) = result {
                tracing::warn!(%error, "{what}");
            }
        };
        logged("can't recover sessions", self.recover_orphans(cx, &list.rows));
        let rows = self.match_rows(cx, list.rows);
        for (id, row) in rows.iter().filter(|(_, r)| r.own_id().is_none()) {
            if let Some(session) = self.profile.session(id) {
                logged("can't mark a session", super::launch::mark(cx, session, row));
            }
        }
        if full {
            self.envs.clear();
            self.full_at = Some(now);
        }
        // A server that didn't answer is asked for nothing else.
        let (reached, rest) = rows.into_iter().partition(|(_, row)| self.reaches(row));
        self.read_envs(cx, &reached)?;
        self.find_fronts(cx, &reached, list.at, now);
        self.ask_agents(cx, &reached, list.at, now);
        self.capture(cx, &reached, list.at, now)?;
        let mut rows: BTreeMap<SessionId, PaneRow> = rest;
        rows.extend(reached);
        let states = self.judge(cx, &rows, list.at, now)?;
        logged("can't record a conversation id", self.learn_ids(cx, &rows));
        logged("can't record a first turn", self.note_used(cx, &states));
        logged("can't drop a prompt that arrived", self.note_arrived(cx, &states));
        self.seen.retain(|pane, _| rows.values().any(|r| r.pane == *pane));
        Ok(Snapshot {
            profile: self.profile.clone(),
            states,
            at: now,
            recovered: self.recovered.clone(),
            server: cx.installation.socket.clone(),
            unreached: self.unreached.clone(),
        })
    }

    /// Whether the server of a pane answered at this tick.
    fn reaches(&self, row: &PaneRow) -> bool {
        !self.unreached.contains_key(row.server())
    }

    fn reload(&mut self, cx: &Cx) -> OpResult<()> {
        // The stamp is taken first: a write in between makes the next tick read again.
        let stamp = cx.profile.store.stamp();
        if !self.loaded || stamp != self.stamp {
            let loaded = cx.profile.store.load()?;
            self.profile = Arc::new(loaded.profile);
            self.recovered = loaded.recovered.or(self.recovered.take());
            (self.stamp, self.loaded) = (stamp, true);
            self.servers = servers(cx, self.profile.live_sessions());
        }
        Ok(())
    }

    /// All panes; none when there is no server. Some versions of tmux don't collect a child that ended
    /// at once: they have to be told, and asked again. A child that they lost for good is not asked
    /// for over and over: telling costs the server a process.
    fn list_panes(&mut self, cx: &Cx) -> OpResult<PaneList> {
        let servers = self.servers.clone();
        let ask = |since| match cx.mux.panes(&servers, since) {
            Err(MuxError::NoServer(_)) => Ok(PaneList::default()),
            other => other,
        };
        // Between two whole lists only what moved is asked for.
        let now = cx.clock.now();
        let since = self.listed.as_ref().filter(|(at, _)| now.duration_since(*at) < WHOLE).map(|(_, l)| l.at);
        let mut list = ask(since)?;
        self.unreached = std::mem::take(&mut list.unreached);
        if !self.unreached.is_empty() && since.is_none() {
            // What was listed of them last is the last that is known.
            let last = self.listed.take().map(|(_, l)| l.rows).unwrap_or_default();
            let kept: Vec<PaneRow> = last.into_iter().filter(|r| !self.reaches(r)).collect();
            list.rows.extend(kept);
        }
        if let (Some(_), Some((at, whole))) = (since, self.listed.take()) {
            list = merged(whole, list);
            self.listed = Some((at, list.clone()));
        } else {
            self.listed = Some((now, list.clone()));
        }
        let mut tell = false;
        for row in list.rows.iter().filter(|r| r.facts.dead == Some(Exit::NotYetKnown)) {
            let told = self.told.entry(row.pane.clone()).or_default();
            tell |= *told < TELL;
            *told += 1;
        }
        if tell {
            cx.mux.reap()?;
            list = ask(None)?;
        }
        for row in list.rows.iter_mut().filter(|r| r.facts.dead == Some(Exit::NotYetKnown)) {
            // The pane may be dead before its process is: then how it ends is still to come.
            let lost = self.told.get(&row.pane).is_some_and(|n| *n >= TELL);
            if lost && row.facts.pid.is_none_or(|pid| !cx.host.lives(pid)) {
                row.facts.dead = Some(Exit::Unknown);
            }
        }
        self.told.retain(|pane, _| list.rows.iter().any(|r| r.pane == *pane && r.facts.dead.is_some()));
        Ok(list)
    }

    fn recover_orphans(&mut self, cx: &Cx, rows: &[PaneRow]) -> OpResult<()> {
        let unknown = |profile: &Profile, foreign: &BTreeSet<SessionRef>| -> Vec<PaneRow> {
            let is_unknown = |r: &&PaneRow| {
                let known = profile.live_sessions();
                let lost =
                    matches!(role(cx, r, known), PaneRole::Agent(id) if profile.session(&id).is_none());
                lost && !foreign.contains(&r.session)
            };
            rows.iter().filter(is_unknown).cloned().collect()
        };
        if unknown(&self.profile, &self.foreign).is_empty() {
            return Ok(());
        }
        // Another deck may just have recorded it.
        self.loaded = false;
        self.reload(cx)?;
        let rest = unknown(&self.profile, &self.foreign);
        if !rest.is_empty() {
            self.foreign.extend(super::orphans::recover_orphans(cx, &rest)?);
            self.loaded = false;
            self.reload(cx)?;
        }
        Ok(())
    }

    /// Each session's pane.
    fn match_rows(&self, cx: &Cx, rows: Vec<PaneRow>) -> BTreeMap<SessionId, PaneRow> {
        let mut by_id = BTreeMap::new();
        // One that carries the id goes before one that only has the name.
        let (marked, unmarked): (Vec<_>, Vec<_>) = rows.into_iter().partition(|r| r.own_id().is_some());
        for row in unmarked.into_iter().rev().chain(marked) {
            if let PaneRole::Agent(id) = role(cx, &row, self.profile.live_sessions()) {
                by_id.insert(id, row);
            }
        }
        by_id
    }

    /// Whether a pane's capture can wait: its agent itself reports what it does, still the same, and
    /// the screen adds only what such a report is blind to.
    fn may_wait(&self, id: &SessionId, seen: &Seen, now: Timestamp) -> bool {
        let said = self.reports.get(id).and_then(|r| r.evidence.as_ref()).map(|e| &e.what);
        // What outranks a report must not be believed for longer than it is on the screen.
        let calm =
            seen.evidence.iter().all(|e| !matches!(e.what, Observation::Blocked(_) | Observation::Failed(_)));
        calm && said.is_some_and(|w| *w != Observation::Unknown)
            && said == seen.said.as_ref()
            && now.duration_since(seen.looked_at) < BESIDE_REPORT
    }

    /// Captures the panes whose window changed since their last capture, and reads them.
    fn capture(
        &mut self,
        cx: &Cx,
        rows: &BTreeMap<SessionId, PaneRow>,
        server_now: i64,
        now: Timestamp,
    ) -> OpResult<()> {
        let mut due: Vec<(&SessionId, &PaneRow, Arc<ToolEntry>)> = Vec::new();
        for (id, row) in rows.iter().filter(|(_, r)| r.facts.dead.is_none()) {
            let Some(session) = self.profile.session(id) else { continue };
            let Some(entry) = self.tool_of(cx, session).filter(|e| e.has_rules()) else {
                continue;
            };
            let seen = self.seen.get(&row.pane).filter(|s| s.tool == entry.tool.name);
            // Within one second more may follow: activity has no finer clock.
            let moved = |s: &Seen| row.facts.activity >= s.at || row.facts.title != s.title;
            if seen.is_none_or(|s| moved(s) && !self.may_wait(id, s, now)) {
                due.push((id, row, entry));
            }
        }
        if due.is_empty() {
            return Ok(());
        }
        let panes: Vec<PaneRef> = due.iter().map(|(_, r, _)| r.pane.clone()).collect();
        let screens = cx.mux.screens(&panes)?;
        for ((id, row, entry), screen) in due.into_iter().zip(screens) {
            let Some(screen) = screen else { continue };
            let (evidence, dialog) = read_screen(&entry, &screen, &row.facts.title, now);
            let said = self.reports.get(id).and_then(|r| r.evidence.as_ref()).map(|e| e.what.clone());
            let (tool, title) = (entry.tool.name.clone(), row.facts.title.clone());
            let seen = Seen { tool, at: server_now, looked_at: now, said, title, evidence, dialog };
            self.seen.insert(row.pane.clone(), seen);
        }
        Ok(())
    }

    fn judge(
        &mut self,
        cx: &Cx,
        rows: &BTreeMap<SessionId, PaneRow>,
        server_now: i64,
        now: Timestamp,
    ) -> OpResult<BTreeMap<SessionId, SessionState>> {
        let profile = self.profile.clone();
        let mut states = BTreeMap::new();
        let mut news = Vec::new();
        for session in profile.live_sessions() {
            let row = rows.get(&session.id);
            let evidence = self.evidence(cx, session, row, server_now, now);
            let ack = self.acknowledged(cx, session, row, now);
            let is_reached = row.is_none_or(|r| self.reaches(r));
            let memory = match row.filter(|_| is_reached) {
                Some(row) => {
                    self.orphaned.remove(&session.id);
                    Memory::parse(&row.tags.memory)
                }
                None => self.kept_memory(cx, session, row),
            };
            let verdict = reduce(&state::facts(session, row, ack, &evidence, now), memory.as_ref());
            self.remember(session, row.filter(|_| is_reached), memory.as_ref(), &verdict, &mut news);
            if let Some(row) =
                row.filter(|r| is_reached && r.tags.hook.as_ref().is_some_and(|n| evidence::is_ahead(n, now)))
            {
                // It would keep out all notes until its time comes.
                let stale = [TagName::HookAt, TagName::Hook];
                news.extend(stale.map(|name| (row.session.clone(), Tag::none(name))));
            }
            note_change(cx, session, memory.as_ref(), &verdict, &evidence, now);
            let asks = verdict.status == Status::Waiting;
            let seen = row.filter(|_| asks).and_then(|r| self.seen_of(cx, session, r));
            let dialog = seen.and_then(|s| s.dialog.clone());
            let state = SessionState { row: row.cloned(), verdict, evidence, acknowledged_at: ack, dialog };
            self.note_dispute(session, &state, now);
            states.insert(session.id.clone(), state);
        }
        if !news.is_empty() {
            // Kept by every deck for itself until it can be noted.
            if let Err(error) = cx.mux.tag_each(&news) {
                tracing::warn!(%error, "can't store statuses");
            }
        }
        Ok(states)
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
        cx: &Cx,
        session: &Session,
        row: Option<&PaneRow>,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let row = row?;
        if !self.reaches(row) {
            return row.tags.ack.and_then(|ms| Timestamp::from_millisecond(ms).ok());
        }
        let noted = row.tags.ack.and_then(|ms| Timestamp::from_millisecond(ms).ok());
        if row.facts.attached > 0 {
            self.attached.insert(session.id.clone());
        } else if self.attached.remove(&session.id) {
            let at = now.as_millisecond().to_string();
            if let Err(error) = cx.mux.tag(&row.session, &[Tag::new(TagName::Acknowledged, &at)]) {
                tracing::warn!(%error, "can't record an acknowledgement");
            }
            if let Some(listed) = self.listed_row(&row.pane) {
                listed.tags.ack = Some(now.as_millisecond());
            }
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
        news: &mut Vec<(SessionRef, Tag)>,
    ) {
        match row {
            _ if before == Some(&verdict.memory) => {}
            Some(row) => {
                let memory = verdict.memory.to_json();
                if let Some(listed) = self.listed_row(&row.pane) {
                    listed.tags.memory.clone_from(&memory);
                }
                news.push((row.session.clone(), Tag::new(TagName::Status, memory)));
            }
            None => {
                self.orphaned.insert(session.id.clone(), verdict.memory.clone());
            }
        }
    }
}

/// Keeps a change of status with the evidence that decided, to be explained later.
fn note_change(
    cx: &Cx,
    session: &Session,
    before: Option<&Memory>,
    verdict: &Verdict,
    evidence: &[Evidence],
    now: Timestamp,
) {
    // Which tool a running agent uses is not a change of its status.
    let is_change = |m: &&Memory| {
        m.status != verdict.status || (m.reason != verdict.reason && m.status != Status::Running)
    };
    let Some(before) = before.filter(is_change) else { return };
    let decider = verdict.decided_by.and_then(|i| evidence.get(i));
    let change = Change::new(before, verdict, decider, now);
    if let Err(error) = cx.history.note(&session.id, &change) {
        tracing::debug!(%error, "can't store a status change");
    }
}

/// A whole list with the rows that moved since in place of the old ones.
fn merged(mut whole: PaneList, moved: PaneList) -> PaneList {
    for row in moved.rows {
        match whole.rows.iter_mut().find(|r| r.pane == row.pane) {
            Some(old) => *old = row,
            None => whole.rows.push(row),
        }
    }
    whole.at = moved.at;
    whole
}
