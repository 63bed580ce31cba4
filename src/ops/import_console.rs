//! Making sessions of those in the file of agent-console.
//!
//! Invariants: nothing is started; a session that was imported before, by its id there, is not made again; the file is only
//! read.

use std::path::Path;

use jiff::Timestamp;

use super::create::{clean_title, text_of};
use super::{Cx, OpResult, default_title, repository};
use crate::domain::agent_console::{ConsoleSession, ConsoleWorker};
use crate::domain::group::GroupPath;
use crate::domain::place::Place;
use crate::domain::profile::Profile;
use crate::domain::session::{Session, TmuxRef};
use crate::domain::slug::tmux_name;
use crate::domain::worker::{Worker, WorkerId, WorkerType, free_name, is_name};
use crate::ports::transact;

/// Makes sessions of those that no profile has yet, or with `dry_run` only says which these are.
///
/// # Errors
/// [`super::OpError`] when the profile can't be read or written.
pub fn import_console(
    cx: &Cx,
    found: &[ConsoleSession],
    group: &GroupPath,
    dry_run: bool,
) -> OpResult<Vec<Session>> {
    let others = cx.profile.store.others()?;
    let make = |profile: &mut Profile| {
        let mut made = Vec::new();
        for one in found {
            let has = |s: &Session| s.imported_id.as_deref() == Some(&one.id);
            if profile.sessions.iter().chain(others.iter().flat_map(|p| &p.sessions)).any(has) {
                continue;
            }
            made.extend(sessions_of(cx, profile, one, group)?);
        }
        Ok(made)
    };
    if dry_run {
        return make(&mut cx.profile.store.load()?.profile);
    }
    transact(&*cx.profile.store, make)
}

/// A session, and the further agents in it as sessions of their own.
fn sessions_of(
    cx: &Cx,
    profile: &mut Profile,
    one: &ConsoleSession,
    group: &GroupPath,
) -> OpResult<Vec<Session>> {
    let now = cx.clock.now();
    let place = if one.is_worktree { Some(place_of(cx, profile, &one.path)?) } else { None };
    profile.ensure_group(group);
    let (agents, terminals): (Vec<_>, Vec<_>) = one.workers.iter().partition(|w| w.tool.is_some());
    let mut made: Vec<Session> = Vec::new();
    for (at, agent) in agents.iter().enumerate() {
        let title = match made.first() {
            None => default_title(profile, Path::new(&one.path)),
            Some(first) => {
                let name = clean_title(&agent.name).unwrap_or_else(|_| "agent".to_owned());
                free_name(profile, first, &name)
            }
        };
        let id = cx.clock.new_session_id();
        // Where the file doesn't say when, it is now.
        let known = Some(one.created_at).filter(|at| *at > Timestamp::UNIX_EPOCH && *at < now);
        let mut session = Session::new(id.clone(), &title, known.unwrap_or(now));
        session.project_path = text_of(Path::new(&one.path))?;
        session.group_path = group.clone();
        let tool = agent.tool.clone().unwrap_or_default();
        (session.tool, session.command) = cx.tools.tool_of(&tool);
        session.order = profile.next_session_order(group);
        session.imported_id = Some(if at == 0 { one.id.clone() } else { agent.id.clone() });
        session.place.clone_from(&place);
        session.tmux = TmuxRef {
            socket: cx.installation.socket.clone(),
            name: tmux_name(&title, &session.id),
            ..TmuxRef::default()
        };
        if let Some(first) = made.first() {
            session.parent_id = Some(first.id.clone());
            session.worker_of = Some(first.id.clone());
        } else {
            session.workers = terminals.iter().enumerate().map(|(at, w)| terminal(cx, at, w)).collect();
        }
        profile.sessions.push(session.clone());
        made.push(session);
    }
    Ok(made)
}

/// A terminal that its user starts when they want it.
fn terminal(cx: &Cx, at: usize, worker: &ConsoleWorker) -> Worker {
    let name = crate::domain::text::clean(&worker.name).replace(':', " ");
    let name = if is_name(&name) { name } else { format!("terminal-{}", at + 1) };
    let id = WorkerId::new(cx.clock.new_session_id().as_str());
    Worker::new(id, WorkerType::Terminal, &name, worker.created_at)
}

/// Where a session of a worktree works. One whose folder is gone is known by that.
fn place_of(cx: &Cx, profile: &mut Profile, path: &str) -> OpResult<Place> {
    let folder = Path::new(path);
    let gone = || Place { worktree: path.to_owned(), ..Place::default() };
    if !cx.host.is_dir(folder) {
        return Ok(gone());
    }
    let Ok(facts) = cx.git.repository(folder, &cx.stop()) else { return Ok(gone()) };
    let entries = cx.git.worktrees(folder, &cx.stop())?;
    let main = entries.first().map(|entry| entry.path.clone()).unwrap_or_else(|| folder.to_owned());
    let top = facts.top.clone().unwrap_or_else(|| folder.to_owned());
    let id = cx.clock.new_session_id();
    let known = repository::register(profile, &facts, &main, id.as_str(), cx.clock.now())?;
    let branch = entries.iter().find(|entry| entry.path == top).and_then(|entry| entry.branch.clone());
    Ok(Place { repository_id: known.id, worktree: text_of(&top)?, branch, ..Place::default() })
}
