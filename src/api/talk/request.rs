//! Requests of conversations, and what they say of the project.

use std::collections::BTreeMap;

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Talk;
use crate::api::Version;
use crate::domain::talk::{self, Speaker};

/// What a request says of the project, the feature and the task. What is not known is null.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TalkContext {
    pub schema_version: Version,
    pub project_root: String,
    pub feature_id: String,
    pub feature_name: Option<String>,
    pub feature_goal: Option<String>,
    pub task_id: Option<String>,
    pub task_title: Option<String>,
    pub task_state: Option<String>,
    pub dag_summary: Option<String>,
    pub dependencies: Option<Vec<String>>,
    pub dependents: Option<Vec<String>>,
    pub project_structure: Option<String>,
    pub claude_md: Option<String>,
    pub recent_commits: Option<Vec<String>>,
    /// Why a part is not known, by its key.
    pub problems: BTreeMap<String, String>,
    /// Keys of other programs.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl From<talk::Context> for TalkContext {
    fn from(of: talk::Context) -> Self {
        Self {
            schema_version: Version,
            project_root: of.project_root,
            feature_id: of.feature_id,
            feature_name: of.feature_name,
            feature_goal: of.feature_goal,
            task_id: of.task_id,
            task_title: of.task_title,
            task_state: of.task_state,
            dag_summary: of.dag_summary,
            dependencies: of.dependencies,
            dependents: of.dependents,
            project_structure: of.project_structure,
            claude_md: of.claude_md,
            recent_commits: of.recent_commits,
            problems: of.problems,
            other: of.other,
        }
    }
}

/// A request that is ready to send.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TalkRequest {
    pub schema_version: Version,
    pub conversation: String,
    pub system_prompt: String,
    /// Messages and prompt as one text.
    pub user_prompt: String,
    /// The same as a list.
    pub messages: Vec<TalkRequestMessage>,
    pub parts: Vec<TalkPart>,
    pub total_tokens: u64,
    pub token_limit: u64,
    /// `due` if the conversation needs compaction; else null.
    pub compaction: Option<String>,
    /// Why parts of the context are not known, by their keys.
    pub problems: BTreeMap<String, String>,
}

/// A message of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct TalkRequestMessage {
    /// `user`, `assistant` or `system`.
    pub role: String,
    pub content: String,
}

/// A part of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub struct TalkPart {
    /// `role`, `tools`, `instructions`, `structure`, `about`, `commits`, `pins`, `checkpoint`, `messages` or `prompt`.
    pub name: String,
    pub tokens: u64,
    /// Whether that is an estimate.
    pub estimated: bool,
    /// Whether it was cut to its budget.
    pub cut: bool,
}

impl TalkRequest {
    pub fn of(made: &crate::ops::talk::Made, of: &Talk) -> Self {
        let one = |role: Speaker, content: &str| TalkRequestMessage {
            role: role.word().to_owned(),
            content: content.to_owned(),
        };
        let prompt = made.request.user.iter().find(|part| part.name == "prompt");
        let said = made.messages.iter().map(|message| one(message.speaker, &message.content));
        let part = |(part, tokens): (&talk::RequestPart, &u64)| TalkPart {
            name: part.name.to_owned(),
            tokens: *tokens,
            estimated: true,
            cut: part.cut,
        };
        Self {
            schema_version: Version,
            conversation: of.id.clone(),
            system_prompt: made.request.system_prompt(),
            user_prompt: made.request.user_prompt(),
            messages: said.chain(prompt.map(|part| one(Speaker::User, &part.text))).collect(),
            parts: made.request.parts().zip(&made.tokens).map(part).collect(),
            total_tokens: made.total(),
            token_limit: of.tokens.limit,
            compaction: made.is_due.then(|| "due".to_owned()),
            problems: made.problems.iter().cloned().collect(),
        }
    }
}
