//! Starting an agent: the intent on disk, then the multiplexer.

mod planning;
mod tags;

use std::path::{Path, PathBuf};

pub use planning::preview;
pub(super) use planning::{conversation_exists, no_folder, preview_with};
pub(super) use tags::mark;

use self::planning::{how, plan_for, plan_with};
use self::tags::{make, respawn};
use super::panes::{find_row, is_of, panes};
use super::unseen::was_unseen;
use super::worker::{self, Returned};
use super::worktree::{complete as complete_worktree, due_setup};
use super::{Cx, OpError, OpResult, adopt, mcp_servers};
use crate::domain::guard::Act;
use crate::domain::id::SessionId;
use crate::domain::launch::{LaunchPlan, SettingsFile, Start};
use crate::domain::mcp_servers::Source;
use crate::domain::session::{DesiredState, IdSource, Session};
use crate::domain::status::StartKind;
use crate::domain::tool::ResumeKind;
use crate::ports::mux::{CreatedPane, PaneRow};

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

/// How an id came about that a session carries without deck having passed it.
pub(super) fn source_of(cx: &Cx, session: &Session) -> IdSource {
    match cx.tools.tool(&session.tool).and_then(|e| e.tool.resume_kind()) {
        Some(ResumeKind::Minted) => IdSource::Minted,
        Some(ResumeKind::Capture) => IdSource::Captured,
        _ => IdSource::Reported,
    }
}
