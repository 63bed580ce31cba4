//! What somebody must know who continues a session's work.

use std::collections::BTreeMap;

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use super::Version;
use crate::domain::session;
use crate::ops::KeptCheckpoint;

/// A checkpoint of a session, without secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct SessionCheckpoint {
    pub schema_version: Version,
    /// The session's id.
    pub session: String,
    pub title: String,
    pub tool: String,
    pub folder: String,
    /// The user's first prompt; null if it isn't known.
    pub goal: Option<String>,
    /// What they said last, oldest first.
    pub user_messages: Vec<String>,
    /// The pins of the conversation that it carries.
    pub pins: Vec<String>,
    /// What is open or decided in that, by `in progress`, `pending`, `blocked by` and `decided`.
    pub open: BTreeMap<String, Vec<String>>,
    pub last_answer: Option<String>,
    /// What the agent did last with its tools, oldest first.
    pub actions: Vec<String>,
    pub branch: Option<String>,
    /// The commit that is checked out.
    pub head: Option<String>,
    /// Files that are not committed.
    pub changed: Vec<ChangedFile>,
    /// The id of the agent's own conversation.
    pub conversation: Option<String>,
    /// Its file; null if it has none.
    pub transcript: Option<String>,
    /// What resumes it in a shell.
    pub resume: Option<String>,
    /// What can't be known, and why.
    pub problems: Vec<String>,
    /// All of it as Markdown, at most 23,000 bytes.
    pub markdown: String,
    /// Whether something was left out of that.
    pub cut: bool,
    /// The kinds of the secrets that were hidden, each as often as it was.
    pub hidden: Vec<String>,
    /// The file that it is kept in.
    pub file: String,
}

/// A file that is not committed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct ChangedFile {
    pub path: String,
    /// Lines that were added; null if they weren't counted.
    pub added: Option<usize>,
    pub removed: Option<usize>,
}

impl SessionCheckpoint {
    pub fn of(session: &session::Session, kept: &KeptCheckpoint) -> Self {
        let of = kept.checkpoint.clone();
        let changed = of.changed.into_iter().map(|(path, counts)| ChangedFile {
            path,
            added: counts.map(|(added, _)| added),
            removed: counts.map(|(_, removed)| removed),
        });
        Self {
            schema_version: Version,
            session: session.id.to_string(),
            title: of.title,
            tool: of.tool,
            folder: of.folder,
            goal: of.goal,
            user_messages: of.user_messages,
            pins: of.pins,
            open: of.open.into_iter().filter(|(_, items)| !items.is_empty()).collect(),
            last_answer: of.last_answer,
            actions: of.actions,
            branch: of.branch,
            head: of.head,
            changed: changed.collect(),
            conversation: of.conversation,
            transcript: of.transcript,
            resume: of.resume,
            problems: of.problems,
            markdown: kept.words.clone(),
            cut: kept.is_cut,
            hidden: kept.hidden.clone(),
            file: kept.file.to_string_lossy().into_owned(),
        }
    }
}
