//! The registry of tools: built-in files, users' files and tables, merged key by key.
//!
//! Invariants: a tool is data; adding one is one file. What data can't say (reading an agent's
//! own report) is a small adapter in this folder, chosen by the tool's `sources`, never by its name.
//! It must not know tmux or the TUI.

mod builtin;
mod check;
mod claude_session_file;
mod foreground;
mod headless;
mod json_path;
mod one_request;
mod open_files;
mod opencode_answers;
mod opencode_cli;
mod opencode_http;
mod registry;
mod reloaded;
mod reports;
mod transcript;

pub use builtin::BUILTIN;
pub use check::Problem;
pub use headless::SystemHeadless;
pub use json_path::{JsonPath, last_with};
pub use one_request::{Post, posted};
pub use registry::Registry;
pub use reloaded::{LiveTools, ToolsStamp, stamp_of};
pub use reports::SystemReports;
