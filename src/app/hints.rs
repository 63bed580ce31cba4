//! What deck says of an error, and which key helps.

use crate::domain::hint::Hint;
use crate::domain::quote::sh;
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
    if let Some(words) = error.hint().as_ref().and_then(key) {
        text.push_str(&format!(" ({words})"));
    }
    text
}

/// The key for a hint, or its words where no key is needed; none where only a shell can help.
fn key(hint: &Hint) -> Option<String> {
    let words = match hint {
        Hint::UseName(near) => format!("did you mean {}?", near.join(", ")),
        Hint::UseTool(near) => format!("did you mean the tool {near}?"),
        Hint::UseDeleted(titles) if titles.is_empty() => "this profile's trash is empty".to_owned(),
        Hint::UseDeleted(titles) => format!("deleted in the last seven days: {}", titles.join(", ")),
        Hint::UseChoice(choices) => format!("its choices are: {}", choices.join(", ")),
        Hint::UseOneOf(words) => format!("one of {}", words.join(", ")),
        Hint::InstallProgram(path) => format!("searched PATH={path}; install it"),
        Hint::ReleaseLock(pid) => format!(
            "continue it with `fg` in its terminal or `kill -CONT {pid}`, or end it with `kill -KILL {pid}`"
        ),
        // No key does this.
        Hint::UseFresh(title) => format!("`deck start --fresh {}` starts a new one", sh(title)),
        Hint::RestartFresh(title) => {
            format!("`deck restart --fresh {}` starts a new conversation", sh(title))
        }
        other => fixed(other)?.to_owned(),
    };
    Some(words)
}

const fn fixed(hint: &Hint) -> Option<&'static str> {
    Some(match hint {
        Hint::Start(_) => "R starts it",
        Hint::RetryStart(_) => "it is recorded; R retries",
        Hint::RetryResume(_) => "its conversation is kept; R retries",
        Hint::Attach(_) | Hint::AnswerAttached(_) | Hint::AttachToAnswer(_) | Hint::ShowScreen(_) => {
            "enter attaches"
        }
        Hint::Answer(_) | Hint::WriteAnswer(..) => "a answers",
        Hint::ShowChoices(_) => "a shows its choices",
        Hint::ShowNewQuestion(_) => "a shows the new question",
        Hint::ReplaceUnsent(_) => "i shows the input: send or clear it there",
        Hint::StopFirst(_) => "x stops it",
        Hint::StopOther(_) => "stop that session first",
        Hint::UseOtherName => "choose another name",
        Hint::CreateFolder => "create it first, or give another one",
        Hint::UseParentFolder => "give the folder that contains it",
        Hint::RenameFolder => "rename the folder, or create a link to it",
        Hint::CloseQuote => "close it, or escape it with a backslash",
        Hint::GiveCommand => "give a command",
        Hint::UpdateDeck => "update deck",
        // Worded above.
        Hint::UseName(_)
        | Hint::UseTool(_)
        | Hint::UseDeleted(_)
        | Hint::UseChoice(_)
        | Hint::UseOneOf(_)
        | Hint::InstallProgram(_)
        | Hint::ReleaseLock(_)
        | Hint::UseFresh(_)
        | Hint::RestartFresh(_) => return None,
        // The TUI shows these already, or its dialogs ask.
        Hint::ListSessions
        | Hint::ListGroups
        | Hint::ListKeys
        | Hint::ListImports
        | Hint::UseId(_)
        | Hint::NameSession
        | Hint::NameFolder
        | Hint::EmptyGroup => return None,
        // Something for a shell.
        Hint::InstallTmux | Hint::UpdateTmux | Hint::Diagnose | Hint::ContinueProcess(_) => return None,
    })
}

/// What R does with a stopped session: only one with a conversation can be resumed.
pub(crate) fn restart_hint(session: &Session) -> &'static str {
    if session.resume.id.is_some() { "R resumes it" } else { "R starts it" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_stands_for_the_command() {
        let words = |error: &OpError| error_words(error);
        assert_eq!(words(&OpError::NotRunning("api".into())), "session \"api\" is not running (R starts it)");
        assert_eq!(
            words(&OpError::StillRunning("api".into())),
            "session \"api\" is still running (x stops it)"
        );
        assert_eq!(
            words(&OpError::NoText("api".into())),
            "session \"api\" is asking for a choice, not for text (a shows its choices)"
        );
    }
}
