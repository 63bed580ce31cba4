//! Asking the agents themselves: their files and services, with the environment they run in.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

use super::seen::Seen;
use super::{Watcher, is_over};
use crate::domain::conversation;
use crate::domain::id::SessionId;
use crate::domain::session::Session;
use crate::domain::tool::Tool;
use crate::ops::foreground_agent::{self, Front};
use crate::ops::{Cx, OpResult, mcp_servers};
use crate::ports::ToolEntry;
use crate::ports::mux::PaneRow;
use crate::ports::reports::Asked;

/// How long a window counts as having moved, in seconds of the server: an agent may report that it is
/// done a moment after it drew its last.
const LATELY: i64 = 3;

/// How often deck looks for an agent behind the leader of a foreground: that reads all processes.
const BEHIND: SignedDuration = SignedDuration::from_secs(5);
/// How often the leader of a foreground is read while its window doesn't move.
const LED: SignedDuration = SignedDuration::from_secs(10);

/// What is known of one session's environment.
#[derive(Debug, Default)]
pub(super) struct Env {
    /// Which start it was read for.
    started: Option<i64>,
    pub vars: BTreeMap<String, String>,
}

/// The variables that the tool's own reports need.
fn wanted(tool: &Tool) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = conversation::variables(tool).into_iter().collect();
    names.extend(tool.service.password_env.clone());
    names.extend(mcp_servers::variables(tool));
    names
}

/// An agent in the foreground of a shell.
#[derive(Debug)]
pub(super) struct AtFront {
    pub front: Front,
    /// The process that leads its group.
    leader: i32,
    /// Those variables of its environment that reports need.
    vars: BTreeMap<String, String>,
}

impl Watcher {
    /// Finds the agents that were started by hand in shells. Nothing but the leader of the foreground is read
    /// as long as that is the same, and of a window that doesn't move that only now and then: a program that
    /// comes or goes is drawn.
    pub(super) fn find_fronts(
        &mut self,
        cx: &Cx,
        rows: &BTreeMap<SessionId, PaneRow>,
        server_now: i64,
        now: Timestamp,
    ) {
        let mut before: BTreeMap<_, _> = rows.keys().filter_map(|id| self.fronts.remove_entry(id)).collect();
        let profile = self.profile.clone();
        for (id, row) in rows.iter().filter(|(_, r)| r.facts.dead.is_none()) {
            let moved = server_now - row.facts.activity <= LATELY;
            if !moved && self.led.get(id).is_some_and(|at| !is_over(*at, LED, now)) {
                self.fronts.extend(before.remove_entry(id));
                continue;
            }
            self.led.insert(id.clone(), now);
            let Some(session) = profile.session(id) else { continue };
            let Some(leader) = foreground_agent::leader(cx, session, row) else { continue };
            let known = before.remove(id).filter(|k| k.leader == leader.pid);
            let front = match (foreground_agent::agent(cx, &leader), &known) {
                (Some(front), _) => Some(front),
                (None, Some(known)) if cx.host.lives(known.front.pid) => Some(known.front.clone()),
                _ => self.look_behind(cx, id, row, leader.pid, now),
            };
            let Some(front) = front else { continue };
            let known = known
                .filter(|k| (k.front.pid, &k.front.entry.tool.name) == (front.pid, &front.entry.tool.name));
            let vars = known.map(|k| k.vars).unwrap_or_else(|| {
                let var = |name: String| Some((name.clone(), cx.host.variable(front.pid, &name)?));
                wanted(&front.entry.tool).into_iter().filter_map(var).collect()
            });
            self.fronts.insert(id.clone(), AtFront { front, leader: leader.pid, vars });
        }
    }

    /// Forgets what was read of agents that are not to be asked now.
    pub(super) fn forget_all_but(&mut self, rows: &BTreeMap<SessionId, PaneRow>) {
        self.fronts.retain(|id, _| rows.contains_key(id));
        self.behind.retain(|id, _| rows.contains_key(id));
        self.led.retain(|id, _| rows.contains_key(id));
        self.reports.clear();
    }

