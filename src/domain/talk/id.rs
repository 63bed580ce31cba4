//! What names a conversation: the role that talks, and the feature or the task that it talks about.
//!
//! Invariant: an id is opaque. Feature `a-b` with task `c` and feature `a` with task `b-c` give the same one, so the fields
//! of the record decide which conversation it is, and another one of the same id is refused.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a conversation is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Feature,
    Task,
}

impl Kind {
    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Feature => "feature",
            Self::Task => "task",
        }
    }
}

/// A conversation's id, which is part of file names: `[A-Za-z0-9][A-Za-z0-9._-]*`, at most 240 characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TalkId(String);

impl TalkId {
    /// Takes an id from outside; none for what can be no id.
    pub fn parse(text: &str) -> Option<Self> {
        let fits = (1..=240).contains(&text.len())
            && text.starts_with(|c: char| c.is_ascii_alphanumeric())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
        fits.then(|| Self(text.to_owned()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TalkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is wrong with the name of a role, a feature, a task or a state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadSubject {
    #[error(
        "invalid {what} {name:?}: it must be 1 to 64 of the characters a-z, A-Z, 0-9, ., _ and -, and not begin with a dot"
    )]
    Name { what: &'static str, name: String },
    #[error("invalid {what} {name:?}: it must be 1 to 32 of the characters a-z, 0-9 and _")]
    Word { what: &'static str, name: String },
    #[error("a state is part of a task, and no task is given")]
    StateOfFeature,
    #[error("role {0:?} has no state that its tasks are in by default")]
    NoState(String),
}

/// Whether a text can name a role or a state.
pub fn is_word(text: &str) -> bool {
    (1..=32).contains(&text.len())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && !text.starts_with('.')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'))
}

/// Who talks, and about what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Subject {
    #[serde(rename = "type")]
    pub kind: Kind,
    /// The role.
    #[serde(rename = "agentType")]
    pub role: String,
    #[serde(rename = "featureId")]
    pub feature: String,
    #[serde(rename = "taskId", skip_serializing_if = "Option::is_none", default)]
    pub task: Option<String>,
    #[serde(rename = "taskState", skip_serializing_if = "Option::is_none", default)]
    pub state: Option<String>,
}

impl Subject {
    /// A role's conversation about a feature, or about a task of it in a state.
    ///
    /// # Errors
    /// [`BadSubject`] names what can't be.
    pub fn new(
        role: &str,
        feature: &str,
        task: Option<&str>,
        state: Option<&str>,
    ) -> Result<Self, BadSubject> {
        let name = |what, text: &str| match is_name(text) {
            true => Ok(text.to_owned()),
            false => Err(BadSubject::Name { what, name: text.to_owned() }),
        };
        let word = |what, text: &str| match is_word(text) {
            true => Ok(text.to_owned()),
            false => Err(BadSubject::Word { what, name: text.to_owned() }),
        };
        let (role, feature) = (word("role", role)?, name("feature", feature)?);
        let (kind, task, state) = match (task, state) {
            (None, None) => (Kind::Feature, None, None),
            (None, Some(_)) => return Err(BadSubject::StateOfFeature),
            (Some(_), None) => return Err(BadSubject::NoState(role)),
            (Some(task), Some(state)) => (Kind::Task, Some(name("task", task)?), Some(word("state", state)?)),
        };
        Ok(Self { kind, role, feature, task, state })
    }

    /// Its id: `{role}-feature-{feature}` or `{role}-task-{feature}-{task}-{state}`.
    pub fn id(&self) -> TalkId {
        let Self { kind, role, feature, task, state } = self;
        let rest = [task, state].into_iter().flatten().map(|part| format!("-{part}")).collect::<String>();
        TalkId(format!("{role}-{}-{feature}{rest}", kind.word()))
    }

    /// In words: `dev · auth/login · in_dev`.
    pub fn words(&self) -> String {
        let task = self.task.as_ref().map(|task| format!("/{task}")).unwrap_or_default();
        let state = self.state.as_ref().map(|state| format!(" · {state}")).unwrap_or_default();
        format!("{} · {}{task}{state}", self.role, self.feature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_features_and_tasks() {
        let of =
            |role, feature, task, state| Subject::new(role, feature, task, state).map(|s| s.id().to_string());
        assert_eq!(of("pm", "my-feature", None, None).unwrap(), "pm-feature-my-feature");
        let task = of("dev", "my-feature", Some("task-123"), Some("in_dev")).unwrap();
        assert_eq!(task, "dev-task-my-feature-task-123-in_dev");
        let twin = |feature, task| of("dev", feature, Some(task), Some("in_dev")).unwrap();
        assert_eq!(twin("a-b", "c"), twin("a", "b-c"), "an id is no proof of what it is about");
    }

    #[test]
    fn names_that_can_be_no_file_are_refused() {
        let long = "x".repeat(65);
        for bad in ["", "a/b", "..", ".a", "a b", &long, "ü", "a\n"] {
            assert!(matches!(Subject::new("pm", bad, None, None), Err(BadSubject::Name { .. })), "{bad:?}");
            let task = Subject::new("pm", "f", Some(bad), Some("s"));
            assert!(matches!(task, Err(BadSubject::Name { what: "task", .. })), "{bad:?}");
        }
        for bad in ["", "PM", "a-b", &"x".repeat(33)] {
            assert!(matches!(Subject::new(bad, "f", None, None), Err(BadSubject::Word { .. })), "{bad:?}");
        }
        assert_eq!(Subject::new("pm", "f", None, Some("s")), Err(BadSubject::StateOfFeature));
        assert_eq!(Subject::new("pm", "f", Some("t"), None), Err(BadSubject::NoState("pm".into())));
        for bad in ["", "../x", "-x", ".x", "a/b"] {
            assert_eq!(TalkId::parse(bad), None, "{bad:?}");
        }
    }
}
