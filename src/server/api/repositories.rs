//! The repositories that worktrees are made in.

use std::path::PathBuf;

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shapes::{DONE, DoneAnswer, of};
use crate::api;
use crate::ops::worktree::{Allow, trust as trust_in};
use crate::ops::{OpError, repository};
use crate::server::error::ApiError;
use crate::server::route::{Call, Method, Query, Route};

pub(super) const ROUTES: &[Route] = &[
    Route::get("/api/repositories", "List repositories", of::<RepositoriesAnswer>(), list),
    Route::change(Method::Post, "/api/repositories", "Add a repository", of::<RepositoryAnswer>(), add)
        .input(of::<AddRepository>())
        .created(),
    Route::change(
        Method::Delete,
        "/api/repositories/{id}",
        "Forget a repository; none of its files is touched",
        of::<DoneAnswer>(),
        remove,
    )
    .query(&[Query::flag("keepSessions", "Keep the sessions that work in it, in their folders alone.")]),
    Route::get(
        "/api/repositories/{id}/trust",
        "Show what a repository wants to run in its new worktrees",
        of::<TrustAnswer>(),
        trusted,
    ),
    Route::change(
        Method::Post,
        "/api/repositories/{id}/trust",
        "Allow what a repository wants to run, as it was shown",
        of::<TrustAnswer>(),
        trust,
    )
    .input(of::<Trust>()),
];

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct RepositoriesAnswer {
    repositories: Vec<api::Repository>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct RepositoryAnswer {
    repository: api::Repository,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
struct AddRepository {
    /// A folder in it, absolute.
    path: String,
    name: Option<String>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
struct Trust {
    /// The checksum of what was shown: of nothing else anything is allowed.
    sha256: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
struct TrustAnswer {
    trust: api::Trusted,
    /// All of it, as it would be run.
    text: String,
}

fn trusted(call: &Call) -> Result<Value, ApiError> {
    answer(call, Allow::No)
}

fn trust(call: &Call) -> Result<Value, ApiError> {
    let input: Trust = call.input()?;
    answer(call, Allow::Shown(&input.sha256))
}

fn answer(call: &Call, allow: Allow<'_>) -> Result<Value, ApiError> {
    let trusted = trust_in(&call.cx, call.part("id"), None, allow).map_err(|error| call.error(&error))?;
    Call::value(&TrustAnswer { text: trusted.content.text(), trust: api::Trusted::from(&trusted) })
}

fn list(call: &Call) -> Result<Value, ApiError> {
    let all = repository::list(&call.cx).map_err(|error| call.error(&error))?;
    Call::value(&RepositoriesAnswer { repositories: all.iter().map(api::Repository::from).collect() })
}

fn add(call: &Call) -> Result<Value, ApiError> {
    let input: AddRepository = call.input()?;
    let failed = |error: OpError| call.error(&error);
    let path = PathBuf::from(&input.path);
    if !path.is_absolute() {
        return Err(ApiError::usage(format!("{:?} is not an absolute path", input.path)));
    }
    let (added, _) = repository::add(&call.cx, &path, input.name.as_deref()).map_err(failed)?;
    let profile = call.profile()?;
    let known = repository::known(&call.cx, &profile, &added);
    Call::value(&RepositoryAnswer { repository: api::Repository::from(&known) })
}

fn remove(call: &Call) -> Result<Value, ApiError> {
    let removed = repository::remove(&call.cx, call.part("id"), call.flag("keepSessions"));
    removed.map_err(|error| call.error(&error))?;
    Call::value(&DONE)
}
