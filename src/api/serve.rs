//! The web deck: whether it is served, and which browsers may use it.

use jiff::Timestamp;
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::Version;

/// A web deck that is served, or was until now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ServeStatus {
    pub schema_version: Version,
    pub url: String,
    pub pid: u32,
    pub port: u16,
    /// Whether nobody may change anything.
    pub read_only: bool,
}

/// What pairs one browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Pairing {
    pub schema_version: Version,
    /// The address to open, with the code in its fragment.
    pub pair: String,
}

/// A browser that is paired, or was until now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct PairedDevice {
    pub schema_version: Version,
    pub id: String,
    /// What it calls itself.
    pub name: String,
    pub created_at: Timestamp,
    pub last_used: Timestamp,
    /// Whether it may only read.
    pub read_only: bool,
}
