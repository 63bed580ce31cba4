//! Starting an agent: the intent on disk, then the multiplexer.

use std::path::{Path, PathBuf};

use super::agent_env::{env_of, environment};
use super::panes::{find_row, is_of, panes};
use super::unseen::was_unseen;
use super::worker::{self, Returned};
use super::worktree::{PlaceError, SetupRun, complete as complete_worktree, due_setup};
use super::{Cx, OpError, OpResult, adopt, mcp_servers};
use crate::domain::conversation;
use crate::domain::guard::Act;
use crate::domain::id::{SessionId, is_conversation};
use crate::domain::launch::{
    Launch, LaunchPlan, ParsedCommand, SettingsFile, Start, is_closed, parse_command, plan,
};
use crate::domain::mcp_servers::Source;
use crate::domain::resolve::nearest;
use crate::domain::session::{DesiredState, IdSource, Session};
use crate::domain::status::StartKind;
use crate::domain::tool::{ResumeKind, Tool};
use crate::ports::mux::{CreatedPane, NewSession, PaneRow, Respawn, Tag, TagName};

/// What was started.
#[derive(Debug, Clone)]
pub struct Launched {
    /// The record.
    pub session: Session,
    /// What runs.
    pub plan: LaunchPlan,
    /// The terminals beside it that were lost, and are there again.
    pub terminals: Vec<Returned>,
}

/// Starts a stopped or lost session, resuming its conversation, unless `fresh`.
///
/// # Errors
/// [`OpError`]; the record then has the session as stopped.
pub fn start(cx: &Cx, id: &SessionId, fresh: bool, prompt: Option<&str>) -> OpResult<Launched> {
    let session = cx.session(id)?;
    super::guard::check(cx, Act::Start, &session)?;
    // What was begun is completed.
    let session = complete_worktree(cx, &session)?;
    let row = find_row(cx, &session)?;
    match row {
        Some(row) if row.facts.dead.is_none() => Err(OpError::Running(session.name())),
        Some(row) if row.tags.adopted.is_some() => {
            // What can be refused is refused before its pane is let go of.
            how(cx, &session, fresh, None)?;
            let session = adopt::rehome(cx, &session, &row)?;
            launch(cx, &session, fresh, prompt, None)
        }
        row => launch(cx, &session, fresh, prompt, row.as_ref()),
    }
}

/// What starting the session would do, without doing it.
///
/// # Errors
/// [`OpError`] when it can't be started.
pub fn preview(cx: &Cx, session: &Session, fresh: bool, prompt: Option<&str>) -> OpResult<LaunchPlan> {
    preview_as(cx, session, fresh, prompt, due_setup(cx, session)?)
}

