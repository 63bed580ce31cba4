//! The repositories that worktrees are made in.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shapes::{DONE, DoneAnswer, of};
use crate::api;
use crate::ops::{OpError, repository};
use crate::server::error::ApiError;
use crate::server::route::{Call, Method, Query, Route};

pub(super) const ROUTES: &[Route] = &[
    Route::get("/api/repositories", "List repositories", of::<RepositoriesAnswer>, list),
    Route::change(Method::Post, "/api/repositories", "Add a repository", of::<RepositoryAnswer>, add)
        .input(of::<AddRepository>)
        .created(),
    Route::change(
        Method::Delete,
        "/api/repositories/{id}",
        "Forget a repository; none of its files is touched",
        of::<DoneAnswer>,
        remove,
    )
    .query(&[Query::flag("keepSessions", "Keep the sessions that work in it, in their folders alone.")]),
];

#[derive(Debug, Serialize, JsonSchema)]
struct RepositoriesAnswer {
    repositories: Vec<api::Repository>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct RepositoryAnswer {
    repository: api::Repository,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AddRepository {
    /// A folder in it, absolute.
    path: String,
    name: Option<String>,
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
