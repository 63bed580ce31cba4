//! Adding a session: checked, recorded, started.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::launch::{self, Launched};
use super::mcp_wish::McpWish;
use super::worktree::{self, Consented, How, WorktreePlan, WorktreeWish};
use super::{Cx, OpError, OpResult, guard};
use crate::domain::group::GroupPath;
use crate::domain::id::SessionId;
use crate::domain::launch::LaunchPlan;
use crate::domain::mcp_scope;
use crate::domain::mcp_servers::McpChoice;
use crate::domain::place::{Place, SetupState};
use crate::domain::profile::Profile;
use crate::domain::session::{Session, TmuxRef};
use crate::domain::slug::{tmux_name, unique_title};
use crate::domain::talk::Carries;
use crate::domain::text;
use crate::ports::transact;

/// What a new session is made from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct New {
    /// The directory, absolute.
    pub path: PathBuf,
    /// The title; none: the directory's name.
    pub title: Option<String>,
    /// A tool's name or a command; none: the configured one, else the first one installed.
    pub command: Option<String>,
    /// The tool used when none is named.
    pub default_tool: String,
    /// The group; missing ones are made.
    pub group: GroupPath,
    /// The session it belongs under.
    pub parent: Option<SessionId>,
    /// A first prompt.
    pub prompt: Option<String>,
    /// Environment for the agent.
    pub env: BTreeMap<String, String>,
    /// Further arguments.
    pub args: Vec<String>,
    /// What deck's MCP server gives it; none to pass no server.
    pub mcp: McpWish,
    /// The user's MCP servers that are attached to it.
    pub mcps: McpChoice,
    /// The worktree that it works in; none to work in the folder as it is.
    pub worktree: Option<WorktreeWish>,
    /// The session whose further agent it is: it works in the same place.
    pub worker_of: Option<SessionId>,
    /// The handoff that it is for.
    pub handoff: Option<String>,
    /// The conversation that it carries.
    pub carries: Option<Carries>,
    /// Whether it is started at once.
    pub start: bool,
}

impl New {
    /// The same, with what its user allowed.
    #[must_use]
    pub fn allowing(&self, given: Consented) -> Self {
        let worktree = self.worktree.clone();
        Self { worktree: worktree.map(|wish| WorktreeWish { consent: Some(given), ..wish }), ..self.clone() }
    }
}

/// What was made.
#[derive(Debug, Clone)]
pub struct Created {
    /// The record.
    pub session: Session,
    /// What runs, if it was started.
    pub launched: Option<Launched>,
}

/// A title for a session in `path`, distinct from existing ones.
pub fn default_title(profile: &Profile, path: &Path) -> String {
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned());
    let name = name
        .map(|n| text::clean(&n))
        .filter(|n| !n.trim().is_empty())
        .unwrap_or_else(|| "session".to_owned());
    let taken: Vec<&str> = profile.live_sessions().map(|s| s.title.as_str()).collect();
    unique_title(&name, &taken)
}

/// What adding a session comes to. Nothing is written.
///
/// # Errors
/// [`OpError`] when it can't be made.
pub fn prepare(cx: &Cx, new: &New) -> OpResult<Prepared> {
    let new = guard::check_new(cx, new)?;
    let worktree = worktree_of(cx, &new)?;
    let launch = plan_of(cx, &new, worktree.as_ref())?;
    Ok(Prepared { launch, worktree })
}

/// What adding a session comes to.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// What runs.
    pub launch: LaunchPlan,
    /// The worktree that is made or used, if one is wanted.
    pub worktree: Option<WorktreePlan>,
}

fn plan_of(cx: &Cx, new: &New, worktree: Option<&WorktreePlan>) -> OpResult<LaunchPlan> {
    let mut profile = cx.profile.store.load()?.profile;
    let mut session = record(cx, new, &profile, cx.clock.new_session_id(), worktree)?;
    if let (Some(plan), Some(wish)) = (worktree, &new.worktree) {
        worktree::put_place(cx, &mut profile, &mut session, plan, wish)?;
    }
    let setup = worktree.map(|plan| plan.setup_run(cx));
    launch::preview_with(cx, &session, new.prompt.as_deref(), setup)
}

