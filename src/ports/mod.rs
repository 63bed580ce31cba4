//! What the use cases need from outside, as traits; each has an in-memory fake for tests.
//!
//! Invariant: knows `domain` alone. Adapters implement these; `ops` is written against them.

pub mod busy;
pub mod cancel;
pub mod catalogue;
pub mod clock;
pub mod conversations;
pub mod folders;
pub mod git;
pub mod headless;
pub mod history;
pub mod host;
pub mod mcp_servers;
pub mod mux;
pub mod reports;
pub mod shells;
pub mod store;
mod tags;

#[cfg(test)]
pub mod fake;

pub use busy::{Busy, Holder, NotTaken};
pub use cancel::Cancel;
pub use catalogue::{Catalogue, ToolEntry};
pub use clock::Clock;
pub use conversations::{Conversations, ConversationsError};
pub use folders::Folders;
pub use git::{Git, GitError};
pub use headless::Headless;
pub use history::History;
pub use host::Host;
pub use mcp_servers::McpServers;
pub use mux::{Mux, MuxError};
pub use reports::Reports;
pub use shells::{Shells, ShellsError};
pub use store::{Store, StoreError, transact};
