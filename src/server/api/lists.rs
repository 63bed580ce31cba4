//! What there is beside sessions, and what was deleted.

use std::path::Path;

use jiff::Timestamp;
#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shapes::of;
use super::view;
use crate::api::{self, TextFrom};
use crate::domain::screen::Lines;
use crate::domain::session::Session;
use crate::domain::text;
use crate::ops::{self, OpError, OpResult};
use crate::server::error::ApiError;
use crate::server::route::{Call, Method, Route};

pub(super) const ROUTES: &[Route] = &[
    Route::get("/api/agents", "List the tools that sessions can be made of", of::<AgentsAnswer>(), agents),
    Route::get("/api/profiles", "List profiles", of::<ProfilesAnswer>(), profiles),
    Route::get("/api/groups", "List groups", of::<GroupsAnswer>(), groups),
    Route::get("/api/status", "Count sessions by status", of::<api::StatusCounts>(), status),
    Route::get("/api/trash", "List what was deleted and can be restored", of::<TrashAnswer>(), trash),
    Route::change(
        Method::Post,
        "/api/undo",
        "Undo what was deleted or arranged last, or restore a deleted session",
        of::<api::Restored>(),
        undo,
    )
    .input(of::<Undo>()),
];

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct AgentsAnswer {
    agents: Vec<api::Tool>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct ProfilesAnswer {
    profiles: Vec<api::Profile>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct GroupsAnswer {
    groups: Vec<Group>,
}

/// A group of sessions.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, schemars(rename = "WebGroup"))]
struct Group {
    /// Its full path, such as `work/backend`.
    path: String,
    /// Where its new sessions work.
    default_path: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct TrashAnswer {
    deleted: Vec<Deleted>,
}

/// A deleted session.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, schemars(rename = "DeletedInTrash"))]
struct Deleted {
    id: String,
    title: String,
    deleted_at: Timestamp,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
struct Undo {
    /// The deleted session; none for what was deleted or arranged last.
    session: Option<String>,
}

fn agents(call: &Call) -> Result<Value, ApiError> {
    let path = call.cx.caller.var("PATH").unwrap_or_default().to_owned();
    let one = |entry: &std::sync::Arc<crate::ports::ToolEntry>| {
        let tool = &entry.tool;
        let program = tool.command.split_whitespace().next().unwrap_or_default();
        let program = match program {
            "$SHELL" => call.cx.caller.var("SHELL").unwrap_or("/bin/sh"),
            other => other,
        };
        api::Tool::of(tool, call.cx.host.find_program(program, &path, Path::new("/")))
    };
    Call::value(&AgentsAnswer { agents: call.cx.tools.all().iter().map(one).collect() })
}

fn profiles(call: &Call) -> Result<Value, ApiError> {
    let all = &call.app.served.wiring.profiles;
    let default = all.default_or_first();
    let names = all.list().map_err(|error| ApiError::failed(error.to_string()))?;
    let one = |name: &crate::domain::id::ProfileName| {
        let loaded = call.app.cx(name).profile.store.load().ok();
        api::Profile::new(name, *name == default, loaded.map(|l| l.profile.live_sessions().count()))
    };
    Call::value(&ProfilesAnswer { profiles: names.iter().map(one).collect() })
}

fn groups(call: &Call) -> Result<Value, ApiError> {
    let profile = call.profile()?;
    let one = |group: &crate::domain::group::Group| Group {
        path: group.path.to_string(),
        default_path: group.default_path.clone(),
    };
    Call::value(&GroupsAnswer { groups: profile.live_groups().map(one).collect() })
}

fn status(call: &Call) -> Result<Value, ApiError> {
    let snapshot = view::snapshot(call)?;
    let states = snapshot.profile.live_sessions().filter_map(|s| snapshot.state(&s.id));
    let statuses = states.map(|state| state.verdict.status);
    Call::value(&api::StatusCounts::of(call.cx.profile.name.as_str(), statuses))
}

fn trash(call: &Call) -> Result<Value, ApiError> {
    let profile = call.profile()?;
    let mut deleted: Vec<Deleted> = profile
        .sessions
        .iter()
        .filter_map(|s| {
            let at = s.deleted_at?;
            Some(Deleted { id: s.id.to_string(), title: s.title.clone(), deleted_at: at })
        })
        .collect();
    deleted.sort_by_key(|d| std::cmp::Reverse(d.deleted_at));
    Call::value(&TrashAnswer { deleted })
}

fn undo(call: &Call) -> Result<Value, ApiError> {
    let input: Undo = call.input()?;
    let undone = ops::undo(&call.cx, input.session.as_deref()).map_err(|error| call.error(&error))?;
    Call::value(&api::Restored::from(&undone))
}

/// The last answer of a session, or its screen.
pub(super) fn text_of(call: &Call, session: &Session, last: bool) -> OpResult<(String, TextFrom)> {
    let digest = if last { ops::digest(&call.cx, &session.id)? } else { None };
    if let Some(answer) = digest.and_then(|d| d.last_response) {
        return Ok((text::clean_lines(&answer), TextFrom::Conversation));
    }
    let capture = ops::screen(&call.cx, &session.id)?;
    let lines: Vec<_> = capture.lines.iter().map(|l| String::from_utf8_lossy(l).into_owned()).collect();
    let text = Lines::of(&lines.join("\n")).raw.iter().map(|l| format!("{l}\n")).collect();
    Ok::<_, OpError>((text, TextFrom::Screen))
}