/// What the worktree that is wanted comes to.
fn worktree_of(cx: &Cx, new: &New) -> OpResult<Option<WorktreePlan>> {
    let plan = |wish| worktree::plan(cx, &new.path, wish, new.title.as_deref());
    new.worktree.as_ref().map(plan).transpose()
}

/// Makes the folder of a session that is to be added, and those above it.
///
/// # Errors
/// [`OpError::FolderNotMade`], or [`OpError::NotText`] for one that no session could be in.
pub fn make_folder(cx: &Cx, path: &Path) -> OpResult<()> {
    text_of(path)?;
    cx.host.make_folder(path).map_err(|source| OpError::FolderNotMade { path: path.to_owned(), source })
}

/// Adds a session and starts it.
///
/// # Errors
/// [`OpError`]; nothing stays recorded, except with [`OpError::Recorded`].
pub fn create(cx: &Cx, new: &New) -> OpResult<Created> {
    if !cx.host.is_dir(&new.path) {
        return Err(launch::no_folder(cx, &new.path));
    }
    let new = &guard::check_new(cx, new)?;
    let plan = worktree_of(cx, new)?;
    if let Some(WorktreePlan { how: How::Continue(begun), .. }) = &plan {
        return continued(cx, new, begun);
    }
    if let (Some(plan), Some(wish)) = (&plan, &new.worktree) {
        // Also if that is all that comes of it: what it brings is allowed by its name.
        worktree::register(cx, plan)?;
        worktree::check_consent(cx, &plan.repository, &plan.content, wish.consent.as_ref(), None)?;
    }
    if new.start || plan.is_some() {
        plan_of(cx, new, plan.as_ref())?;
    }
    let id = cx.clock.new_session_id();
    let session = transact(&*cx.profile.store, |profile| {
        let mut session = record(cx, new, profile, id.clone(), plan.as_ref())?;
        if let (Some(plan), Some(wish)) = (&plan, &new.worktree) {
            worktree::put_place(cx, profile, &mut session, plan, wish)?;
        }
        profile.ensure_group(&session.group_path);
        profile.sessions.push(session.clone());
        Ok::<_, OpError>(session)
    })?;
    cx.host.reached("recorded");
    let session = match worktree::complete(cx, &session) {
        Ok(session) => session,
        Err(error) => return Err(undo_worktree(cx, session, error)),
    };
    if !new.start {
        return Ok(Created { session, launched: None });
    }
    cx.host.reached("completed");
    if session.place.is_some() {
        // What is made stays: starting it can be repeated.
        let launched = launch::launch(cx, &session, false, new.prompt.as_deref(), None);
        let recorded = |error| OpError::Recorded { session: session.name(), error: Box::new(error) };
        let launched = launched.map_err(recorded)?;
        return Ok(Created { session: launched.session.clone(), launched: Some(launched) });
    }
    match launch::launch(cx, &session, false, new.prompt.as_deref(), None) {
        Ok(launched) => Ok(Created { session: launched.session.clone(), launched: Some(launched) }),
        Err(error) => Err(undo_record(cx, session, error)),
    }
}

/// Goes on with a session whose worktree was begun by a deck that was ended in the middle.
fn continued(cx: &Cx, new: &New, begun: &Session) -> OpResult<Created> {
    let is_titled =
        new.title.as_deref().map(clean_title).transpose()?.is_none_or(|title| title == begun.title);
    let tool = new.command.as_deref().map(|command| cx.tools.tool_of(command.trim()).0);
    if !is_titled || tool.is_some_and(|tool| tool != begun.tool) {
        // That is another session than the one that was begun.
        let place = begun.place.clone().unwrap_or_default();
        let (branch, path) = (place.branch.unwrap_or_default(), place.worktree.into());
        return Err(worktree::PlaceError::CheckedOut { branch, path, is_gone: false }.into());
    }
    let recorded = |error| OpError::Recorded { session: begun.name(), error: Box::new(error) };
    let session = worktree::complete(cx, begun).map_err(recorded)?;
    if !new.start {
        return Ok(Created { session, launched: None });
    }
    let launched = launch::start(cx, &session.id, false, new.prompt.as_deref()).map_err(recorded)?;
    Ok(Created { session: launched.session.clone(), launched: Some(launched) })
}

