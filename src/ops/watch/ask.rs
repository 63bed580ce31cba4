//! Asking the agents themselves: their files and services, with the environment they run in.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use super::Watcher;
use crate::domain::conversation;
use crate::domain::id::SessionId;
use crate::domain::tool::Tool;
use crate::ops::{Deck, OpResult};
use crate::ports::mux::PaneRow;
use crate::ports::reports::Asked;

/// How long a window counts as having moved, in seconds of the server: an agent may report that it is
/// done a moment after it drew its last.
const LATELY: i64 = 3;

/// What is known of one session's environment.
#[derive(Debug, Default)]
pub(super) struct Env {
    /// Which start it was read for.
    started: Option<i64>,
    vars: BTreeMap<String, String>,
}

/// The variables that the tool's own reports need.
fn wanted(tool: &Tool) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = conversation::variables(tool).into_iter().collect();
    names.extend(tool.service.password_env.clone());
    names
}

impl Watcher {
    /// Reads the environments that are not known yet, all in one burst.
    pub(super) fn read_envs(&mut self, deck: &Deck, rows: &BTreeMap<SessionId, PaneRow>) -> OpResult<()> {
        let unknown = |r: &&PaneRow| self.envs.get(&r.session).is_none_or(|e| e.started != r.started);
        let mut asked = Vec::new();
        for (id, row) in rows.iter().filter(|(_, r)| unknown(r)) {
            let entry = self.profile.session(id).and_then(|s| deck.tools.tool(&s.tool));
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
        let mut values = deck.mux.environment(&all)?.into_iter();
        for (row, names) in asked {
            let mut var = |name: String| {
                let value = values.next().flatten();
                // The shell of one that was adopted had all of it from its user, not from tmux.
                let own = || row.adopted.as_ref().and_then(|_| deck.host.variable(row.pid?, &name));
                let value = value.or_else(own)?;
                Some((name, value))
            };
            let vars = names.into_iter().filter_map(&mut var).collect();
            self.envs.insert(row.session.clone(), Env { started: row.started, vars });
        }
        Ok(())
    }

    /// Reads the agents' own reports.
    pub(super) fn ask_agents(
        &mut self,
        deck: &Deck,
        rows: &BTreeMap<SessionId, PaneRow>,
        server_now: i64,
        now: Timestamp,
    ) {
        let none = BTreeMap::new();
        let living: Vec<_> = rows
            .iter()
            .filter(|(_, r)| r.dead.is_none())
            .filter_map(|(id, row)| {
                let session = self.profile.session(id)?;
                Some((id, row, session, deck.tools.tool(&session.tool)?, row.pid?))
            })
            .collect();
        let asked: Vec<Asked<'_>> = living
            .iter()
            .map(|(_, row, session, entry, pid)| Asked {
                pid: *pid,
                tool: &entry.tool,
                env: self.envs.get(&row.session).map_or(&none, |e| &e.vars),
                conversation: row.conversation().or(session.resume.usable()),
                port: row.port,
                title: &row.title,
                moved: server_now - row.activity <= LATELY,
                now,
            })
            .collect();
        let reports = deck.reports.reports(&asked);
        self.reports = living.iter().map(|(id, ..)| (*id).clone()).zip(reports).collect();
    }
}
