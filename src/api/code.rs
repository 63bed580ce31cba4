//! Error codes: the exit codes of the command line, and the words for them in JSON.

use schemars::JsonSchema;
use serde::Serialize;

/// What kind of error it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
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
