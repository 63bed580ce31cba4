//! What a source reports about a session: never a status by itself, only a reason for one.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::reason::Reason;

/// Who reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The process table and tmux: dead, how it ended, what runs in the foreground.
    Process,
    /// The agent's own report: its session file or its local service.
    Report,
    /// A hook the agent ran.
    Hook,
    /// The pane's title, for agents that keep their status there.
    Title,
    /// Rules on the screen.
    Screen,
    /// The conversation file.
    Transcript,
    /// Whether the screen was repainted lately; for tools that nothing else is known of.
    Activity,
}

impl Source {
    /// Whether it states the agent's own idea of itself, so that no second poll is needed.
    pub const fn is_exact(self) -> bool {
        matches!(self, Self::Process | Self::Report | Self::Hook | Self::Title)
    }

    /// The words for it on the screen.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Report => "agent",
            Self::Hook => "hook",
            Self::Title => "title",
            Self::Screen => "screen",
            Self::Transcript => "transcript",
            Self::Activity => "activity",
        }
    }
}

/// What kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum BusyKind {
    /// Waits for the model or streams its answer.
    #[default]
    Thinking,
    /// Runs a tool.
    Tool,
    /// Repeats a failed request; the attempt when it is known.
    Retrying(Option<u32>),
    /// A sub-agent or background task still runs.
    Background,
    /// Shortens its own conversation.
    Compacting,
    /// Draws something: it is unknown what it does.
    Active,
}

/// What the user is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockKind {
    /// To allow something.
    Permission,
    /// To answer a question.
    Question,
    /// To approve a plan.
    Plan,
    /// To trust a folder.
    Trust,
    /// To sign in.
    Login,
    /// To close some other dialog.
    Dialog,
}

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailKind {
    /// The model's service refused or dropped the connection.
    Api,
    /// Not signed in, or the key is not accepted.
    Auth,
    /// A usage limit.
    Limit,
}

/// How a session's process ended.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// There is no tmux session.
    Missing,
    /// It ended with this status.
    Code(i32),
    /// A signal ended it; the signal's name without `SIG`, or its number.
    Signal(String),
    /// Dead, but tmux can't say yet how.
    NotYetKnown,
    /// Dead, and tmux will never say how.
    Unknown,
    /// It ended, and the shell that its user had typed it into keeps running.
    ToShell,
}

/// What a ready agent shows of the turn before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Turn {
    /// Nothing: there was none, or it left no mark.
    Unmarked,
    /// It ended by itself.
    Finished,
    /// The user interrupted it, or started another conversation: they know.
    ByUser,
}

/// What was seen.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Observation {
    /// The process is gone.
    Gone(Exit),
    /// It asks its user.
    Blocked(BlockKind),
    /// It gave up on something.
    Failed(FailKind),
    /// It works.
    Busy(BusyKind),
    /// It waits for its next prompt.
    Ready(Turn),
    /// Nothing that is understood.
    Unknown,
}

impl Observation {
    /// The word for it, as `deck tool test` prints it.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Gone(_) => "gone",
            Self::Blocked(_) => "blocked",
            Self::Failed(_) => "failed",
            Self::Busy(_) => "busy",
            Self::Ready(_) => "ready",
            Self::Unknown => "unknown",
        }
    }

    /// What kind of that, in the words of a status' reason.
    pub fn kind(&self) -> Option<String> {
        let reason = match self {
            Self::Gone(exit) => Reason::of_exit(exit),
            Self::Busy(kind) => Some(Reason::Busy(*kind)),
            Self::Blocked(kind) => Some(Reason::Blocked(*kind)),
            Self::Failed(kind) => Some(Reason::Failed(*kind)),
            Self::Ready(Turn::Finished) => Some(Reason::Finished),
            Self::Ready(Turn::ByUser) => return Some("interrupted".to_owned()),
            Self::Ready(Turn::Unmarked) | Self::Unknown => None,
        };
        reason.map(|r| r.to_string())
    }
}

/// One statement about a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Who reports it.
    pub source: Source,
    /// What was seen.
    pub what: Observation,
    /// Since when, by the source's own account.
    pub since: Option<Timestamp>,
    /// When deck looked.
    pub seen_at: Timestamp,
    /// What is asked, or what went wrong, in the agent's words.
    pub asks: Option<String>,
    /// The rule that matched.
    pub rule: Option<String>,
    /// The line that it matched.
    pub line: Option<String>,
}

impl Evidence {
    /// A bare statement.
    pub const fn new(source: Source, what: Observation, seen_at: Timestamp) -> Self {
        Self { source, what, since: None, seen_at, asks: None, rule: None, line: None }
    }

    /// The same with the source's own time.
    #[must_use]
    pub const fn since(mut self, since: Option<Timestamp>) -> Self {
        self.since = since;
        self
    }
}
