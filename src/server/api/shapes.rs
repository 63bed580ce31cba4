//! Answers and requests that several resources share.

#[cfg(test)]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::api::{self, web};
use crate::ops::worktree::Consented;
use crate::server::route::SchemaOf;

/// The schema of a type, which only the tests make.
#[cfg(test)]
pub(super) const fn of<T: JsonSchema>() -> SchemaOf {
    SchemaOf(|generator| generator.subschema_for::<T>())
}

#[cfg(not(test))]
#[expect(clippy::extra_unused_type_parameters, reason = "what the tests make the schema of")]
pub(super) const fn of<T>() -> SchemaOf {
    SchemaOf()
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct SessionsAnswer {
    pub sessions: Vec<web::Session>,
    /// The tmux servers that did not answer: statuses there are as last seen.
    pub silent: Vec<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct SessionAnswer {
    pub session: web::Session,
    /// The conversation that it continues, if that was asked for and there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct WorkersAnswer {
    pub workers: Vec<web::Worker>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct WorkerAnswer {
    pub worker: web::Worker,
}

/// It was done.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(super) struct DoneAnswer {
    pub ok: bool,
}

pub(super) const DONE: DoneAnswer = DoneAnswer { ok: true };

/// A request without fields.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// What its user allowed.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Consent {
    /// The checksum of what was shown.
    pub sha256: String,
    /// Whether also from now on.
    #[serde(default)]
    pub always: bool,
}

impl From<Consent> for Consented {
    fn from(consent: Consent) -> Self {
        Self { sha256: consent.sha256, always: consent.always }
    }
}

/// The workers of a session.
pub(super) fn workers(session: &api::Session) -> Vec<web::Worker> {
    session.workers.iter().map(|worker| web::Worker::of(worker, &session.tool)).collect()
}
