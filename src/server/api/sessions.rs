//! Sessions: listed, made, changed, deleted.

use std::path::PathBuf;

#[cfg(test)]
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::shapes::{Consent, DONE, DoneAnswer, SessionAnswer, SessionsAnswer, of};
use super::view;
use crate::domain::group::GroupPath;
use crate::domain::id::SessionId;
use crate::ops::worktree::WorktreeWish;
use crate::ops::{self, Caller, Cx, McpWish, New, OpError};
use crate::server::error::ApiError;
use crate::server::route::{Call, Method, Query, Route};

pub(super) const ROUTES: &[Route] = &[
    Route::get("/api/sessions", "List all sessions", of::<SessionsAnswer>(), list),
    Route::change(Method::Post, "/api/sessions", "Add a session and start it", of::<SessionAnswer>(), create)
        .input(of::<CreateSession>())
        .created(),
    Route::get("/api/sessions/{id}", "Show a session with its workers", of::<SessionAnswer>(), show),
    Route::change(
        Method::Patch,
        "/api/sessions/{id}",
        "Rename or move a session",
        of::<SessionAnswer>(),
        change,
    )
    .input(of::<ChangeSession>()),
    Route::change(
        Method::Delete,
        "/api/sessions/{id}",
        "Move a session to the trash; its worktree stays",
        of::<DoneAnswer>(),
        delete,
    )
    .query(&[Query::flag("stop", "Stop what runs in it first.")]),
];

/// The size of a session that is made on a page.
const SIZES: (std::ops::RangeInclusive<u16>, std::ops::RangeInclusive<u16>) = (20..=400, 5..=200);

