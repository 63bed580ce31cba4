//! Looking at sessions: one batched list, captures of what moved, own reports, one answer each.
//!
//! Invariants: a tick starts no process and, when nothing moved, captures nothing; the answer for
//! a session depends only on its evidence, the time and the memory on its tmux session, so that
//! every deck and every one-shot command gives the same one; what can't be looked at stays as it
//! was, with a doubt. Looking writes nothing: what should be written is returned as [`Repairs`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::mcp_servers::McpStates;
use super::orphans::{find_orphans, take_back};
use super::panes::{PaneRole, role, servers};
use super::{Cx, OpError, OpResult};
use crate::domain::id::SessionId;
use crate::domain::profile::Profile;
use crate::domain::session::Session;
use crate::domain::status::{Memory, Observation};
use crate::ports::mux::{PaneList, PaneRef, PaneRow, ServerId, SessionRef, Silence};
use crate::ports::reports::Report;
use crate::ports::store::Stamp;
use crate::ports::{MuxError, ToolEntry};

mod ask;
mod evidence;
mod ids;
mod judge;
mod list;
mod rearm;
mod repairs;
mod seen;
mod state;
mod unwritten;

pub use repairs::Repairs;
pub use state::{SessionState, Snapshot};

use ask::{AtFront, Env};
use rearm::Armed;
use seen::{Seen, read_screen};
use unwritten::Unwritten;

/// How often everything is polled again, moved or not.
const FULL: SignedDuration = SignedDuration::from_secs(30);
/// How often a pane is captured while its agent itself reports what it does.
const BESIDE_REPORT: SignedDuration = SignedDuration::from_secs(2);
/// How often a poll is restarted while the server goes down.
const ATTEMPTS: u32 = 3;
/// A pane repainted within this time counts as busy, for tools that nothing else is known of.
const REPAINT: i64 = 2;

/// Which sessions a tick looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// All.
    All,
    /// Those whose windows have just reported a change.
    Reported,
}

/// Whether a time after an instant is over. So it is if a clock that was set back says that the instant is yet to come.
pub(super) fn is_over(begun: Timestamp, time: SignedDuration, now: Timestamp) -> bool {
    let passed = now.duration_since(begun);
    passed >= time || passed.is_negative()
}

/// Looks at sessions again and again.
#[derive(Debug, Default)]
pub struct Watcher {
    /// The only sessions that it looks at; none for all.
    only: Option<BTreeSet<SessionId>>,
    /// Whether it has windows report their changes.
    is_woken: bool,
    profile: Arc<Profile>,
    /// The profile without sessions that are yet to be recorded.
    on_disk: Arc<Profile>,
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
    /// Those that have further agents.
    has_further: BTreeSet<SessionId>,
    /// The last list, and when the last whole one was made.
    listed: Option<(Timestamp, PaneList)>,
    /// What was known of each session after the last tick.
    last: BTreeMap<SessionId, SessionState>,
    /// How often the server was told to collect the child of a pane that is dead it doesn't know how.
    told: BTreeMap<PaneRef, u32>,
    /// Agents that were started by hand in shells' sessions.
    fronts: BTreeMap<SessionId, AtFront>,
    /// Which leader of a foreground was last looked behind, and when.
    behind: BTreeMap<SessionId, (i32, Timestamp)>,
    /// When the leader of each foreground was last read.
    led: BTreeMap<SessionId, Timestamp>,
    /// Whether the MCP servers of running sessions are out of date.
    mcp_states: McpStates,
    /// What agents report about themselves at this tick.
    reports: BTreeMap<SessionId, Report>,
    full_at: Option<Timestamp>,
    /// Since when two sources disagree about a session; none once that was logged.
    disputes: BTreeMap<SessionId, Option<Timestamp>>,
    /// Memories for sessions that have no tmux session to keep them, or none that can be asked now.
    orphaned: BTreeMap<SessionId, Memory>,
    /// When the windows of panes were last told to report again, and whose agents work.
    armed: Armed,
    /// What was found and is in no list yet.
    unwritten: Unwritten,
    /// The servers that didn't answer at this tick.
    unreached: BTreeMap<ServerId, Silence>,
}

impl Watcher {
    /// One that looks at all sessions, and has seen nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// One that looks at these sessions alone: no other one is captured or asked.
    pub fn of(ids: impl IntoIterator<Item = SessionId>) -> Self {
        Self { only: Some(ids.into_iter().collect()), ..Self::default() }
    }

    /// One that looks at all sessions and is woken when their windows change: it has them report that.
    pub fn woken() -> Self {
        Self { is_woken: true, ..Self::default() }
    }

