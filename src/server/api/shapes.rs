//! Answers and requests that several resources share.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::api::{self, web};
use crate::ops::worktree::Consented;

/// The schema of a type.
pub(super) fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SessionsAnswer {
    pub sessions: Vec<web::Session>,
    /// The tmux servers that did not answer: statuses there are as last seen.
    pub silent: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SessionAnswer {
    pub session: web::Session,
    /// The conversation that it continues, if that was asked for and there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resumed: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct WorkersAnswer {
    pub workers: Vec<web::Worker>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct WorkerAnswer {
    pub worker: web::Worker,
}

/// It was done.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct DoneAnswer {
    pub ok: bool,
}

pub(super) const DONE: DoneAnswer = DoneAnswer { ok: true };

/// A request without fields.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// What its user allowed.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
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
