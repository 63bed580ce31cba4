//! What goes over a wire: the JSON shapes of what deck answers, with their schemas and the error codes.
//!
//! Every face that speaks JSON prints these types and no others, so each answer has a schema. They stand apart
//! from the domain: a field that is renamed there changes nothing here.

// A field whose name says all has no description.

mod answer;
mod code;
mod conversation;
mod diff;
mod error;
mod event;
mod explanation;
mod finish;
mod group;
mod handoff;
mod import;
mod job;
mod mcp_server;
mod place;
mod profile;
mod schema;
#[cfg(feature = "web")]
mod serve;
mod session;
mod session_checkpoint;
mod setup;
mod shell;
mod status;
mod talk;
mod tool;
#[cfg(feature = "web")]
pub mod web;
mod worker;

pub use answer::{
    Answer, Answered, Archived, Deleted, Output, Pressed, Question, Receipt, Restored, Sent, TextFrom,
};
pub use code::Code;
pub use conversation::{Conversation, FoundConversation, ResumeEntry, Totals};
pub use diff::Diff;
pub use error::{ErrorAnswer, ErrorBody};
pub use event::{ChangedSession, DeletedSession, EventKind, WatchLine};
pub use explanation::Explanation;
#[cfg(feature = "web")]
pub use finish::Blocker as FinishBlocker;
pub use finish::{FinishAnswer, FinishPlan, Finished, Pruned};
pub use group::{Group, GroupChanged};
pub use handoff::Handoff;
pub use import::{Import, RunningAgent};
#[cfg(feature = "mcp")]
pub use job::state_word;
pub use job::{Job, JobKilled, JobOutput, JobWaited, JobWritten, JobsPruned, ShellExec};
pub use mcp_server::{
    McpChange, McpCheck, McpCheckProtocol, McpImport, McpPool, McpServer, McpServerRemoved, McpStatus,
};
pub use place::{Repository, Trusted, Worktree};
pub use profile::{Profile, ProfileChanged};
pub use schema::{ERROR, WATCH, all_schemas, outputs, schema};
#[cfg(feature = "web")]
pub use serve::{PairedDevice, Pairing, ServeStatus};
pub use session::{Choice, Revival, Revive, RevivedSession, Session, SessionDetails, Unarchived};
pub use session_checkpoint::SessionCheckpoint;
pub use setup::{Check, ConfigPath, ConfigSetting, ConfigWarning, Finding};
pub use shell::{Shell, ShellCheckpoint, ShellEnded, ShellStarted};
pub use status::{Reason, Status, StatusCounts};
pub use talk::{
    Talk, TalkAdded, TalkCheckpoint, TalkCleared, TalkCompactAnswer, TalkCompacted, TalkContext,
    TalkDescription, TalkEvent, TalkExported, TalkMessages, TalkRemoved, TalkRequest, TalkSize, TalkTokens,
};
pub use tool::{Tool, ToolProblem, ToolSettings, ToolTest};
pub use worker::{Shown, WaitedFor, Worker, WorkerRemoved, address};

#[cfg(test)]
use std::borrow::Cow;

#[cfg(test)]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// The version of all shapes. It grows when a field is removed or renamed, or changes its type or meaning;
/// a new field, or a new word where words are listed as examples, keeps it.
pub const SCHEMA_VERSION: u32 = 1;

/// The field `schema_version` of an answer: always [`SCHEMA_VERSION`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Version;

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(SCHEMA_VERSION)
    }
}

#[cfg(test)]
impl JsonSchema for Version {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Version".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "const": SCHEMA_VERSION, "description": "The version of the answer's shape." })
    }
}

/// What may be printed as an answer: the types of this module, and lists of them. The tests make their schemas.
#[cfg(not(test))]
pub trait Shape: Serialize {}

#[cfg(test)]
pub trait Shape: Serialize + JsonSchema {}

impl<T: Shape> Shape for Vec<T> {}
impl<T: Shape> Shape for Option<T> {}

macro_rules! shapes {
    ($($name:ty),* $(,)?) => { $(impl Shape for $name {})* };
}

shapes![
    Answer,
    Archived,
    ConfigPath,
    ConfigSetting,
    ConfigWarning,
    Deleted,
    Diff,
    ErrorAnswer,
    Explanation,
    Finding,
    Group,
    GroupChanged,
    Handoff,
    Import,
    Job,
    JobKilled,
    JobOutput,
    JobWaited,
    JobWritten,
    JobsPruned,
    McpCheck,
    McpImport,
    McpPool,
    McpServer,
    McpServerRemoved,
    McpStatus,
    Output,
    Pressed,
    Profile,
    ProfileChanged,
    Repository,
    Restored,
    Revive,
    Sent,
    Session,
    SessionCheckpoint,
    SessionDetails,
    Shell,
    ShellCheckpoint,
    ShellEnded,
    ShellExec,
    ShellStarted,
    StatusCounts,
    Talk,
    TalkAdded,
    TalkCheckpoint,
    TalkCleared,
    TalkCompactAnswer,
    TalkContext,
    TalkDescription,
    TalkEvent,
    TalkExported,
    TalkMessages,
    TalkRemoved,
    TalkRequest,
    Tool,
    ToolProblem,
    ToolSettings,
    ToolTest,
    Trusted,
    Unarchived,
    WatchLine,
    FinishAnswer,
    Finished,
    FinishPlan,
    Pruned,
    Shown,
    WaitedFor,
    Worker,
    WorkerRemoved,
    Worktree,
];

#[cfg(feature = "web")]
shapes![PairedDevice, Pairing, ServeStatus];

/// The schema of an answer about one session, or about several in the order in which they were named.
#[cfg(test)]
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
#[expect(dead_code, reason = "for its schema: a verb prints what it collected")]
pub enum OneOrMany<T> {
    /// About the only one that was named.
    One(T),
    /// About each of several; those that failed are left out.
    Many(Vec<T>),
}

#[cfg(test)]
impl<T: Shape> Shape for OneOrMany<T> {}
