//! What starting a session means, as a value that can be printed before it is done.

mod command;
mod env;
mod hooks;
mod mcp;
mod mcp_servers;
mod outline;
mod plan;
mod script;

pub use command::{ParsedCommand, is_closed, parse_command};
pub use env::{agent_env, is_never_passed_on, matches_any};
pub use hooks::SettingsFile;
pub(in crate::domain) use hooks::in_string;
#[cfg(feature = "mcp")]
pub use mcp::fill as mcp_text;
pub use mcp::without_server;
pub use mcp_servers::{Servers, mcp_files, without_servers};
pub use plan::{Launch, LaunchPlan, PlanError, Start, plan};
pub use script::{Publish, SETUP_ENDED};
