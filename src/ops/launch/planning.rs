//! The plan of a start: which way the session is started, what would run, and whether it can.

use std::path::Path;

use crate::domain::conversation;
use crate::domain::id::is_conversation;
use crate::domain::launch::{Launch, LaunchPlan, ParsedCommand, Start, is_closed, parse_command, plan};
use crate::domain::resolve::nearest;
use crate::domain::session::Session;
use crate::domain::tool::{ResumeKind, Tool};
use crate::ops::agent_env::{env_of, environment};
use crate::ops::panes::find_row;
use crate::ops::worktree::{PlaceError, SetupRun, due_setup};
use crate::ops::{Cx, OpError, OpResult, mcp_servers};
use crate::ports::mux::PaneRow;

/// What starting the session would do, without doing it.
///
/// # Errors
/// [`OpError`] when it can't be started.
pub fn preview(cx: &Cx, session: &Session, fresh: bool, prompt: Option<&str>) -> OpResult<LaunchPlan> {
    preview_as(cx, session, fresh, prompt, due_setup(cx, session)?)
}

/// The same for a session that is yet to be recorded, with this setup of its worktree, if it has one.
pub(in crate::ops) fn preview_with(
    cx: &Cx,
    session: &Session,
    prompt: Option<&str>,
    setup: Option<Option<SetupRun>>,
) -> OpResult<LaunchPlan> {
    preview_as(cx, session, false, prompt, setup.flatten())
}

fn preview_as(
    cx: &Cx,
    session: &Session,
    fresh: bool,
    prompt: Option<&str>,
    setup: Option<SetupRun>,
) -> OpResult<LaunchPlan> {
    let minted = cx.clock.new_conversation_id();
    // One that was adopted is started again on deck's own server.
    let row = find_row(cx, session)?.filter(|r| r.tags.adopted.is_none());
    plan_with(cx, session, how(cx, session, fresh, row.as_ref())?, prompt, &minted, &setup, true)
}

/// How a session is to be started: its conversation is resumed if it has one; one that never had
/// a prompt left no file and is started again under its id.
///
/// One that had turns and is gone is reported, not silently started over.
pub(super) fn how(cx: &Cx, session: &Session, fresh: bool, row: Option<&PaneRow>) -> OpResult<Start> {
    let entry = cx.tools.tool(&session.tool);
    let has_conversation = entry.as_ref().is_some_and(|e| e.tool.resume_kind().is_some());
    // It has one that deck knows nothing of: a new one would take its place without a word.
    let has_turns = session.tmux.adopted.is_some() || session.resume.used;
    if !fresh && has_conversation && has_turns && session.resume.id.is_none() {
        return Err(OpError::ConversationUnknown(session.name()));
    }
    let (Some(id), Some(entry)) = (session.resume.id.as_deref(), entry) else { return Ok(Start::Fresh) };
    if fresh {
        return Ok(Start::Fresh);
    }
    if !is_conversation(id) {
        return Err(OpError::NoConversationId { session: session.name(), id: id.to_owned() });
    }
    let minted = entry.tool.resume_kind() == Some(ResumeKind::Minted);
    match conversation_exists(cx, &entry.tool, session, id, row) {
        Some(false) if session.resume.used || !minted => {
            Err(OpError::ConversationMissing { session: session.name(), id: id.to_owned() })
        }
        Some(false) => Ok(Start::SameId),
        _ => Ok(Start::Resume),
    }
}

/// Whether the conversation's file exists; `None` when nobody knows where it would be.
///
/// It is looked for where the agent will look: a restart in the same pane has the tmux session's own
/// environment, whatever the caller's is.
pub(in crate::ops) fn conversation_exists(
    cx: &Cx,
    tool: &Tool,
    session: &Session,
    id: &str,
    row: Option<&PaneRow>,
) -> Option<bool> {
    if tool.conversation_files.is_empty() {
        return None;
    }
    // What can't be asked is not known: then the conversation is taken to be there.
    let own = env_of(cx, session, &conversation::variables(tool), row).ok()?;
    let var = |name: &str| own.get(name).map(String::as_str);
    let places = conversation::places(tool, id, var);
    Some(places.iter().any(|p| cx.host.any_file(p)))
}

