//! What can go wrong in a use case. Each error holds the data that its message and hint are made from.

use std::path::PathBuf;

use super::handoff::HandoffError;
use super::mcp_servers::McpServersError;
use super::talk::TalkError;
use super::worker::WorkerError;
use super::worktree::PlaceError;
use crate::domain::group::{BadGroupPath, GroupPath};
use crate::domain::guard::Refusal;
use crate::domain::id::SessionId;
use crate::domain::launch::PlanError;
use crate::domain::mcp_scope::Scope;
use crate::domain::resolve::ResolveError;
use crate::domain::session::SessionName;
use crate::domain::tree::GroupError;
use crate::ports::{GitError, MuxError, StoreError};

/// A use case's result.
pub type OpResult<T> = Result<T, OpError>;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum OpError {
    /// A word names no single session.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// The caller no longer waits.
    #[error("interrupted")]
    Cancelled,
    /// The caller no longer waits; the message was sent before.
    #[error("interrupted: the message was sent to {0}, but its delivery isn't confirmed")]
    CancelledSent(SessionName),
    /// The caller no longer waits; the message is on the prompt and can't be deleted there.
    #[error("interrupted: the message is typed in {0}, but not sent")]
    CancelledTyped(SessionName),
    /// The caller no longer waits; what was typed to see whether the agent takes input may still be there.
    #[error(
        "interrupted: nothing was sent to {0}, but a dot may be typed in it, by which deck checks its input"
    )]
    CancelledProbe(SessionName),
    /// The caller no longer waits; the session was started, but whether it resumed its conversation isn't known.
    #[error("interrupted: {0} was started, but it isn't confirmed that it resumed its conversation")]
    CancelledStarted(SessionName),
    /// The caller no longer waits; the choice was taken.
    #[error("interrupted: {0} was answered; what it does now wasn't checked")]
    CancelledAnswered(SessionName),
    /// The session was deleted meanwhile.
    #[error("session {0} no longer exists")]
    Missing(SessionId),
    /// The profile could not be read or written.
    #[error(transparent)]
    Store(StoreError),
    /// The multiplexer.
    #[error(transparent)]
    Mux(MuxError),
    /// git.
    #[error(transparent)]
    Git(GitError),
    /// Repositories and worktrees.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// What works beside an agent.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// MCP servers.
    #[error(transparent)]
    McpServers(#[from] McpServersError),
    /// Handing a session's work over.
    #[error(transparent)]
    Handoff(#[from] HandoffError),
    /// Conversations.
    #[error(transparent)]
    Talk(#[from] TalkError),
    /// What a checkpoint of a session is kept in.
    #[error("can't write the checkpoint {}", file.display())]
    CheckpointFile {
        file: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The tree of groups.
    #[error(transparent)]
    Group(#[from] GroupError),
    /// A text that is not a group.
    #[error(transparent)]
    BadGroup(#[from] BadGroupPath),
    /// The file that passes deck's MCP server.
    #[error("session {session} isn't started: can't write the files for its MCP servers in {}", folder.display())]
    McpFile {
        session: SessionName,
        folder: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// What an agent may not do.
    #[error("{refusal}")]
    Guard {
        refusal: Box<Refusal>,
        /// The agent's session, with the scopes that it would need; none if no scope helps.
        agent: Option<(SessionName, Vec<Scope>)>,
    },
    /// The file in which the messages of agents are counted.
    #[error("can't count the messages between agents in {}", file.display())]
    TalkFile {
        file: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// Nothing to run.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The directory isn't there.
    #[error("folder {} doesn't exist", .0.display())]
    NoFolder(PathBuf),
    /// There is something, but no folder.
    #[error("{} is not a folder", .0.display())]
    NotAFolder(PathBuf),
    /// A folder that could not be created.
    #[error("can't create the folder {}", path.display())]
    FolderNotMade {
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A path that can't be recorded as it is.
    #[error("the path {0:?} can't be recorded: it isn't UTF-8")]
    NotText(PathBuf),
    /// A new session could not be started, and may run nevertheless: its record stays.
    #[error("{error}")]
    Recorded {
        session: SessionName,
        /// Why.
        error: Box<OpError>,
    },
    /// Sessions can't be seen: the error of a poll, which everybody who waits for polls gets.
    #[error(transparent)]
    Poll(std::sync::Arc<OpError>),
    /// The conversation id recorded for the session is invalid.
    #[error("session {session} has an invalid conversation id: {id:?}")]
    NoConversationId {
        session: SessionName,
        /// What is recorded.
        id: String,
    },
    /// A command that a shell can't read.
    #[error("unclosed quote in command {0:?}")]
    UnclosedQuote(String),
    /// No deleted session has this name.
    #[error("no deleted session {name:?}")]
    NotInTrash {
        name: String,
        /// Titles that are in the trash.
        titles: Vec<String>,
    },
    /// The program isn't there.
    #[error("program {program:?} not found")]
    NoProgram {
        program: String,
        /// Where it was looked for.
        path: String,
        /// A tool whose name is much like it.
        near: Option<String>,
    },
    /// No tool of that name, and none installed.
    #[error("no tool given, and none of {} is installed", .0.join(", "))]
    NoTool(Vec<String>),
    /// A conversation's file.
    #[error("can't copy the conversation's file {}", path.display())]
    CopyConversation {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file of `KEY=value` lines.
    #[error("can't read the tool's env_file {}", path.display())]
    EnvFile {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// It runs already.
    #[error("session {0} is already running")]
    Running(SessionName),
    /// It doesn't run.
    #[error("session {0} is not running")]
    NotRunning(SessionName),
    /// Its agent would be lost.
    #[error("session {0} is still running")]
    StillRunning(SessionName),
    /// It asks something.
    #[error("session {session} is waiting for an answer ({asks}); a message would be taken as the answer")]
    Blocked {
        session: SessionName,
        asks: String,
        /// Whether `deck answer` can answer it.
        has_choices: bool,
    },
    /// Something is typed that was not sent: a message would become one with it.
    #[error("session {session} has unsent input: {:?}", crate::domain::text::fit(text, 40))]
    Unsent {
        session: SessionName,
        /// What is typed.
        text: String,
    },
    /// A message was typed, could then not be sent, and can't be deleted for certain.
    #[error("{error}; the message was not sent, but may be typed in {session}")]
    TypedOnly {
        /// The session.
        session: SessionName,
        /// Why it was not sent.
        error: Box<OpError>,
    },
    /// Its input field does not take what is typed.
    #[error("session {0} isn't taking input yet; nothing was sent")]
    NotReady(SessionName),
    /// Another message is on its way.
    #[error("another message is still being sent to session {0}")]
    Sending(SessionName),
    /// The file that makes messages wait for each other.
    #[error("can't lock {}", file.display())]
    SendLock {
        file: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The conversation that would be resumed is not on disk any more.
    #[error("conversation {id} of session {session} no longer exists")]
    ConversationMissing {
        session: SessionName,
        /// The conversation.
        id: String,
    },
    /// A tool that isn't there.
    #[error("no tool {name:?}")]
    NoSuchTool {
        name: String,
        /// Those there are.
        names: Vec<String>,
    },
    /// A conversation whose file doesn't name the folder it was started in.
    #[error("can't tell which folder conversation {0} belongs to")]
    NoFolderKnown(String),
    /// A word that names no key.
    #[error("unknown key {0:?}")]
    NoKey(String),
    /// Nothing that could be imported has this name.
    #[error("nothing named {0:?} to import")]
    NothingToImport(String),
    /// Starting it would begin another conversation.
    #[error("can't resume {0}: its conversation id is unknown")]
    ConversationUnknown(SessionName),
    /// The agent that was to resume a conversation ended at once.
    #[error("session {session} failed to resume: its agent exited {how}{}", said(lines))]
    ResumeDied {
        session: SessionName,
        /// How it ended.
        how: String,
        /// Its last lines.
        lines: Vec<String>,
    },
    /// The tool can't copy a conversation, or there is none.
    #[error("session {session} can't be forked: {why}")]
    NoFork { session: SessionName, why: &'static str },
    /// Something that can't be set, or not to this.
    #[error("can't set {key:?}{}", why.as_ref().map(|w| format!(": {w}")).unwrap_or_default())]
    BadSetting {
        key: String,
        /// Why; none when there is no such key.
        why: Option<String>,
    },
    /// It asks nothing that could be answered here.
    #[error("session {0} asks nothing that can be answered from here")]
    NothingAsked(SessionName),
    /// The question takes no text.
    #[error("session {0} is asking for a choice, not for text")]
    NoText(SessionName),
    /// The question went away or became another one.
    #[error("the question of session {0} changed; nothing was sent")]
    DialogChanged(SessionName),
    /// No choice of that name.
    #[error("session {session} has no choice {pick:?}")]
    NoChoice { session: SessionName, pick: String, choices: Vec<String> },
    /// Several choices begin like that.
    #[error("several choices of session {session} begin with {pick:?}")]
    SeveralChoices { session: SessionName, pick: String, choices: Vec<String> },
    /// A text must be written, or several choices be ticked.
    #[error("session {session} needs typed input for {choice:?}")]
    NotAChoice { session: SessionName, choice: String, is_text: bool },
    /// Nothing came of an answer.
    #[error("session {session} didn't accept {choice:?}; the question is still open")]
    NotTaken { session: SessionName, choice: String },
    /// Its processes could not be ended.
    #[error("can't end the processes of session {session}")]
    End {
        session: SessionName,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The trash is empty.
    #[error("nothing to undo: this profile's trash is empty")]
    NothingToUndo,
    /// Another session has this title.
    #[error("the title {0:?} is taken by another session")]
    TitleTaken(String),
    /// A title that can't be one.
    #[error("a session's title must have at least one visible character")]
    NoTitle,
    /// An id that another live session resumes.
    #[error("conversation {id} is already open in session {other:?}")]
    SameConversation {
        /// The conversation.
        id: String,
        /// The other session.
        other: String,
    },
}

/// An agent's last lines, for the end of a sentence.
fn said(lines: &[String]) -> String {
    if lines.is_empty() { ", with no output".to_owned() } else { format!(": {}", lines.join(" / ")) }
}

impl From<StoreError> for OpError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Cancelled => Self::Cancelled,
            other => Self::Store(other),
        }
    }
}

impl From<GitError> for OpError {
    fn from(error: GitError) -> Self {
        match error {
            GitError::Stopped => Self::Cancelled,
            other => Self::Git(other),
        }
    }
}

impl From<MuxError> for OpError {
    fn from(error: MuxError) -> Self {
        match error {
            MuxError::Cancelled => Self::Cancelled,
            other => Self::Mux(other),
        }
    }
}

impl OpError {
    /// A missing group's error.
    pub fn no_group(path: &GroupPath) -> Self {
        Self::Group(GroupError::Missing(path.clone()))
    }
}