/// Removes the record of a session whose worktree git did not make. One that is made stays, and so does its record.
fn undo_worktree(cx: &Cx, session: Session, error: OpError) -> OpError {
    let _step = cx.cancel.hold_off();
    let is_made = cx.session(&session.id).is_ok_and(|now| {
        now.place.is_some_and(|place| {
            place.pending.is_none_or(|pending| pending.is_made) || cx.host.is_dir(Path::new(&place.worktree))
        })
    });
    if is_made {
        return OpError::Recorded { session: session.name(), error: Box::new(error) };
    }
    undo_record(cx, session, error)
}

/// Removes the record of a session that could not be started, so that its user can simply try again. If
/// it can't be determined whether it runs, the record stays, and the error reports that.
fn undo_record(cx: &Cx, session: Session, error: OpError) -> OpError {
    // A record of nothing would be left behind.
    let _step = cx.cancel.hold_off();
    let runs_nowhere = super::panes::find_row(cx, &session).is_ok_and(|row| row.is_none());
    let removed = runs_nowhere
        && transact(&*cx.profile.store, |profile| {
            profile.sessions.retain(|s| s.id != session.id);
            Ok::<_, OpError>(())
        })
        .is_ok();
    if removed { error } else { OpError::Recorded { session: session.name(), error: Box::new(error) } }
}

fn record(
    cx: &Cx,
    new: &New,
    profile: &Profile,
    id: SessionId,
    worktree: Option<&WorktreePlan>,
) -> OpResult<Session> {
    let title = match (&new.title, worktree) {
        (Some(title), _) => clean_title(title)?,
        (None, Some(plan)) => plan.title(profile),
        (None, None) => default_title(profile, &new.path),
    };
    let (tool, command) = cx.tools.tool_of(&command(cx, new)?);
    let mut session = Session::new(id, &title, cx.clock.now());
    session.project_path = text_of(&new.path)?;
    session.group_path = new.group.clone();
    session.tool = tool;
    session.command = command;
    session.args = new.args.clone();
    session.env = new.env.clone();
    session.mcp = mcp_scope::words(&new.mcp.scopes(cx, &session));
    session.mcps = new.mcps.clone();
    session.parent_id = new.parent.clone();
    session.worker_of.clone_from(&new.worker_of);
    session.handoff.clone_from(&new.handoff);
    session.carries.clone_from(&new.carries);
    if let Some(of) = new.worker_of.as_ref().and_then(|id| profile.session(id)) {
        // The worktree is there, and was set up for the one that it was made for.
        session.place = of.place.clone().map(|place| Place { made: false, setup: SetupState::None, ..place });
        for (name, value) in &of.env {
            session.env.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    session.order = profile.next_session_order(&new.group);
    session.tmux = TmuxRef {
        socket: cx.installation.socket.clone(),
        name: tmux_name(&title, &session.id),
        ..TmuxRef::default()
    };
    Ok(session)
}

/// The command as named, or the configured tool, or the first one installed.
fn command(cx: &Cx, new: &New) -> OpResult<String> {
    if let Some(command) = new.command.as_deref().map(str::trim).filter(|c| !c.is_empty()) {
        return Ok(command.to_owned());
    }
    if !new.default_tool.is_empty() {
        return Ok(new.default_tool.clone());
    }
    let path = cx.caller.var("PATH").unwrap_or("/usr/bin:/bin");
    let all = cx.tools.all();
    let agents = all.iter().filter(|e| !e.tool.command.starts_with('$'));
    let installed = agents.clone().find(|e| {
        let program = e.tool.command.split_whitespace().next().unwrap_or_default();
        cx.host.find_program(program, path, &new.path).is_some()
    });
    match installed {
        Some(entry) => Ok(entry.tool.name.clone()),
        None => Err(OpError::NoTool(agents.map(|e| e.tool.name.clone()).collect())),
    }
}

/// A path as it is recorded: in full, or not at all.
pub(super) fn text_of(path: &Path) -> OpResult<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| OpError::NotText(path.to_owned()))
}

/// A title without what can't be shown.
pub(super) fn clean_title(title: &str) -> OpResult<String> {
    let title = text::clean(title).trim().to_owned();
    if text::cells(&title) == 0 { Err(OpError::NoTitle) } else { Ok(title) }
}