    /// The agent that the leader of a foreground has started: not looked for at every poll.
    fn look_behind(
        &mut self,
        cx: &Cx,
        id: &SessionId,
        row: &PaneRow,
        leader: i32,
        now: Timestamp,
    ) -> Option<Front> {
        let done = self.behind.get(id).is_some_and(|(l, at)| *l == leader && !is_over(*at, BEHIND, now));
        if done {
            return None;
        }
        self.behind.insert(id.clone(), (leader, now));
        foreground_agent::wrapped(cx, row)
    }

    /// The tool whose rules and reports hold for a session now.
    pub(super) fn tool_of(&self, cx: &Cx, session: &Session) -> Option<Arc<ToolEntry>> {
        let front = self.fronts.get(&session.id).map(|f| f.front.entry.clone());
        front.or_else(|| cx.tools.tool(&session.tool))
    }

    /// What was read on a session's pane by the rules that hold now.
    pub(super) fn seen_of(&self, cx: &Cx, session: &Session, row: &PaneRow) -> Option<&Seen> {
        let tool = self.tool_of(cx, session).map(|e| e.tool.name.clone()).unwrap_or_default();
        self.seen.get(&row.pane).filter(|s| s.is_of(&tool, row))
    }

    /// Reads the environments that are not known yet, all in one burst.
    pub(super) fn read_envs(&mut self, cx: &Cx, rows: &BTreeMap<SessionId, PaneRow>) -> OpResult<()> {
        let unknown = |r: &&PaneRow| self.envs.get(&r.session).is_none_or(|e| e.started != r.tags.started);
        let mut asked = Vec::new();
        for (id, row) in rows.iter().filter(|(_, r)| unknown(r)) {
            let entry = self.profile.session(id).and_then(|s| cx.tools.tool(&s.tool));
            let names = entry.map(|e| wanted(&e.tool)).unwrap_or_default();
            asked.push((row, names));
        }
        if asked.is_empty() {
            return Ok(());
        }
        let all: Vec<_> = asked
            .iter()
            .flat_map(|(r, names)| names.iter().map(|n| (r.session.clone(), n.clone())))
            .collect();
        let mut values = cx.mux.environment(&all)?.into_iter();
        for (row, names) in asked {
            let mut var = |name: String| {
                let value = values.next().flatten();
                // The shell of one that was adopted had all of it from its user, not from tmux.
                let own = || row.tags.adopted.as_ref().and_then(|_| cx.host.variable(row.facts.pid?, &name));
                let value = value.or_else(own)?;
                Some((name, value))
            };
            let vars = names.into_iter().filter_map(&mut var).collect();
            self.envs.insert(row.session.clone(), Env { started: row.tags.started, vars });
        }
        Ok(())
    }

    /// Reads the agents' own reports.
    pub(super) fn ask_agents(
        &mut self,
        cx: &Cx,
        rows: &BTreeMap<SessionId, PaneRow>,
        server_now: i64,
        now: Timestamp,
    ) {
        let none = BTreeMap::new();
        let living: Vec<_> = rows
            .iter()
            .filter(|(_, r)| r.facts.dead.is_none())
            .filter_map(|(id, row)| {
                let session = self.profile.session(id)?;
                let pid = self.fronts.get(id).map_or(row.facts.pid?, |f| f.front.pid);
                Some((id, row, session, self.tool_of(cx, session)?, pid))
            })
            .collect();
        let asked: Vec<Asked<'_>> = living
            .iter()
            .map(|(id, row, session, entry, pid)| Asked {
                pid: *pid,
                tool: &entry.tool,
                env: match self.fronts.get(*id) {
                    Some(front) => &front.vars,
                    None => self.envs.get(&row.session).map_or(&none, |e| &e.vars),
                },
                conversation: row.conversation().or(session.resume.usable()),
                port: row.tags.port,
                title: &row.facts.title,
                moved: server_now - row.facts.activity <= LATELY,
                now,
            })
            .collect();
        let reports = cx.reports.reports(&asked);
        let ids: Vec<SessionId> = living.iter().map(|(id, ..)| (*id).clone()).collect();
        self.reports.extend(ids.into_iter().zip(reports));
    }
}
