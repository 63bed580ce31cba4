//! A session's work that was handed over to another agent.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::Version;
use crate::ops::handoff::HandedOver;

/// A handoff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Handoff {
    pub schema_version: Version,
    /// `ho-` and eight hexadecimal digits.
    pub id: String,
    /// The ids of the sessions.
    pub from: String,
    pub to: String,
    pub packet: HandoffPacket,
    /// `not_verified`, `recorded` or `answered`.
    pub receipt: String,
    /// Whether the first session was stopped.
    pub parked: bool,
}

/// What was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct HandoffPacket {
    pub bytes: usize,
    pub sha256: String,
    /// The file with what did not fit; null if all did.
    pub file: Option<String>,
}

impl Handoff {
    pub fn of(done: &HandedOver) -> Self {
        let ready = &done.ready;
        Self {
            schema_version: Version,
            id: ready.id.clone(),
            from: done.from.id.to_string(),
            to: done.to.id.to_string(),
            packet: HandoffPacket {
                bytes: ready.packet.len(),
                sha256: ready.sha256.clone(),
                file: ready.rest.as_ref().map(|path| path.to_string_lossy().into_owned()),
            },
            receipt: done.receipt.word().to_owned(),
            parked: done.parked,
        }
    }
}
