//! What a route is: one declaration, from which the router, the OpenAPI document, what a viewer who may only read is refused,
//! and the tests of all of that are made.

use std::collections::BTreeMap;

use axum::http::StatusCode;
#[cfg(test)]
use schemars::{Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::app::App;
use super::error::ApiError;
use super::login::Viewer;
use crate::domain::id::SessionId;
use crate::domain::profile::Profile;
use crate::domain::resolve::ResolveError;
use crate::domain::session::Session;
use crate::domain::worker::{Tab, tabs};
use crate::ops::{Cx, OpError};

/// A method of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    Get,
    Post,
    Patch,
    Delete,
}

impl Method {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// Whether a viewer who may only read may use it. What isn't declared to read changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Reads,
    Changes,
}

/// Makes the schema of a type; only the tests do, for the OpenAPI document.
#[derive(Clone, Copy)]
pub struct SchemaOf(#[cfg(test)] pub fn(&mut SchemaGenerator) -> Schema);

/// A parameter of the query.
#[derive(Debug, Clone, Copy)]
pub struct Query {
    pub name: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the document, which the tests make"))]
    pub doc: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the document, which the tests make"))]
    pub is_flag: bool,
}

impl Query {
    pub const fn text(name: &'static str, doc: &'static str) -> Self {
        Self { name, doc, is_flag: false }
    }

    pub const fn flag(name: &'static str, doc: &'static str) -> Self {
        Self { name, doc, is_flag: true }
    }
}

/// One route.
pub struct Route {
    pub method: Method,
    /// With `{name}` for what differs.
    pub path: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the document, which the tests make"))]
    pub summary: &'static str,
    pub effect: Effect,
    pub query: &'static [Query],
    /// What its body is, if it takes one.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the document, which the tests make"))]
    pub input: Option<SchemaOf>,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the document, which the tests make"))]
    pub output: SchemaOf,
    /// The status when it went well.
    pub status: StatusCode,
    pub run: fn(&Call) -> Result<Value, ApiError>,
}

impl Route {
    /// A route that reads.
    pub const fn get(
        path: &'static str,
        summary: &'static str,
        output: SchemaOf,
        run: fn(&Call) -> Result<Value, ApiError>,
    ) -> Self {
        Self {
            method: Method::Get,
            path,
            summary,
            effect: Effect::Reads,
            query: &[],
            input: None,
            output,
            status: StatusCode::OK,
            run,
        }
    }

    /// A route that changes something.
    pub const fn change(
        method: Method,
        path: &'static str,
        summary: &'static str,
        output: SchemaOf,
        run: fn(&Call) -> Result<Value, ApiError>,
    ) -> Self {
        Self { method, effect: Effect::Changes, ..Self::get(path, summary, output, run) }
    }

    #[must_use]
    pub const fn input(self, input: SchemaOf) -> Self {
        Self { input: Some(input), ..self }
    }

    #[must_use]
    pub const fn created(self) -> Self {
        Self { status: StatusCode::CREATED, ..self }
    }

    #[must_use]
    pub const fn query(self, query: &'static [Query]) -> Self {
        Self { query, ..self }
    }
}

/// One request, once it is known who asks.
pub struct Call {
    pub app: App,
    pub viewer: Viewer,
    /// Cancelled when its caller no longer waits.
    pub cx: Cx,
    pub path: BTreeMap<String, String>,
    pub query: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Call {
    /// The body; an empty one is `{}`.
    ///
    /// # Errors
    /// With the place of what is wrong.
    pub fn input<T: DeserializeOwned>(&self) -> Result<T, ApiError> {
        let body: &[u8] = if self.body.is_empty() { b"{}" } else { &self.body };
        serde_json::from_slice(body).map_err(|error| {
            ApiError::usage(format!("invalid body: {}", crate::domain::text::clean(&error.to_string())))
        })
    }

    /// A part of the path.
    pub fn part(&self, name: &str) -> &str {
        self.path.get(name).map(String::as_str).unwrap_or_default()
    }

    /// Whether a flag of the query is set.
    pub fn flag(&self, name: &str) -> bool {
        self.query.get(name).is_some_and(|value| value != "false" && value != "0")
    }

    /// What is answered to an error of a use case.
    pub fn error(&self, error: &OpError) -> ApiError {
        ApiError::of(error, &*self.app.settings.hint)
    }

    /// The profile as it is on disk.
    ///
    /// # Errors
    /// What keeps it from being read.
    pub fn profile(&self) -> Result<Profile, ApiError> {
        Ok(self.cx.profile.store.load().map_err(|error| self.error(&error.into()))?.profile)
    }

    /// The live session that the path names by its id.
    ///
    /// # Errors
    /// That there is none.
    pub fn session(&self) -> Result<Session, ApiError> {
        let profile = self.profile()?;
        let word = self.part("id");
        let id = SessionId::parse(word);
        let found = id.as_ref().and_then(|id| profile.session(id)).filter(|s| s.is_live());
        found.cloned().ok_or_else(|| {
            let name = crate::domain::text::fit(&crate::domain::text::clean(word), 60);
            self.error(&OpError::Resolve(ResolveError::Missing { name, near: Vec::new() }))
        })
    }

    /// The session and its worker that the path names.
    ///
    /// # Errors
    /// That there is none.
    pub fn worker(&self) -> Result<(Session, WorkerOf), ApiError> {
        let session = self.session()?;
        let profile = self.profile()?;
        let word = self.part("worker");
        let found = worker_of(&profile, &session, word);
        let worker = found.ok_or_else(|| {
            ApiError::not_found(format!("session {:?} has no worker {word:?}", session.title))
        })?;
        Ok((session, worker))
    }

    /// An answer as a value.
    ///
    /// # Errors
    /// Never in practice: shapes can be written.
    pub fn value<T: serde::Serialize>(value: &T) -> Result<Value, ApiError> {
        serde_json::to_value(value).map_err(|error| ApiError::failed(error.to_string()))
    }
}

/// What an id of a worker means.
#[derive(Debug, Clone)]
pub enum WorkerOf {
    /// The session's own agent.
    Agent,
    /// A further agent, which is a session.
    Further(Box<Session>),
    Record(Box<crate::domain::worker::Worker>),
}

/// The worker of a session with this id.
pub fn worker_of(profile: &Profile, session: &Session, id: &str) -> Option<WorkerOf> {
    let tab = tabs(profile, session).into_iter().find(|tab| tab.id(session) == id)?;
    Some(match tab {
        Tab::Agent => WorkerOf::Agent,
        Tab::Worker(worker) => WorkerOf::Record(Box::new(worker.clone())),
        Tab::Further(further) => WorkerOf::Further(Box::new(further.clone())),
    })
}