/// The same for a session that is yet to be recorded, with this setup of its worktree, if it has one.
pub(super) fn preview_with(
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
fn how(cx: &Cx, session: &Session, fresh: bool, row: Option<&PaneRow>) -> OpResult<Start> {
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

/// Refuses a conversation that another session has open, of this profile or of another one: two
/// programs would write one file.
fn refuse_second(cx: &Cx, session: &Session, id: &str) -> OpResult<()> {
    let open = |other: String| Err(OpError::SameConversation { id: id.to_owned(), other });
    let profile = cx.profile.store.load()?.profile;
    let others: Vec<&Session> = profile
        .live_sessions()
        .filter(|s| s.id != session.id && s.resume.id.as_deref() == Some(id))
        .collect();
    for other in others {
        if find_row(cx, other)?.is_some_and(|r| r.facts.dead.is_none()) {
            return open(other.title.clone());
        }
    }
    let rows = panes(cx, profile.live_sessions().chain([session]))?.rows;
    let has_it =
        |r: &&PaneRow| r.facts.dead.is_none() && r.conversation() == Some(id) && !is_of(cx, r, session);
    let Some(row) = rows.iter().find(has_it) else { return Ok(()) };
    let whose = cx.mux.record_tags(std::slice::from_ref(&row.session))?.into_iter().next().flatten();
    open(whose.map_or_else(|| row.name.clone(), |b| format!("{} (profile {})", b.title, b.profile)))
}

/// Whether the conversation's file exists; `None` when nobody knows where it would be.
///
/// It is looked for where the agent will look: a restart in the same pane has the tmux session's own
/// environment, whatever the caller's is.
pub(super) fn conversation_exists(
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
fn plan_for(
    cx: &Cx,
    session: &Session,
    start: Start,
    prompt: Option<&str>,
    minted: &str,
) -> OpResult<LaunchPlan> {
    plan_with(cx, session, start, prompt, minted, &due_setup(cx, session)?, true)
}

fn plan_with(
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
pub(super) fn no_folder(cx: &Cx, path: &Path) -> OpError {
    if cx.host.exists(path) {
        OpError::NotAFolder(path.to_owned())
    } else {
        OpError::NoFolder(path.to_owned())
    }
}

/// Writes the intent, then makes the tmux session or replaces the process in its pane.
pub(super) fn launch(
    cx: &Cx,
    session: &Session,
    fresh: bool,
    prompt: Option<&str>,
    row: Option<&PaneRow>,
) -> OpResult<Launched> {
    let minted = cx.clock.new_conversation_id();
    let start = how(cx, session, fresh, row)?;
    launch_as(cx, session, start, prompt, row, &minted)
}

/// The same, started in this way.
pub(super) fn launch_as(
    cx: &Cx,
    session: &Session,
    start: Start,
    prompt: Option<&str>,
    row: Option<&PaneRow>,
    minted: &str,
) -> OpResult<Launched> {
    let mut plan = plan_for(cx, session, start, prompt, minted)?;
    if let Some((id, _)) = &plan.id {
        refuse_second(cx, session, id)?;
    }
    if row.is_none() && find_row(cx, session)?.is_some() {
        // Another deck was faster: its id is the session's.
        return Err(OpError::Running(session.name()));
    }
    let put = |file: &SettingsFile| cx.host.put(&file.path, &file.text);
    if let Err(error) = plan.settings.iter().try_for_each(put) {
        let passes_servers = plan.loaded_mcps.iter().any(|l| l.source == Source::Deck);
        if !session.mcp.is_empty() || passes_servers {
            let file = cx.installation.files.clone();
            return Err(OpError::McpFile { session: session.name(), folder: file, source: error });
        }
        // An agent without hooks is better than none.
        tracing::warn!(%error, "starting an agent without deck's settings and hooks");
        plan = plan_with(cx, session, start, prompt, minted, &due_setup(cx, session)?, false)?;
    }
    let written: Vec<PathBuf> = plan.settings.iter().map(|file| file.path.clone()).collect();
    mcp_servers::remove_files(cx, session, &written);
    if row.is_none() {
        end_outlived(cx, session, &plan)?;
    }
    let now = cx.clock.now();
    let before = session;
    let session = cx.change_session(&session.id, |s| {
        s.wanted = DesiredState::Running;
        s.launched_at = Some(now);
        s.loaded_mcps = plan.loaded_mcps.iter().map(|l| l.name.clone()).collect();
        s.loaded_mcp_state = Some(plan.loaded_mcps.clone());
        s.left_out_mcps.clone_from(&plan.left_out_mcps);
        if let Some(text) = &plan.paste {
            // Kept until the agent is known to have it.
            s.draft = Some(text.clone());
        }
        if row.is_none() {
            // One that was adopted, and is gone there, is started here.
            adopt::move_home(cx, s);
        }
        match &plan.id {
            Some((id, source)) => {
                s.resume.record(id, *source, now);
            }
            // The new one has an id that is yet to be learnt. The old one stays in the history.
            None if start == Start::Fresh => s.resume.begin_new(),
            None => {}
        }
    })?;
    // A prompt that is yet to be pasted may never arrive: it is no turn.
    let start_kind = match (start, prompt.filter(|_| plan.paste.is_none())) {
        (_, Some(_)) => StartKind::Prompted,
        (Start::Resume, None) if row.is_none() && was_unseen(cx, before) => StartKind::Unseen,
        (Start::Resume | Start::Fork, None) => StartKind::Resumed,
        _ => StartKind::Fresh,
    };
    let made = match row {
        Some(row) => respawn(cx, &session, &plan, row, start_kind),
        None => make(cx, &session, &plan, start_kind),
    };
    match made {
        Ok(made) => {
            let session = note_process(cx, session, &made)?;
            // The agent runs, whatever becomes of them, and whoever stops waiting.
            let _whole = cx.cancel.hold_off();
            let failed =
                |error: OpError| vec![Returned { name: "terminals".into(), error: Some(error.to_string()) }];
            let terminals = worker::bring_back(cx, &session.id, false).unwrap_or_else(failed);
            Ok(Launched { session, plan, terminals })
        }
        Err(error) => {
            // What the record says must be true, also if nobody waits for it any more.
            let _step = cx.cancel.hold_off();
            match find_row(cx, &session) {
                // If nothing runs, record that on disk too, or the session would count as lost.
                Ok(None) => {
                    cx.change_session(&session.id, |s| s.wanted = DesiredState::Stopped)?;
                    Err(error)
                }
                // Another deck was faster by a moment: tmux refuses a second session of the name.
                Ok(Some(other)) if row.is_none() && other.facts.dead.is_none() => {
                    Err(OpError::Running(session.name()))
                }
                _ => Err(error),
            }
        }
    }
}

/// Ends an agent that outlived its terminal, and would keep writing to the conversation. Only a tool that
/// has a conversation can, and only what runs its program on the terminal that deck gave it is ended: a
/// job that was started beside it is its user's.
fn end_outlived(cx: &Cx, session: &Session, plan: &LaunchPlan) -> OpResult<()> {
    let program = plan.argv.first().and_then(|p| Path::new(p).file_name()).and_then(|n| n.to_str());
    let (Some(leader), Some(program)) = (session.tmux.process, program) else { return Ok(()) };
    let end = |source| OpError::End { session: session.name(), source };
    cx.host.end_leftovers(leader, &session.id, program).map_err(end)
}

/// Records the process that was started, if its tool has a conversation: it may outlive its terminal.
fn note_process(cx: &Cx, session: Session, made: &CreatedPane) -> OpResult<Session> {
    let has_conversation = cx.tools.tool(&session.tool).is_some_and(|e| e.tool.has_conversation());
    let process = made.pid.filter(|_| has_conversation).and_then(|pid| cx.host.started(pid));
    if process == session.tmux.process {
        return Ok(session);
    }
    cx.change_session(&session.id, |s| s.tmux.process = process)
}

/// Puts deck's own facts on a session that was made, by a deck that was killed before it could.
pub(super) fn mark(cx: &Cx, session: &Session, row: &PaneRow) -> OpResult<()> {
    let (id, profile) = (session.id.to_string(), cx.profile.name.to_string());
    let adopted = session.tmux.adopted.as_ref().map(ToString::to_string).unwrap_or_default();
    let started = session.launched_at.unwrap_or(session.created_at).as_millisecond().to_string();
    let tags = [
        Tag::new(TagName::Id, id.as_str()),
        Tag::new(TagName::Home, &cx.installation.home_key),
        Tag::new(TagName::Profile, &profile),
        Tag::new(TagName::Title, &session.title),
        Tag::new(TagName::Tool, &session.tool),
        Tag::new(TagName::Command, &session.command),
        Tag::new(TagName::Path, &session.project_path),
        Tag::new(TagName::Group, session.group_path.as_str()),
        Tag::new(TagName::Started, &started),
        Tag::new(TagName::Adopted, &adopted),
        Tag::new(TagName::Pane, &row.pane.pane),
    ];
    Ok(cx.mux.tag(&row.session, &tags)?)
}

/// What the tmux session carries.
fn tags(cx: &Cx, session: &Session, plan: &LaunchPlan, start_kind: StartKind) -> Vec<Tag> {
    let mut all = vec![
        Tag::new(TagName::Id, session.id.to_string()),
        Tag::new(TagName::Home, cx.installation.home_key.clone()),
        Tag::new(TagName::Profile, cx.profile.name.to_string()),
        Tag::new(TagName::Title, session.title.clone()),
        Tag::new(TagName::Tool, session.tool.clone()),
        Tag::new(TagName::Command, session.command.clone()),
        Tag::new(TagName::Path, session.project_path.clone()),
        Tag::new(TagName::Group, session.group_path.to_string()),
        Tag::new(TagName::Started, cx.clock.now().as_millisecond().to_string()),
        Tag::new(TagName::StartKind, start_kind.word().to_owned()),
        Tag::none(TagName::Status),
        Tag::none(TagName::Note),
        Tag::none(TagName::Adopted),
        Tag::none(TagName::Hook),
        // Notes of the previous run have times of its clock.
        Tag::none(TagName::HookAt),
        if plan.has_setup { Tag::new(TagName::Setup, "running") } else { Tag::none(TagName::Setup) },
        Tag::new(TagName::Port, plan.port.map(|p| p.to_string()).unwrap_or_default()),
    ];
    if let Some((id, _)) = &plan.id {
        all.push(Tag::new(TagName::ResumeId, id));
    } else if session.resume.usable().is_none() {
        all.push(Tag::none(TagName::ResumeId));
    }
    all
}

fn make(cx: &Cx, session: &Session, plan: &LaunchPlan, start_kind: StartKind) -> OpResult<CreatedPane> {
    let mut env = plan.env.clone();
    if let (Some(name), Some((id, _))) = (&plan.id_env, &plan.id) {
        env.insert(name.clone(), id.clone());
    }
    env.extend(secret(cx, session, plan));
    Ok(cx.mux.create(&NewSession {
        name: session.tmux.name.clone(),
        dir: plan.dir.clone(),
        script: plan.script.clone(),
        env,
        size: cx.caller.size,
        tags: tags(cx, session, plan, start_kind),
    })?)
}

/// The variable with the password of the service that the agent runs, and a new password.
fn secret(cx: &Cx, session: &Session, plan: &LaunchPlan) -> Option<(String, String)> {
    let tool = cx.tools.tool(&session.tool)?;
    let name = tool.tool.service.password_env.clone()?;
    plan.port.map(|_| (name, cx.clock.new_conversation_id()))
}

fn respawn(
    cx: &Cx,
    session: &Session,
    plan: &LaunchPlan,
    row: &PaneRow,
    start_kind: StartKind,
) -> OpResult<CreatedPane> {
    for (name, value) in secret(cx, session, plan).iter().chain(&plan.settings_env) {
        cx.mux.set_environment(&row.session, name, value)?;
    }
    Ok(cx.mux.respawn(&Respawn {
        session: row.session.clone(),
        pane: row.pane.clone(),
        dir: plan.dir.clone(),
        script: plan.script.clone(),
        tags: tags(cx, session, plan, start_kind),
    })?)
}

/// How an id came about that a session carries without deck having passed it.
pub(super) fn source_of(cx: &Cx, session: &Session) -> IdSource {
    match cx.tools.tool(&session.tool).and_then(|e| e.tool.resume_kind()) {
        Some(ResumeKind::Minted) => IdSource::Minted,
        Some(ResumeKind::Capture) => IdSource::Captured,
        _ => IdSource::Reported,
    }
}
