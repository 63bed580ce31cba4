//! Worktrees of git: which there are, what state each is in.

mod blocker;
mod checkout;
mod list;
mod location;
mod setup_file;
mod state;

pub use blocker::{Blocker, IgnoredFile, WayOn, is_expendable};
pub use checkout::Checkout;
pub use list::{WorktreeEntry, parse_list};
pub use location::{INSIDE, Location, Site};
pub use setup_file::{MOST, SETUP_FILE, SetupPart};
pub use state::{WorktreeState, parse_status};
