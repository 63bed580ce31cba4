//! Error codes: the exit codes of the command line, and the words for them in JSON.

#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::launch::PlanError;
use crate::domain::resolve::ResolveError;
use crate::domain::shell::ShellResolveError;
use crate::domain::tree::GroupError;
use crate::ops::OpError;
use crate::ops::handoff::HandoffError;
use crate::ops::mcp_servers::McpServersError;
use crate::ops::shell::ShellError;
use crate::ops::talk::TalkError;
use crate::ops::worker::WorkerError;
use crate::ops::worktree::PlaceError;
use crate::ports::{ConversationsError, GitError, MuxError, ShellsError, StoreError};

/// What kind of error it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// It failed.
    Failed,
    /// The command line is wrong.
    Usage,
    /// There is no such thing, or a name matches several.
    NotFound,
    /// tmux is missing or too old.
    Tmux,
    /// It took too long.
    TimedOut,
    /// Something would be lost.
    Refused,
    /// Its caller no longer waited.
    Interrupted,
}

impl Code {
    /// All of them, by exit code.
    pub const ALL: [Self; 7] = [
        Self::Failed,
        Self::Usage,
        Self::NotFound,
        Self::Tmux,
        Self::TimedOut,
        Self::Refused,
        Self::Interrupted,
    ];

    /// What kind of error a use case of shells ended with.
    pub fn of_shell(error: &ShellError) -> Self {
        match error {
            ShellError::Resolve(ShellResolveError::NotInside)
            | ShellError::UnknownKind(_)
            | ShellError::NoCode
            | ShellError::NulInCode
            | ShellError::BadName(_)
            | ShellError::NameTaken(_)
            | ShellError::BadVariable(_)
            | ShellError::NotInside(_)
            | ShellError::BeyondEnd { .. }
            | ShellError::BadSignal(_)
            | ShellError::BadPattern(_) => Self::Usage,
            ShellError::Resolve(_)
            | ShellError::Ended { .. }
            | ShellError::NoJob(_)
            | ShellError::NoCheckpoint(_)
            | ShellError::Shells(ShellsError::NoState(_)) => Self::NotFound,
            ShellError::NoFolder { .. }
            | ShellError::AllRun { .. }
            | ShellError::NotOwn { .. }
            | ShellError::TooManyJobs { .. }
            | ShellError::OwnTurn(_)
            | ShellError::StillRuns { .. }
            | ShellError::NotReading(_)
            | ShellError::Lost { .. }
            | ShellError::NotLost(_)
            | ShellError::NoBackground(_)
            | ShellError::NoStates(_)
            | ShellError::NoTerminal(_)
            | ShellError::JobEnded { .. } => Self::Refused,
            ShellError::Cancelled => Self::Interrupted,
            ShellError::Shells(ShellsError::Exists(_)) => Self::Refused,
            ShellError::Shells(ShellsError::Busy { .. }) => Self::TimedOut,
            ShellError::NotOpened { source, .. } => Self::of(source),
            ShellError::NoSuchFolder(_)
            | ShellError::NoActor(_)
            | ShellError::NoProfile(_)
            | ShellError::BadChange(_)
            | ShellError::NoProgram { .. }
            | ShellError::NoWrap { .. }
            | ShellError::NotEnded { .. }
            | ShellError::NotReplayed { .. }
            | ShellError::NotRun(_)
            | ShellError::Shells(_) => Self::Failed,
        }
    }

    /// What kind of error a use case of workers ended with.
    const fn of_worker(error: &WorkerError) -> Self {
        match error {
            WorkerError::NoWorker { .. } => Self::NotFound,
            WorkerError::NameTaken { .. }
            | WorkerError::BadName(_)
            | WorkerError::NoTerminal { .. }
            | WorkerError::NoDiff { .. }
            | WorkerError::NotASession { .. }
            | WorkerError::OwnAgent(..)
            | WorkerError::BadFile { .. }
            | WorkerError::BadUrl(_)
            | WorkerError::Missing { .. } => Self::Usage,
            WorkerError::StillRunning { .. } | WorkerError::TerminalsRun { .. } | WorkerError::Adopted(_) => {
                Self::Refused
            }
            WorkerError::NotRunning { .. } => Self::Failed,
        }
    }

