//! What a session is doing, and how that follows from evidence.
//!
//! [`reduce`] is the one function that turns evidence into a status: the screen, the command
//! line and everything else call it. The [`Memory`] of its last answer lives on the tmux session.

mod answered;
mod change;
mod details;
mod evidence;
mod hook;
mod kind;
mod memory;
mod priority;
mod reason;
mod reduce;
mod resized;
mod setup;
mod startup;

pub use change::Change;
pub use evidence::{BlockKind, BusyKind, Evidence, Exit, FailKind, Observation, Source, Turn};
pub use hook::HookNote;
pub use kind::{StatusFilter, StatusKind};
pub use memory::Memory;
pub use priority::{EvidenceOutcome, outcomes};
pub use reason::Reason;
pub use reduce::{Facts, GRACE, StartKind, Verdict, reduce};
pub use resized::Resized;
pub use setup::SetupStep;

use serde::{Deserialize, Serialize};

/// What a session is doing, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Launched a moment ago, nothing exact is known yet.
    Starting,
    /// Works; needs nobody.
    Running,
    /// Needs its user.
    Waiting,
    /// Has nothing to do, and its user knows.
    Idle,
    /// Can't continue by itself.
    Error,
    /// Stopped by its user, never started, or ended well by itself.
    Stopped,
}

impl Status {
    /// All of them, in the order in which they are counted on the screen.
    pub const ALL: [Self; 6] =
        [Self::Running, Self::Waiting, Self::Idle, Self::Error, Self::Starting, Self::Stopped];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Idle => "idle",
            Self::Error => "error",
            Self::Stopped => "stopped",
        }
    }

    /// The status with this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.word() == word)
    }

    /// Whether something in it moves by itself, so that a screen that shows it ages.
    pub const fn is_live(self) -> bool {
        matches!(self, Self::Starting | Self::Running)
    }
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}
