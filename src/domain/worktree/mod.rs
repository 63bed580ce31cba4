//! Worktrees of git: which there are, what state each is in.

mod list;
mod location;
mod state;

pub use list::{WorktreeEntry, parse_list};
pub use location::Location;
pub use state::{WorktreeState, parse_status};