    /// What kind of error a use case of worktrees ended with.
    fn of_place(error: &PlaceError) -> Self {
        match error {
            PlaceError::NoSuchRepository { .. }
            | PlaceError::NoWorktree(_)
            | PlaceError::SeveralWorktrees { .. } => Self::NotFound,
            PlaceError::BadName(_)
            | PlaceError::NotInRepository(_)
            | PlaceError::NameTaken(_)
            | PlaceError::BadKey { .. }
            | PlaceError::NoBranch
            | PlaceError::SeveralRemotes { .. }
            | PlaceError::BadFolder(_)
            | PlaceError::InWorktree { .. }
            | PlaceError::BadSetupFile { .. }
            | PlaceError::NoPlace(_)
            | PlaceError::NotGone(_)
            | PlaceError::NoSetup(_)
            | PlaceError::BadValue { .. } => Self::Usage,
            PlaceError::NoBase
            | PlaceError::BadBase { .. }
            | PlaceError::NoBranchToPush
            | PlaceError::NoRemote(_) => Self::Usage,
            PlaceError::Blocked { .. } => Self::Refused,
            PlaceError::TeardownFailed { .. } => Self::Failed,
            PlaceError::StillUsed { .. }
            | PlaceError::CheckedOut { .. }
            | PlaceError::FolderTaken(_)
            | PlaceError::TooMuchToCopy { .. }
            | PlaceError::Consent { .. }
            | PlaceError::ConsentInside => Self::Refused,
            PlaceError::Busy { .. } => Self::TimedOut,
            PlaceError::Missing { .. }
            | PlaceError::NotCopied { .. }
            | PlaceError::SetupFailed { .. }
            | PlaceError::FolderGone { .. }
            | PlaceError::NoCommitKnown(_) => Self::Failed,
        }
    }

    /// What kind of error a use case of conversations ended with.
    const fn of_talk(error: &TalkError) -> Self {
        match error {
            TalkError::NoRole { .. }
            | TalkError::Subject(_)
            | TalkError::Message(_)
            | TalkError::NotInside
            | TalkError::NoKey(_)
            | TalkError::BadContextKey { .. } => Self::Usage,
            TalkError::NoConversation { .. }
            | TalkError::Several { .. }
            | TalkError::NoneCarried
            | TalkError::NotCarried(_)
            | TalkError::NoMessage { .. }
            | TalkError::NoPin { .. }
            | TalkError::NoVersion { .. }
            | TalkError::Files(ConversationsError::Missing { .. }) => Self::NotFound,
            TalkError::Collision { .. }
            | TalkError::OtherContent { .. }
            | TalkError::Archived(_)
            | TalkError::BeingCompacted { .. }
            | TalkError::CarriedByOther { .. }
            | TalkError::CarriesOther { .. }
            | TalkError::StillCarried { .. }
            | TalkError::CarriedElsewhere(_)
            | TalkError::NoTranscripts(_)
            | TalkError::SpeaksForItself { .. }
            | TalkError::Files(
                ConversationsError::Newer { .. }
                | ConversationsError::Unsafe { .. }
                | ConversationsError::Exists { .. }
                | ConversationsError::NothingToUndo { .. },
            ) => Self::Refused,
            TalkError::Files(ConversationsError::Busy { .. } | ConversationsError::LeaseLost(_)) => {
                Self::TimedOut
            }
            TalkError::Files(ConversationsError::Cancelled) => Self::Interrupted,
            TalkError::BadImport { .. } | TalkError::Io { .. } | TalkError::Files(_) => Self::Failed,
        }
    }

