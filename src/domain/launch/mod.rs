//! What starting a session means, as a value that can be printed before it is done.

mod command;
mod env;
mod hooks;
mod mcp;
mod outline;
mod plan;
mod script;

pub use command::{ParsedCommand, is_closed, parse_command};
pub use env::{agent_env, is_never_passed_on, matches_any};
pub use hooks::SettingsFile;
#[cfg(feature = "mcp")]
pub use mcp::fill as mcp_text;
pub use mcp::without_server;
pub use plan::{Launch, LaunchPlan, PlanError, Start, plan};
pub use script::{Publish, SETUP_ENDED};
