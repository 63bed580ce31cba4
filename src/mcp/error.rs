//! What is answered when a tool can't do what it was asked: what, why, and what to call next.

use serde_json::{Map, Value, json};

use crate::api::Code;
use crate::domain::hint::Hint;
use crate::domain::quote::sh;
use crate::domain::shell::ShellHint;
use crate::ops::OpError;
use crate::ops::shell::ShellError;
use crate::ports::ShellsError;

/// An error of a tool, for the agent to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError {
    pub code: Code,
    pub message: String,
    /// What to call next.
    pub hint: Option<String>,
}

impl ToolError {
    /// One with a code of the command line's.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// In sentences.
    pub fn text(&self) -> String {
        let mut letters = self.message.chars();
        let first: String = letters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
        // What is to be called next begins with a tool's name.
        let hint = self.hint.as_deref().map(|hint| format!(" Next: {hint}.")).unwrap_or_default();
        format!("{first}{}.{hint}", letters.as_str())
    }

    /// As data, with the same words as errors of the command line.
    pub fn data(&self) -> Map<String, Value> {
        let mut error = json!({ "code": self.code, "message": self.message });
        if let (Some(hint), Some(error)) = (&self.hint, error.as_object_mut()) {
            error.insert("hint".to_owned(), hint.as_str().into());
        }
        Map::from_iter([("error".to_owned(), error)])
    }
}

/// An error with its causes.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut at = error.source();
    while let Some(cause) = at {
        message.push_str(&format!(": {cause}"));
        at = cause.source();
    }
    message
}

impl From<OpError> for ToolError {
    fn from(error: OpError) -> Self {
        let hint = error.hint().and_then(|hint| words_of(&hint));
        Self { code: Code::of(&error), message: with_causes(&error), hint }
    }
}

/// The words for what helps an agent; none where only its user can help.
fn words_of(hint: &Hint) -> Option<String> {
    Some(match hint {
        Hint::ListSessions => "list_agents shows all".to_owned(),
        Hint::UseName(near) => format!("did you mean {}", near.join(", ")),
        Hint::UseId(candidates) => {
            let ids: Vec<String> = candidates.iter().map(|c| c.id.to_string()).collect();
            format!("use one of the ids {}", ids.join(", "))
        }
        Hint::GiveScopes(session, scopes) => {
            format!(
                "its user gives it with `deck set {} mcp={}` and restarts it",
                sh(&session.title),
                scopes.join(",")
            )
        }
        Hint::Answer(_) | Hint::AnswerAttached(_) | Hint::ShowNewQuestion(_) | Hint::ShowChoices(_) => {
            "read_agent shows what it asks, answer_agent answers".to_owned()
        }
        Hint::ShowScreen(_) => "read_agent shows its screen".to_owned(),
        Hint::UseChoice(choices) => format!("its choices are {}", choices.join(", ")),
        _ => return None,
    })
}

impl From<ShellError> for ToolError {
    fn from(error: ShellError) -> Self {
        let hint = error.hint().map(words);
        Self { code: Code::of_shell(&error), message: with_causes(&error), hint }
    }
}

impl From<ShellsError> for ToolError {
    fn from(error: ShellsError) -> Self {
        ShellError::from(error).into()
    }
}

/// The words for a hint.
fn words(hint: ShellHint) -> String {
    match hint {
        ShellHint::ListShells | ShellHint::NameShell => "listSessions shows all shells".to_owned(),
        ShellHint::UseId(ids) => format!("use one of the ids {}", ids.join(", ")),
        ShellHint::ChangeFolder(_) => "call exec with `cwd` and the code `cd .`".to_owned(),
        ShellHint::AddSession(_) => "start bash instead".to_owned(),
        ShellHint::Install(path) => format!("it was looked for in PATH={path}"),
        ShellHint::UseOtherName(rule) => format!("choose another name: {rule}"),
        ShellHint::EndJobs(_) => "killJob ends them, or call endSession with `kill`".to_owned(),
        ShellHint::EndOne(labels) => format!("end one of them with endSession: {}", labels.join(", ")),
        ShellHint::ListJobs(_) => "listJobs shows them".to_owned(),
        ShellHint::FindJob => "listJobs shows all jobs".to_owned(),
        ShellHint::ShowJob(_) => "getJobOutput shows what it printed".to_owned(),
        ShellHint::RunInBackground => "use `background`, or another shell".to_owned(),
        ShellHint::Replay(label) => {
            format!(
                "startSession starts a new one; its user runs its commands again with `deck shell replay {}`",
                sh(&label)
            )
        }
        ShellHint::StartShell(_) => "startSession starts a new one".to_owned(),
        ShellHint::OpenInput => "call exec with `stdin` set to `open`".to_owned(),
        ShellHint::MakeCheckpoint(_) => {
            "checkpointSession makes one; `beforeJob` goes back without".to_owned()
        }
    }
}