    /// What kind of error a use case ended with.
    pub fn of(error: &OpError) -> Self {
        match error {
            OpError::Resolve(ResolveError::NotInside) => Self::Usage,
            OpError::Resolve(_)
            | OpError::Missing(_)
            | OpError::NotInTrash { .. }
            | OpError::NothingToImport(_)
            | OpError::Group(GroupError::Missing(_)) => Self::NotFound,
            OpError::Mux(e) => of_mux(e),
            OpError::Place(error) => Self::of_place(error),
            OpError::Worker(error) => Self::of_worker(error),
            OpError::McpServers(McpServersError::Unknown { .. } | McpServersError::NotAttached { .. }) => {
                Self::NotFound
            }
            OpError::McpServers(
                McpServersError::NoWay(_)
                | McpServersError::CantReplace { .. }
                | McpServersError::NotIdle { .. }
                | McpServersError::NotForProject { .. }
                | McpServersError::FileStays { .. }
                | McpServersError::NotWritten { .. }
                | McpServersError::ChangedSince { .. },
            ) => Self::Refused,
            OpError::Talk(error) => Self::of_talk(error),
            OpError::Handoff(HandoffError::NoReceipt { is_over: false, .. }) => Self::TimedOut,
            OpError::Handoff(HandoffError::NoReceipt { .. }) => Self::Failed,
            OpError::Handoff(_) => Self::Refused,
            OpError::TypedOnly { error, .. } => Self::of(error),
            OpError::Cancelled
            | OpError::CancelledSent(_)
            | OpError::CancelledTyped(_)
            | OpError::CancelledProbe(_)
            | OpError::CancelledStarted(_)
            | OpError::CancelledAnswered(_) => Self::Interrupted,
            OpError::Git(
                GitError::NoCommit(_)
                | GitError::NoParentBranch { .. }
                | GitError::NoCommitYet(_)
                | GitError::BadBranch(_)
                | GitError::BadPath(_),
            ) => Self::Usage,
            OpError::Git(GitError::TimedOut(_)) => Self::TimedOut,
            OpError::Git(GitError::Conflict(_)) => Self::Refused,
            OpError::Group(GroupError::NotEmpty { .. })
            | OpError::StillRunning(_)
            | OpError::Blocked { .. }
            | OpError::Unsent { .. }
            | OpError::DialogChanged(_)
            | OpError::NotAChoice { .. }
            | OpError::ConversationMissing { .. } => Self::Refused,
            OpError::Guard { .. } | OpError::Plan(PlanError::Mcp(_)) => Self::Refused,
            OpError::ConversationUnknown(_) | OpError::NoConversationId { .. } => Self::Refused,
            OpError::BadSetting { .. } | OpError::NoSuchTool { .. } | OpError::NoKey(_) => Self::Usage,
            OpError::NotTaken { .. } | OpError::Store(StoreError::Busy { .. }) => Self::TimedOut,
            OpError::NoChoice { .. } | OpError::SeveralChoices { .. } | OpError::NoText(_) => Self::Usage,
            OpError::SameConversation { .. } | OpError::Store(StoreError::Newer { .. }) => Self::Refused,
            OpError::BadGroup(_) | OpError::NoTitle | OpError::TitleTaken(_) | OpError::UnclosedQuote(_) => {
                Self::Usage
            }
            OpError::Recorded { error, .. } => Self::of(error),
            OpError::Poll(error) => Self::of(error),
            _ => Self::Failed,
        }
    }

    /// The exit code.
    pub const fn number(self) -> u8 {
        match self {
            Self::Failed => 1,
            Self::Usage => 2,
            Self::NotFound => 3,
            Self::Tmux => 4,
            Self::TimedOut => 5,
            Self::Refused => 6,
            Self::Interrupted => 130,
        }
    }

    /// The word in JSON.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Usage => "usage",
            Self::NotFound => "not_found",
            Self::Tmux => "tmux",
            Self::TimedOut => "timed_out",
            Self::Refused => "refused",
            Self::Interrupted => "interrupted",
        }
    }

    /// What it means.
    pub const fn doc(self) -> &'static str {
        match self {
            Self::Failed => "It failed, for at least one of the sessions.",
            Self::Usage => "The command line is wrong.",
            Self::NotFound => "There is no such thing, or a name matches several.",
            Self::Tmux => "tmux is missing or too old.",
            Self::TimedOut => "It took too long, or could not be confirmed.",
            Self::Refused => "Refused: something would be lost.",
            Self::Interrupted => "Interrupted by ctrl-c.",
        }
    }
}

const fn of_mux(error: &MuxError) -> Code {
    match error {
        MuxError::NotInstalled | MuxError::TooOld { .. } => Code::Tmux,
        MuxError::TimedOut(_) | MuxError::Stopped(_) | MuxError::Unreached { .. } | MuxError::Busy(_) => {
            Code::TimedOut
        }
        _ => Code::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn json_has_the_word() {
        for code in Code::ALL {
            assert_eq!(serde_json::to_value(code).unwrap(), code.word());
        }
    }
}