/// A session to be made.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CreateSession {
    /// `worktree` or `quick`.
    #[serde(rename = "type")]
    kind: Kind,
    /// The repository of a worktree session: its id.
    repository_id: Option<String>,
    /// The worktree of a worktree session that is there already: its folder.
    worktree_id: Option<String>,
    /// The folder of a quick session, absolute.
    location_path: Option<String>,
    /// Its tool, or a command; a shell if there is none.
    agent_id: Option<String>,
    /// Whether it continues the newest conversation of this tool in this folder that no session has.
    #[serde(default)]
    continue_conversation: bool,
    title: Option<String>,
    group: Option<String>,
    /// A first prompt.
    prompt: Option<String>,
    /// The branch for which a worktree is made, or used if there is one.
    branch: Option<String>,
    /// What a new branch begins at, and ends in.
    base: Option<String>,
    /// The columns of the page that shows it.
    cols: Option<u16>,
    /// Its rows.
    rows: Option<u16>,
    /// What its user allowed of what the repository wants to run.
    consent: Option<Consent>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Kind {
    Worktree,
    Quick,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ChangeSession {
    title: Option<String>,
    /// The group to move it to; empty for none.
    group: Option<String>,
}

fn list(call: &Call) -> Result<Value, ApiError> {
    let snapshot = view::snapshot(call)?;
    let profile = call.cx.profile.name.as_str();
    let sessions = snapshot.profile.live_sessions().map(|s| view::session(&snapshot, s, profile)).collect();
    let silent = snapshot.silences().iter().map(ToString::to_string).collect();
    Call::value(&SessionsAnswer { sessions, silent })
}

fn show(call: &Call) -> Result<Value, ApiError> {
    Call::value(&view::now(call, &call.session()?.id)?)
}

/// The folder of a session that is to be made, and its worktree.
fn place(call: &Call, input: &CreateSession) -> Result<(PathBuf, Option<WorktreeWish>), ApiError> {
    let absolute = |path: &str| {
        let path = PathBuf::from(path);
        if path.is_absolute() {
            return Ok(path);
        }
        Err(ApiError::usage(format!("{:?} is not an absolute path", path.display().to_string())))
    };
    if input.kind == Kind::Quick {
        if input.repository_id.is_some() || input.worktree_id.is_some() || input.branch.is_some() {
            return Err(ApiError::usage("a quick session has no repository, worktree or branch")
                .hint("make it with \"type\": \"worktree\""));
        }
        let path = input.location_path.as_deref();
        let path = path.ok_or_else(|| ApiError::usage("a quick session needs locationPath"))?;
        return Ok((absolute(path)?, None));
    }
    let wish = |branch: &str| WorktreeWish {
        base: input.base.clone(),
        reuse: true,
        consent: input.consent.clone().map(Into::into),
        ..WorktreeWish::of(branch)
    };
    let word = input.repository_id.as_deref();
    let word = word.ok_or_else(|| ApiError::usage("a worktree session needs repositoryId"))?;
    let repository = ops::repository::resolve(&call.cx, word).map_err(|error| call.error(&error))?;
    match (&input.worktree_id, &input.branch) {
        (None, Some(branch)) => Ok((repository.path.into(), Some(wish(branch)))),
        (Some(worktree), None) => {
            let named = ops::worktree::find(&call.cx, worktree, Some(&repository.id))
                .map_err(|error| call.error(&error))?;
            match &named.listed.entry.branch {
                Some(branch) if !named.listed.is_main => Ok((repository.path.into(), Some(wish(branch)))),
                _ => Ok((named.listed.entry.path.clone(), None)),
            }
        }
        _ => Err(ApiError::usage("a worktree session needs either worktreeId or branch")),
    }
}

/// What a request works with whose page has a size.
fn sized(call: &Call, input: &CreateSession) -> Cx {
    let (Some(cols), Some(rows)) = (input.cols, input.rows) else { return call.cx.clone() };
    let size = (cols.clamp(*SIZES.0.start(), *SIZES.0.end()), rows.clamp(*SIZES.1.start(), *SIZES.1.end()));
    let caller = Caller { size, ..(*call.cx.caller).clone() };
    Cx { caller: std::sync::Arc::new(caller), ..call.cx.clone() }
}

fn create(call: &Call) -> Result<Value, ApiError> {
    let input: CreateSession = call.input()?;
    let (path, worktree) = place(call, &input)?;
    let cx = &sized(call, &input);
    let failed = |error: OpError| call.error(&error);
    let group = input.group.as_deref().filter(|group| !group.is_empty());
    let group = group.map(GroupPath::parse).transpose().map_err(|error| failed(error.into()))?;
    let group = group.unwrap_or_default();
    if let Some(agent) = input.agent_id.as_deref().filter(|_| input.continue_conversation) {
        let known = ops::known_conversations(cx).map_err(failed)?;
        let (tool, _) = cx.tools.tool_of(agent.trim());
        // A command that is no tool has no conversations.
        let found = match cx.tools.tool(&tool) {
            Some(_) => ops::conversations(cx, Some(&tool), Some(&path), &known).map_err(failed)?,
            None => Vec::new(),
        };
        if let Some(newest) = found.first() {
            let session = ops::import(cx, newest, input.title.as_deref(), &group).map_err(failed)?;
            let recorded =
                |error| failed(OpError::Recorded { session: session.name(), error: Box::new(error) });
            ops::start(cx, &session.id, false, input.prompt.as_deref()).map_err(recorded)?;
            let mut answer = view::now(call, &session.id)?;
            answer.resumed = Some(newest.id.clone());
            return Call::value(&answer);
        }
    }
    let new = New {
        path,
        title: input.title,
        command: Some(input.agent_id.unwrap_or_else(|| "shell".to_owned())),
        group,
        prompt: input.prompt,
        mcp: McpWish::ForTools(cx.installation.pass.clone()),
        worktree,
        start: true,
        ..New::default()
    };
    let created = ops::create(cx, &new).map_err(failed)?;
    if let Some(text) = created.launched.as_ref().and_then(|l| l.plan.paste.clone()) {
        send_when_ready(cx.clone(), created.session.id.clone(), text);
    }
    Call::value(&view::now(call, &created.session.id)?)
}

/// Sends a first prompt once its agent takes one. Until then it is the session's draft, and stays that if it isn't taken.
fn send_when_ready(cx: Cx, id: SessionId, text: String) {
    let cx = Cx { cancel: ops::Cancel::default(), ..cx };
    let send = move || {
        if let Err(error) = ops::paste_when_ready(&cx, &id, &text, ops::SendOptions::default()) {
            tracing::warn!(%error, "a first prompt was not delivered");
        }
    };
    if let Err(error) = std::thread::Builder::new().name("prompt".to_owned()).spawn(send) {
        tracing::warn!(%error, "can't start the thread that sends a first prompt");
    }
}

fn change(call: &Call) -> Result<Value, ApiError> {
    let session = call.session()?;
    let input: ChangeSession = call.input()?;
    let failed = |error: OpError| call.error(&error);
    if let Some(title) = &input.title {
        ops::rename(&call.cx, &session.id, title).map_err(failed)?;
    }
    if let Some(group) = &input.group {
        let group = if group.is_empty() {
            GroupPath::default()
        } else {
            GroupPath::parse(group).map_err(|error| failed(error.into()))?
        };
        ops::move_to(&call.cx, std::slice::from_ref(&session.id), &group).map_err(failed)?;
    }
    Call::value(&view::now(call, &session.id)?)
}

fn delete(call: &Call) -> Result<Value, ApiError> {
    let session = call.session()?;
    ops::delete(&call.cx.for_command(), std::slice::from_ref(&session.id), call.flag("stop"))
        .map_err(|error| call.error(&error))?;
    Call::value(&DONE)
}
