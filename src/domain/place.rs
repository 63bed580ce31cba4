//! Where a session works: a worktree of a repository. A session without a place works in a folder as it is.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::worktree::Checkout;

/// How far the setup of a worktree is, which runs once before the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SetupState {
    /// There is none.
    #[default]
    None,
    /// It is to run at the next start.
    Wanted,
    Done,
    Failed,
    /// Its user started the session without it.
    Skipped,
}

impl SetupState {
    /// Whether the next start runs it.
    pub const fn is_due(self) -> bool {
        matches!(self, Self::Wanted | Self::Failed)
    }

    pub const fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Wanted => "wanted",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }
}

/// What is still to be done until a worktree is made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// What it is to have checked out.
    pub checkout: Checkout,
    /// Whether git is known to have made it: then files may have yet to be copied and linked.
    #[serde(default)]
    pub is_made: bool,
    /// Whether files that git ignores are copied.
    #[serde(default)]
    pub copies: bool,
}

/// The worktree that a session works in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Place {
    pub repository_id: String,
    /// Its top, absolute and without links.
    pub worktree: String,
    /// The branch that it was made for; none if that was a commit.
    #[serde(default)]
    pub branch: Option<String>,
    /// The branch that this one is to end in.
    #[serde(default)]
    pub base: Option<String>,
    /// Whether deck made the worktree for this session.
    #[serde(default)]
    pub made: bool,
    /// What is still to be done until it is made; none once it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<Pending>,
    #[serde(default)]
    pub setup: SetupState,
    /// The checksum of what its user allowed for this session alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent: Option<String>,
    /// The first of its ten ports is 20000 plus ten times this.
    #[serde(default)]
    pub slot: u32,
    /// A number of the device that the folder above it is on: where that is another one, its disk is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<u64>,
    /// The commit that it had when it was removed.
    #[serde(default)]
    pub head: Option<String>,
    #[serde(default)]
    pub removed_at: Option<Timestamp>,
    /// Fields of a newer deck.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

impl Place {
    /// The first of the ten ports that its programs may listen on.
    pub const fn port(&self) -> u32 {
        20_000 + 10 * self.slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_of_a_newer_deck_is_kept() {
        let text = r#"{"repository_id":"r","worktree":"/w","setup":"wanted","later":[1]}"#;
        let place: Place = serde_json::from_str(text).unwrap();
        assert!(place.setup.is_due() && place.pending.is_none() && !place.made);
        assert_eq!(place.port(), 20_000);
        let back = serde_json::to_value(&place).unwrap();
        assert_eq!(back["later"][0], 1);
        assert!(back.get("pending").is_none());
    }
}
