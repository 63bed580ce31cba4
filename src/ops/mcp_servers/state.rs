//! Whether what a running session was started with is what a start would give it now.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::AgentsFiles;
use super::for_launch::{chosen, split};
use crate::domain::id::SessionId;
use crate::domain::mcp_servers::{Change, Loaded, NoEntry, changes, entry};
use crate::domain::profile::Profile;
use crate::domain::session::Session;
use crate::domain::tool::Tool;
use crate::ops::Cx;
use crate::ops::watch::is_over;

/// What is known of the servers of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum McpState {
    /// It isn't running, or nothing was noted when it was started.
    #[default]
    NotKnown,
    /// How what was loaded differs from what a start would load; empty: it is the same.
    Known(Vec<Change>),
}

impl McpState {
    /// Whether a start would load something else.
    pub fn is_stale(&self) -> bool {
        matches!(self, Self::Known(changes) if !changes.is_empty())
    }

    /// The differences.
    pub fn changes(&self) -> &[Change] {
        match self {
            Self::NotKnown => &[],
            Self::Known(changes) => changes,
        }
    }
}

/// What is known of a session's servers now. `env` has the variables of its agent that name files.
fn state(
    cx: &Cx,
    files: &mut AgentsFiles,
    profile: &Profile,
    session: &Session,
    env: &BTreeMap<String, String>,
) -> McpState {
    let Some(loaded) = &session.loaded_mcp_state else { return McpState::NotKnown };
    let found = cx.tools.tool(&session.tool);
    let tool = found.as_ref().map(|e| &e.tool);
    let theirs =
        tool.map(|tool| files.servers(&*cx.host, tool, &session.project_path, env)).unwrap_or_default();
    let servers = split(cx, session, tool, &chosen(cx, profile, session), theirs);
    let left_out = |name: &String| session.left_out_mcps.iter().any(|l| l.in_passing && l.name == *name);
    let passed = servers.wanted.iter().filter(|(name, definition)| {
        // What couldn't be passed then, for a reason that isn't looked at here, is no difference now.
        let was_left_out = left_out(name) && !loaded.iter().any(|l| l.name == **name);
        !was_left_out && tool.is_some_and(|tool| can_have(tool, name, definition))
    });
    let mut now: Vec<Loaded> = passed.map(|(name, d)| Loaded::passed(name, d)).collect();
    now.extend(servers.theirs);
    McpState::Known(changes(loaded, &now))
}

/// Whether agents of the tool have servers of this kind at all.
fn can_have(tool: &Tool, name: &str, definition: &crate::domain::mcp_servers::Definition) -> bool {
    let of = &tool.mcp.servers;
    // A variable that isn't set is found at the start.
    let made = entry(of, name, definition, &BTreeMap::new(), "", "");
    !of.is_empty() && matches!(made, Ok(_) | Err(NoEntry::Variable(_)))
}

/// The variables that name the files of a tool's agents.
pub fn variables(tool: &Tool) -> Vec<String> {
    let named = |path: &String| {
        path.strip_prefix('$').map(|rest| rest.split('/').next().unwrap_or_default().to_owned())
    };
    tool.mcp.read.iter().flat_map(|file| file.file.iter().filter_map(named)).collect()
}

/// How often files are looked at.
const INTERVAL: SignedDuration = SignedDuration::from_secs(5);

/// What is known of all watched sessions, looked at now and then.
#[derive(Debug, Default)]
pub struct McpStates {
    files: AgentsFiles,
    looked_at: Option<Timestamp>,
    known: BTreeMap<SessionId, McpState>,
    /// Shared servers that were given up, with why.
    given_up: BTreeMap<String, String>,
}

impl McpStates {
    /// Has all be looked at in the next round.
    pub fn forget(&mut self) {
        self.looked_at = None;
    }

    /// Begins a round: what is asked for from now on is looked at, if it is time.
    pub fn begin(&mut self, cx: &Cx, profile: &Profile, now: Timestamp) {
        if self.looked_at.is_none_or(|at| is_over(at, INTERVAL, now)) {
            self.looked_at = Some(now);
            self.known.clear();
            self.given_up = super::given_up::given_up(cx, profile);
        }
    }

    /// The shared servers that were given up when that was last looked at, by name, with why.
    pub const fn given_up(&self) -> &BTreeMap<String, String> {
        &self.given_up
    }

    /// What is known of a session that is running.
    pub fn of(
        &mut self,
        cx: &Cx,
        profile: &Profile,
        session: &Session,
        env: impl FnOnce() -> BTreeMap<String, String>,
    ) -> McpState {
        if let Some(known) = self.known.get(&session.id) {
            return known.clone();
        }
        let found = state(cx, &mut self.files, profile, session, &env());
        self.known.insert(session.id.clone(), found.clone());
        found
    }

    /// Ends a round: what was read whole is forgotten.
    pub fn end(&mut self) {
        self.files.end_round();
    }
}