    /// Whether it looks at this session.
    fn looks_at(&self, id: &SessionId) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(id))
    }

    /// The sessions that it looks at.
    fn sessions<'a>(&'a self, profile: &'a Profile) -> impl Iterator<Item = &'a Session> {
        profile.live_sessions().filter(|s| self.looks_at(&s.id))
    }

    /// What is on disk, without asking the multiplexer: for the first frame.
    ///
    /// # Errors
    /// [`super::OpError`] when the profile can't be read.
    pub fn read_from_disk(&mut self, cx: &Cx) -> OpResult<Snapshot> {
        self.reload(cx)?;
        Ok(Snapshot {
            profile: self.profile.clone(),
            states: BTreeMap::new(),
            at: cx.clock.now(),
            recovered: self.recovered.clone(),
            server: cx.installation.socket.clone(),
            unreached: BTreeMap::new(),
            given_up_mcps: BTreeMap::new(),
        })
    }

    /// Makes the next tick list everything.
    pub fn forget(&mut self) {
        if let Some((whole, _)) = &mut self.listed {
            *whole = Timestamp::MIN;
        }
    }

    /// Makes the next tick read every screen again: by other rules.
    pub fn read_again(&mut self) {
        self.forget();
        self.seen.clear();
    }

    /// The listed row of a pane.
    fn listed_row(&mut self, pane: &PaneRef) -> Option<&mut PaneRow> {
        self.listed.as_mut()?.1.rows.iter_mut().find(|r| r.pane == *pane)
    }

    /// Looks at the sessions, and writes what follows from it.
    ///
    /// # Errors
    /// [`super::OpError`] when the profile can't be read or the server not be asked.
    pub fn tick(&mut self, cx: &Cx) -> OpResult<Snapshot> {
        let (snapshot, repairs) = self.observe(cx)?;
        repairs.apply(cx);
        Ok(snapshot)
    }

    /// Looks at the sessions whose windows have just reported a change, and writes what follows from it. What is
    /// known of the others stays.
    ///
    /// # Errors
    /// As for [`Self::tick`].
    pub fn tick_reported(&mut self, cx: &Cx) -> OpResult<Snapshot> {
        let (snapshot, repairs) = self.look(cx, Scope::Reported)?;
        repairs.apply(cx);
        Ok(snapshot)
    }

    /// Looks at the sessions, and writes nothing. Returns what should be written, too.
    ///
    /// # Errors
    /// As for [`Self::tick`].
    pub fn observe(&mut self, cx: &Cx) -> OpResult<(Snapshot, Repairs)> {
        self.look(cx, Scope::All)
    }

    fn look(&mut self, cx: &Cx, scope: Scope) -> OpResult<(Snapshot, Repairs)> {
        for _ in 1..ATTEMPTS {
            match self.look_once(cx, scope) {
                // The server went down in the middle of the poll: the next one sees that it is gone.
                Err(OpError::Mux(MuxError::NoServer(_) | MuxError::Closed(_))) => self.listed = None,
                other => return other,
            }
        }
        self.look_once(cx, scope)
    }

    fn look_once(&mut self, cx: &Cx, scope: Scope) -> OpResult<(Snapshot, Repairs)> {
        let mut repairs = Repairs::default();
        self.reload(cx)?;
        let now = cx.clock.now();
        let full = self.full_at.is_none_or(|at| is_over(at, FULL, now));
        let list = self.list_panes(cx, scope)?;
        // The rest of the poll counts, even if one of these fails.
        let logged = |what: &str, result: OpResult<()>| {
            if let Err(error) = result {
                tracing::warn!(%error, "{what}");
            }
        };
        logged("can't find sessions without a record", self.find_orphans(cx, &list.rows, now, &mut repairs));
        let mut rows = self.match_rows(cx, list.rows);
        let reported = self.rearm(cx, &rows, now);
        self.unwritten.put_into(&mut rows);
        let unmarked = rows.iter().filter(|(id, r)| r.own_id().is_none() && self.looks_at(id));
        let unmarked = unmarked.filter_map(|(id, r)| Some((self.profile.session(id)?.clone(), r.clone())));
        repairs.unmarked.extend(unmarked);
        if full {
            self.envs.clear();
            self.full_at = Some(now);
        }
        // A server that didn't answer is asked for nothing else.
        let is_due = |id: &SessionId, row: &PaneRow| {
            self.reaches(row)
                && self.looks_at(id)
                && (scope == Scope::All || reported.contains(&row.pane) || self.has_news(id, row))
        };
        let (reached, rest) = rows.into_iter().partition(|(id, row)| is_due(id, row));
        if scope == Scope::All {
            self.forget_all_but(&reached);
        }
        self.read_envs(cx, &reached)?;
        self.find_fronts(cx, &reached, list.at, now);
        self.ask_agents(cx, &reached, list.at, now);
        self.capture(cx, &reached, list.at, now)?;
        // What wasn't looked at is as it was: what was seen of it then is no word on how it is now.
        let mut states = std::mem::take(&mut self.last);
        states.retain(|id, _| {
            let is_live = self.profile.session(id).is_some_and(Session::is_live);
            is_live && scope == Scope::Reported && !reached.contains_key(id)
        });
        let mut rows: BTreeMap<SessionId, PaneRow> = rest;
        rows.extend(reached);
        let judged = self.judge(cx, &rows, &states, list.at, now, &mut repairs);
        self.learn_ids(cx, &rows, &mut repairs);
        self.note_used(cx, &judged, &mut repairs);
        logged("can't read what arrived", self.note_arrived(cx, &judged, &mut repairs));
        states.extend(judged);
        self.seen.retain(|pane, _| rows.values().any(|r| r.pane == *pane));
        self.note_running(&states);
        if self.is_woken {
            self.last.clone_from(&states);
        }
        let snapshot = Snapshot {
            profile: self.profile.clone(),
            states,
            at: now,
            recovered: self.recovered.clone(),
            server: cx.installation.socket.clone(),
            unreached: self.unreached.clone(),
            given_up_mcps: self.mcp_states.given_up().clone(),
        };
        Ok((snapshot, repairs))
    }

    /// Whether its process ended, or its hook reported something, since it was looked at last.
    fn has_news(&self, id: &SessionId, row: &PaneRow) -> bool {
        let last = self.last.get(id).and_then(|state| state.row.as_ref());
        last.is_some_and(|last| (&last.facts.dead, &last.tags.hook) != (&row.facts.dead, &row.tags.hook))
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
            self.on_disk = Arc::new(loaded.profile);
            self.recovered = loaded.recovered.or(self.recovered.take());
            (self.stamp, self.loaded) = (stamp, true);
            self.mcp_states.forget();
            self.servers = servers(cx, self.sessions(&self.on_disk));
            let further = self.on_disk.live_sessions().filter_map(|s| s.worker_of.clone());
            self.has_further = further.collect();
        }
        self.profile = self.on_disk.clone();
        Ok(())
    }

    /// Finds sessions that have no record, and looks at them as at the others.
    fn find_orphans(
        &mut self,
        cx: &Cx,
        rows: &[PaneRow],
        now: Timestamp,
        repairs: &mut Repairs,
    ) -> OpResult<()> {
        let unknown = |profile: &Profile, foreign: &BTreeSet<SessionRef>| -> Vec<PaneRow> {
            let is_unknown = |r: &&PaneRow| {
                let known = profile.live_sessions();
                let lost =
                    matches!(role(cx, r, known), PaneRole::Agent(id) if profile.session(&id).is_none());
                lost && !foreign.contains(&r.session)
            };
            rows.iter().filter(is_unknown).cloned().collect()
        };
        if self.only.is_some() || unknown(&self.profile, &self.foreign).is_empty() {
            return Ok(());
        }
        // Another deck may just have recorded it.
        self.loaded = false;
        self.reload(cx)?;
        let rest = unknown(&self.profile, &self.foreign);
        if !rest.is_empty() {
            let (orphans, foreign) = find_orphans(cx, &rest)?;
            self.foreign.extend(foreign);
            take_back(Arc::make_mut(&mut self.profile), &orphans, now);
            repairs.orphans = orphans;
        }
        Ok(())
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
            && !is_over(seen.looked_at, BESIDE_REPORT, now)
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
            let seen = self.seen.get(&row.pane).filter(|s| s.is_of(&entry.tool.name, row));
            // Within one second more may follow: activity has no finer clock.
            let moved = |s: &Seen| row.facts.activity >= s.at || row.facts.title != s.title;
            let may_wait =
                |s: &Seen| self.may_wait(id, s, now) && !s.is_contradicted_by(&entry, &row.facts.title);
            if seen.is_none_or(|s| s.was_laid_out(row) || moved(s) && !may_wait(s)) {
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
            let started = row.tags.started;
            let seen = Seen { tool, started, at: server_now, looked_at: now, said, title, evidence, dialog };
            self.seen.insert(row.pane.clone(), seen);
        }
        Ok(())
    }
}
