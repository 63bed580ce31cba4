//! The user's MCP servers: which ones a session has, what is passed when it starts, and whether that is out of date.

mod agents_files;
mod attach;
mod error;
mod for_launch;
mod given_up;
mod import;
mod project;
mod restart;
mod state;

use agents_files::AgentsFiles;
pub use attach::{Deed, Place, change, check_words};
pub use error::McpServersError;
pub use for_launch::chosen;
pub(super) use for_launch::{for_launch, remove_files};
pub use import::{Importable, importable_of_file, importable_of_tools};
pub(super) use project::put_back;
pub use project::{ProjectDeed, change_project};
pub use restart::{check_restart_shared, restart_if_idle};
pub use state::McpState;
pub(super) use state::{McpStates, variables};
