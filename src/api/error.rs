//! Errors.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::Code;

/// An error, as it is printed on stderr with `--json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ErrorAnswer {
    pub error: ErrorBody,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ErrorBody {
    pub code: Code,
    /// What went wrong, with its causes.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}
