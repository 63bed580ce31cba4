//! Forking a session: a new one from the same conversation.
//!
//! Invariant: the conversation of the session that is forked is never written to.

use super::launch::{self, launch_as};
use super::panes::find_row;
use super::{Cx, OpError, OpResult, guard};
use crate::domain::conversation;
use crate::domain::guard::Act;
use crate::domain::id::SessionId;
use crate::domain::launch::Start;
use crate::domain::place::{Place, SetupState};
use crate::domain::session::{IdSource, Session, TmuxRef};
use crate::domain::slug::{numbered_title, tmux_name};
use crate::domain::tool::Tool;
use crate::ports::transact;

/// Forks a session under a title, or one made from its own.
///
/// # Errors
/// [`OpError::NoFork`] when its tool can't, or it has no conversation yet.
pub fn fork(cx: &Cx, id: &SessionId, title: Option<&str>) -> OpResult<Session> {
    let origin = cx.session(id)?;
    guard::check(cx, Act::Fork, &origin)?;
    let no = |why| OpError::NoFork { session: origin.name(), why };
    let entry = cx.tools.tool(&origin.tool).ok_or_else(|| no("its command is not a deck tool"))?;
    let known = origin.resume.usable().ok_or_else(|| no("it has no conversation yet"))?.to_owned();
    if entry.tool.fork.is_empty() && entry.tool.fork_post.is_none() && !entry.tool.fork_copy {
        return Err(no("its tool has no way to copy a conversation"));
    }
    let row = find_row(cx, &origin)?;
    if launch::conversation_exists(cx, &entry.tool, &origin, &known, row.as_ref()) == Some(false) {
        return Err(no("nothing was said in it yet; fork its parent"));
    }
    let minted = cx.clock.new_conversation_id();
    if entry.tool.fork_copy {
        copy(cx, &entry.tool, &origin, &known, &minted)?;
    }
    let child = record(cx, &origin, title)?;
    let start = if entry.tool.fork_copy {
        let now = cx.clock.now();
        cx.change_session(&child.id, |s| {
            s.resume.record(&minted, IdSource::Minted, now);
        })?;
        Start::Resume
    } else {
        Start::Fork
    };
    // The plan is made from the origin's conversation; the copy's own id is learnt from it, or later.
    let mut planned = cx.session(&child.id)?;
    if start == Start::Fork {
        planned.resume.id = Some(known);
    }
    match launch_as(cx, &planned, start, None, None, &minted) {
        Ok(launched) => Ok(launched.session),
        Err(error) => {
            // What could not be started is not left behind.
            super::delete(cx, std::slice::from_ref(&child.id), true)?;
            Err(error)
        }
    }
}

/// The child's record: beside its origin, and under it.
fn record(cx: &Cx, origin: &Session, title: Option<&str>) -> OpResult<Session> {
    let id = cx.clock.new_session_id();
    let now = cx.clock.now();
    transact(&*cx.profile.store, |profile| {
        let taken: Vec<&str> = profile.live_sessions().map(|s| s.title.as_str()).collect();
        let title = match title {
            Some(title) => super::create::clean_title(title)?,
            None => numbered_title(&format!("{} fork", origin.title), &taken),
        };
        let mut child = Session::new(id.clone(), &title, now);
        child.project_path.clone_from(&origin.project_path);
        child.group_path = origin.group_path.clone();
        child.tool.clone_from(&origin.tool);
        child.command.clone_from(&origin.command);
        child.args.clone_from(&origin.args);
        child.mcp.clone_from(&origin.mcp);
        child.mcps.clone_from(&origin.mcps);
        child.env.clone_from(&origin.env);
        // The worktree is its origin's, and set up by then.
        child.place =
            origin.place.clone().map(|place| Place { made: false, setup: SetupState::None, ..place });
        child.parent_id = Some(origin.id.clone());
        child.order = profile.next_session_order(&child.group_path);
        child.tmux = TmuxRef {
            socket: cx.installation.socket.clone(),
            name: tmux_name(&title, &child.id),
            ..TmuxRef::default()
        };
        profile.sessions.push(child.clone());
        Ok::<_, OpError>(child)
    })
}

/// Copies the conversation's file under a new id.
fn copy(cx: &Cx, tool: &Tool, origin: &Session, id: &str, new: &str) -> OpResult<()> {
    let why = "its conversation file was not found";
    let missing = || OpError::NoFork { session: origin.name(), why };
    let env = super::agent_env::own_env(cx, origin, &conversation::variables(tool))?;
    let places = conversation::places(tool, id, |name| env.get(name).map(String::as_str));
    let file = places.iter().find_map(|p| cx.host.find_file(p)).ok_or_else(missing)?;
    let short = |id: &str| id.chars().take(8).collect::<String>();
    let name = file.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let copied = name.replace(id, new).replace(&short(id), &short(new));
    let failed = |source| OpError::CopyConversation { path: file.clone(), source };
    let text = cx.host.read(&file).map_err(failed)?;
    cx.host.put(&file.with_file_name(copied), &text.replace(id, new)).map_err(failed)
}
