//! The user's settings and where deck's files are.
//!
//! Invariants: [`paths`] is the one place that knows deck's folders and its socket's name; every
//! key has a default and a doc; reading never writes.

mod edit;
mod load;
mod notify_command;
pub mod paths;
mod schema;

pub use edit::set;
pub use load::{ConfigError, Loaded, Warning, load};
pub use paths::Paths;
pub use schema::{Config, KEYS, Notify, choices};
