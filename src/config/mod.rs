//! The user's settings and where deck's files are.
//!
//! Invariants: [`paths`] is the one place that knows deck's folders and its socket's name; every
//! setting is one entry of [`SETTINGS`]; reading never writes and never fails.

mod edit;
mod example;
mod json_schema;
mod kind;
mod load;
mod mcp_servers;
mod notify_command;
pub mod paths;
mod problem;
mod roles;
mod schema;
mod settings;

pub use edit::{Changed, SetError, set};
pub use example::example;
pub use json_schema::json_schema;
pub use kind::Kind;
pub use load::{Loaded, load};
pub use mcp_servers::mcp_folder;
pub use paths::Paths;
pub use problem::Problem;
pub use schema::{Config, Notify};
pub use settings::{SETTINGS, Setting, kind_of, meant};