/// Makes the plan and checks that it can be carried out.
pub(super) fn plan_for(
    cx: &Cx,
    session: &Session,
    start: Start,
    prompt: Option<&str>,
    minted: &str,
) -> OpResult<LaunchPlan> {
    plan_with(cx, session, start, prompt, minted, &due_setup(cx, session)?, true)
}

pub(super) fn plan_with(
    cx: &Cx,
    session: &Session,
    start: Start,
    prompt: Option<&str>,
    minted: &str,
    setup: &Option<SetupRun>,
    hooks: bool,
) -> OpResult<LaunchPlan> {
    let entry = cx.tools.tool(&session.tool);
    let tool = entry.as_ref().map(|e| &e.tool);
    let env = environment(cx, session, entry.as_ref())?;
    let servers = mcp_servers::for_launch(cx, session, tool, &env)?;
    let plan = plan(Launch {
        session,
        tool,
        start,
        prompt,
        minted,
        env,
        servers,
        deck: &cx.installation.program,
        files: &cx.installation.files,
        hooks,
        own_settings: if hooks { may_pass_settings(cx, tool) } else { Err(String::new()) },
        port: tool.filter(|t| !t.service.args.is_empty()).and_then(|_| cx.host.free_port().ok()),
        publish: cx.mux.publish(),
        setup: setup.as_ref().map(|run| (run.dir.as_str(), &run.commands[..])),
        shell: cx.caller.var("SHELL").unwrap_or("/bin/sh"),
    })?;
    check(cx, session, &plan)?;
    Ok(plan)
}

/// Whether a settings file of deck's may be passed to a tool, or why not: nothing of the user's may be at the path that it
/// would take the place of. In a folder that others may write to an agent would refuse it, and show its user an error.
fn may_pass_settings(cx: &Cx, tool: Option<&Tool>) -> Result<(), String> {
    let files = &cx.installation.files;
    match tool.map(|t| t.settings.instead.as_str()).filter(|path| !path.is_empty()) {
        Some(path) if cx.host.exists(Path::new(path)) => {
            Err(format!("{path} is there, and would be replaced"))
        }
        _ if !cx.host.is_private(files) => {
            Err(format!("others may write to {}, or to a folder above it", files.display()))
        }
        _ => Ok(()),
    }
}

/// Refuses what could not run: nothing is recorded, nothing is started.
fn check(cx: &Cx, session: &Session, plan: &LaunchPlan) -> OpResult<()> {
    let is_pending = session.place.as_ref().is_some_and(|place| place.pending.is_some());
    // A worktree that is yet to be made has the programs of the folder above it.
    let dir = Path::new(&plan.dir);
    if !is_pending && !cx.host.is_dir(dir) {
        // tmux would start the agent in another folder without a word.
        if let Some(place) = session.place.as_ref().filter(|p| !cx.host.is_dir(Path::new(&p.worktree))) {
            let worktree = place.worktree.clone().into();
            return Err(PlaceError::FolderGone { session: session.name(), worktree }.into());
        }
        return Err(no_folder(cx, dir));
    }
    if !is_closed(&session.command) {
        return Err(OpError::UnclosedQuote(session.command.clone()));
    }
    let shell_line = matches!(parse_command(&session.command), Some(ParsedCommand::Shell(_)));
    let is_yet_to_come = |program: &str| is_pending && program.contains('/') && !program.starts_with('/');
    let program = plan.argv.first().filter(|program| !shell_line && !is_yet_to_come(program));
    let path = plan.env.get("PATH").map(String::as_str).unwrap_or("/usr/bin:/bin");
    match program {
        Some(program) if cx.host.find_program(program, path, dir).is_none() => {
            let all = cx.tools.all();
            let names = all.iter().map(|e| e.tool.name.as_str()).filter(|n| n != program);
            let near = nearest(program, names).map(str::to_owned);
            Err(OpError::NoProgram { program: program.clone(), path: path.to_owned(), near })
        }
        _ => Ok(()),
    }
}

/// Why a path is not a usable folder.
pub(in crate::ops) fn no_folder(cx: &Cx, path: &Path) -> OpError {
    if cx.host.exists(path) {
        OpError::NotAFolder(path.to_owned())
    } else {
        OpError::NoFolder(path.to_owned())
    }
}
