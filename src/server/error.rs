//! What is answered when something can't be done: the errors of the command line, with a status of HTTP.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::api::{self, Code};
use crate::domain::hint::Hint;
use crate::ops::OpError;
use crate::ops::worker::WorkerError;
use crate::ops::worktree::PlaceError;
use crate::ports::MuxError;

/// An error with its status.
#[derive(Debug, Clone)]
pub struct ApiError {
    pub status: StatusCode,
    pub code: &'static str,
    pub message: String,
    pub hint: Option<String>,
    /// What is in the way, where that can be listed.
    pub blockers: Option<Box<Value>>,
    /// What a repository wants to run, for its user to allow.
    pub consent: Option<Box<Value>>,
}

/// An error, as it is answered.
#[cfg(test)]
#[derive(Debug, Serialize, JsonSchema)]
pub struct ErrorAnswer {
    error: ErrorBody,
}

/// What went wrong.
#[cfg(test)]
#[derive(Debug, Serialize, JsonSchema)]
pub struct ErrorBody {
    /// `usage`, `login`, `forbidden`, `not_found`, `refused`, `too_large`, `media_type`, `host`, `too_many`, `failed`,
    /// `tmux`, `timed_out`, `interrupted` or `method`.
    code: String,
    /// What went wrong, with its causes.
    message: String,
    /// What to do about it.
    hint: Option<String>,
    /// What is in the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    blockers: Option<Vec<api::FinishBlocker>>,
    /// What a repository wants to run, for its user to allow.
    #[serde(skip_serializing_if = "Option::is_none")]
    consent: Option<Consent>,
}

/// What a repository wants to run.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct Consent {
    pub repository: String,
    /// All of it, as it would be run.
    pub text: String,
    /// Its checksum: what is allowed.
    pub sha256: String,
}

impl ApiError {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), hint: None, blockers: None, consent: None }
    }

    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "usage", message)
    }

    pub fn login() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "login", "this browser is not paired with this deck")
            .hint("`deck serve pair` prints an address that pairs it")
    }

    pub fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    pub fn read_only() -> Self {
        Self::forbidden("this deck is read-only here").hint("pair again without --read-only")
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", message)
    }

    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "refused", message)
    }

    pub fn method() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method", "this address doesn't take this method")
    }

    pub fn gone(message: impl Into<String>) -> Self {
        Self::new(StatusCode::GONE, "not_found", message)
    }

    pub fn too_large(limit: usize) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", format!("a request has at most {limit} bytes"))
    }

    pub fn too_slow(seconds: u64) -> Self {
        let words = format!("the body didn't come within {seconds} s");
        Self::new(StatusCode::REQUEST_TIMEOUT, "timed_out", words)
    }

    pub fn media_type() -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "media_type", "the body must be application/json")
    }

    pub fn host(host: &str) -> Self {
        let host = crate::domain::text::fit(&crate::domain::text::clean(host), 80);
        Self::new(StatusCode::MISDIRECTED_REQUEST, "host", format!("this deck isn't called {host:?}"))
            .hint("`deck serve status` prints its address; --public-url adds one")
    }

    pub fn too_many(message: impl Into<String>) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many", message)
    }

    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", message)
    }

    /// An error of a use case; `words` makes a sentence of a hint.
    pub fn of(error: &OpError, words: &dyn Fn(&Hint) -> String) -> Self {
        match error {
            OpError::Recorded { error: cause, .. } => {
                return Self { hint: error.hint().as_ref().map(words), ..Self::of(cause, words) };
            }
            OpError::Poll(error) => return Self::of(error, words),
            _ => {}
        }
        let code = Code::of(error);
        let status = match (code, error) {
            (_, OpError::Mux(MuxError::NoServer(_) | MuxError::Closed(_))) | (Code::Tmux, _) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            (Code::Usage, _) => StatusCode::BAD_REQUEST,
            (Code::NotFound, _) => StatusCode::NOT_FOUND,
            (Code::Refused, _) => StatusCode::CONFLICT,
            (Code::TimedOut, _) => StatusCode::GATEWAY_TIMEOUT,
            (Code::Failed, _) if is_callers(error) => StatusCode::BAD_REQUEST,
            (Code::Failed, _) if is_not_now(error) => StatusCode::CONFLICT,
            (Code::Failed | Code::Interrupted, _) => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let mut message = error.to_string();
        let mut at = std::error::Error::source(error);
        while let Some(cause) = at {
            message.push_str(&format!(": {cause}"));
            at = cause.source();
        }
        let word = match status {
            StatusCode::SERVICE_UNAVAILABLE => "tmux",
            StatusCode::BAD_REQUEST => "usage",
            StatusCode::CONFLICT => "refused",
            _ => code.word(),
        };
        let mut answer = Self::new(status, word, crate::domain::text::clean(&message));
        answer.hint = error.hint().as_ref().map(words);
        if let OpError::Place(PlaceError::Blocked { blockers, .. }) = error {
            let all: Vec<api::FinishBlocker> = blockers.iter().map(Into::into).collect();
            answer.blockers = serde_json::to_value(all).ok().map(Box::new);
        }
        if let OpError::Place(PlaceError::Consent { repository, content, .. }) = error {
            answer.consent = serde_json::to_value(Consent {
                repository: repository.clone(),
                text: content.text(),
                sha256: content.sha256(),
            })
            .ok()
            .map(Box::new);
        }
        answer
    }

    /// As it is answered.
    pub fn value(&self) -> Value {
        let mut error = json!({ "code": self.code, "message": self.message, "hint": self.hint });
        if let Some(error) = error.as_object_mut() {
            error.extend(self.blockers.clone().map(|b| ("blockers".to_owned(), *b)));
            error.extend(self.consent.clone().map(|c| ("consent".to_owned(), *c)));
        }
        json!({ "error": error })
    }
}

/// Whether it failed for what the caller gave.
const fn is_callers(error: &OpError) -> bool {
    matches!(error, OpError::NoFolder(_) | OpError::NotAFolder(_) | OpError::NoProgram { .. })
}

/// Whether it failed for the state that something is in: nothing is wrong with deck.
const fn is_not_now(error: &OpError) -> bool {
    matches!(
        error,
        OpError::Running(_)
            | OpError::NotRunning(_)
            | OpError::NotReady(_)
            | OpError::Sending(_)
            | OpError::NothingAsked(_)
            | OpError::NothingToUndo
            | OpError::NoFork { .. }
            | OpError::NoFolderKnown(_)
            | OpError::Worker(WorkerError::NotRunning { .. })
            | OpError::Place(
                PlaceError::Missing { .. } | PlaceError::FolderGone { .. } | PlaceError::NoCommitKnown(_)
            )
    )
}

impl From<std::io::Error> for ApiError {
    fn from(error: std::io::Error) -> Self {
        Self::failed(error.to_string())
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = self.value().to_string();
        (self.status, [("content-type", "application/json")], body).into_response()
    }
}
