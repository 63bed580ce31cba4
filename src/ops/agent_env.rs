//! The environment of an agent: what its user would have had, the tool's, the session's, deck's own names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::panes::find_row;
use super::worktree::repository_of;
use super::{Cx, OpError, OpResult};
use crate::domain::env_file::env_lines;
use crate::domain::launch::{agent_env, without_server, without_servers};
use crate::domain::mcp_servers::Source;
use crate::domain::session::Session;
use crate::domain::tool::Tool;
use crate::ports::ToolEntry;
use crate::ports::mux::PaneRow;

/// Variables as the session's agent has them.
pub(super) fn own_env(cx: &Cx, session: &Session, names: &[String]) -> OpResult<BTreeMap<String, String>> {
    let row = find_row(cx, session)?;
    env_of(cx, session, names, row.as_ref())
}

/// The same, for a session whose pane is known.
pub(super) fn env_of(
    cx: &Cx,
    session: &Session,
    names: &[String],
    row: Option<&PaneRow>,
) -> OpResult<BTreeMap<String, String>> {
    let Some(row) = row else { return environment(cx, session, cx.tools.tool(&session.tool).as_ref()) };
    let wanted: Vec<_> = names.iter().map(|n| (row.session.clone(), n.clone())).collect();
    let values = cx.mux.environment(&wanted)?;
    if row.tags.adopted.is_some() {
        // Its shell had all of it from its user, not from tmux.
        let own = |name: &String| Some((name.clone(), cx.host.variable(row.facts.pid?, name)?));
        return Ok(names.iter().filter_map(own).collect());
    }
    Ok(names.iter().zip(values).filter_map(|(n, v)| Some((n.clone(), v?))).collect())
}

/// This deck for what an agent starts: with the environment in which its own session was started. What an agent gives an MCP
/// server or a command is less, or other than that: some leave out all that looks like a password.
///
/// # Errors
/// [`OpError`] when its session can't be looked at.
#[cfg(feature = "mcp")]
pub fn as_in_session(cx: &Cx, session: &Session) -> OpResult<Cx> {
    let pid = find_row(cx, session)?.and_then(|row| row.facts.pid);
    let Some(env) = pid.and_then(|pid| cx.host.environment(pid)) else { return Ok(cx.clone()) };
    Ok(Cx { caller: Arc::new(super::Caller { env, ..(*cx.caller).clone() }), ..cx.clone() })
}

/// The caller's environment without what deck itself passed to the agent that the caller is, or runs in: its settings files,
/// and its MCP server. They are another session's.
fn users_own(cx: &Cx) -> Vec<(String, String)> {
    let mut env = cx.caller.env.clone();
    let inside = cx.caller.inside.as_ref().and_then(|id| cx.session(id).ok());
    let loaded = inside.and_then(|session| session.loaded_mcp_state).unwrap_or_default();
    let passed: Vec<String> =
        loaded.into_iter().filter(|l| l.source == Source::Deck).map(|l| l.name).collect();
    for entry in cx.tools.all() {
        let (file, server) = (&entry.tool.settings.env, &entry.tool.mcp);
        env.retain(|(name, value)| name != file || !Path::new(value).starts_with(&cx.installation.files));
        env.retain_mut(|(name, value)| {
            if name != &server.env {
                return true;
            }
            let rest = without_server(&server.value, value);
            let files = cx.installation.files.to_string_lossy();
            let rest = rest.and_then(|rest| without_servers(&server.servers.value, &rest, &files, &passed));
            rest.map(|rest| *value = rest).is_some()
        });
    }
    env
}

/// The caller's environment for a program of deck's own.
#[cfg(feature = "web")]
pub(super) fn callers_own(cx: &Cx) -> BTreeMap<String, String> {
    agent_env(&users_own(cx), &cx.tools.unset_env(), &BTreeMap::new(), &BTreeMap::new())
}

/// The agent's environment: its caller's, the tool's, the session's, and deck's own names.
pub(super) fn environment(
    cx: &Cx,
    session: &Session,
    entry: Option<&Arc<ToolEntry>>,
) -> OpResult<BTreeMap<String, String>> {
    let of_tool = entry.map(|e| of_tool(cx, &e.tool)).transpose()?.unwrap_or_default();
    let mut env = agent_env(&users_own(cx), &cx.tools.unset_env(), &of_tool, &session.env);
    let own = [
        ("DECK_SESSION_ID", Some(session.id.as_str())),
        ("DECK_PROFILE", Some(cx.profile.name.as_str())),
        ("DECK_SOCKET", Some(cx.installation.socket.as_str())),
        ("DECK_HOME", cx.installation.deck_home.as_deref()),
    ];
    env.extend(own.into_iter().filter_map(|(k, v)| Some((k.to_owned(), v?.to_owned()))));
    env.extend(of_place(cx, session)?);
    Ok(env)
}

/// The environment of a tool's program that is run once, for no session: its user's, with the tool's own, and nothing of deck's.
///
/// # Errors
/// [`OpError::EnvFile`] when the tool's file of variables can't be read.
pub(super) fn headless_env(cx: &Cx, tool: &Tool) -> OpResult<BTreeMap<String, String>> {
    let of_tool = of_tool(cx, tool)?;
    let mut env = agent_env(&users_own(cx), &cx.tools.unset_env(), &of_tool, &BTreeMap::new());
    env.retain(|name, _| !name.starts_with("DECK_"));
    Ok(env)
}

/// What a tool says of its agents' environment.
fn of_tool(cx: &Cx, tool: &Tool) -> OpResult<BTreeMap<String, String>> {
    let mut all = tool.env.clone();
    if let Some(file) = tool.env_file.as_deref() {
        let home = cx.caller.var("HOME").unwrap_or("/");
        let path =
            file.strip_prefix("~/").map_or_else(|| PathBuf::from(file), |rest| Path::new(home).join(rest));
        let text = cx.host.read(&path).map_err(|source| OpError::EnvFile { path, source })?;
        all.extend(env_lines(&text));
    }
    Ok(all)
}

/// What programs in a worktree are told of it.
fn of_place(cx: &Cx, session: &Session) -> OpResult<Vec<(String, String)>> {
    let Some(place) = &session.place else { return Ok(Vec::new()) };
    let profile = cx.profile.store.load()?.profile;
    let main = repository_of(&profile, place).map(|r| r.path.clone());
    let all = [
        ("DECK_WORKTREE", Some(place.worktree.clone())),
        ("DECK_REPO", main),
        ("DECK_BRANCH", place.branch.clone()),
        ("DECK_BASE", place.base.clone()),
        ("DECK_PORT", Some(place.port().to_string())),
    ];
    Ok(all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
}
