//! What deck says of an error, and which key helps.

use crate::domain::session::Session;
use crate::ops::OpError;

/// An error with its causes and what to do.
pub(crate) fn error_words(error: &OpError) -> String {
    let mut text = error.to_string();
    let mut at = std::error::Error::source(error);
    while let Some(cause) = at {
        text.push_str(&format!(": {cause}"));
        at = cause.source();
    }
    if let Some(hint) = key_for(error).map(str::to_owned).or_else(|| error.hint()) {
        text.push_str(&format!(" ({hint})"));
    }
    text
}

/// What to press where the command line names a command to type.
const fn key_for(error: &OpError) -> Option<&'static str> {
    Some(match error {
        OpError::NotRunning(_) => "R starts it",
        OpError::Running(_) => "enter attaches",
        OpError::Blocked { has_choices: true, .. } => "a answers",
        OpError::Blocked { .. } => "enter attaches",
        OpError::Unsent { .. } => "i shows the input: send or clear it there",
        OpError::NothingAsked(_) | OpError::NotAChoice { .. } | OpError::NotTaken { .. } => "enter attaches",
        OpError::DialogChanged(_) => "a shows the new question",
        OpError::ResumeDied { .. } => "its conversation is kept; R retries",
        _ => return None,
    })
}

/// What R does with a stopped session: only one with a conversation can be resumed.
pub(crate) fn restart_hint(session: &Session) -> &'static str {
    if session.resume.id.is_some() { "R resumes it" } else { "R starts it" }
}
