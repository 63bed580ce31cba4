//! MCP servers of the user's: which ones a session is given, and what it was started with.
//!
//! Invariant: a session is started with what its catalogue says then, and that is noted with it; what the catalogue says
//! later is a difference, not what runs.

mod agent_file;
mod catalogue;
mod change;
mod choice;
mod definition;
mod digest;
mod entry;
mod environment;
mod facts;
pub mod given_up;
mod import;
mod judgement;
pub mod project_file;
pub mod relay;
mod set_file;
mod share;
mod variables;

pub use agent_file::{AgentFile, Source, parse as parse_agent_file, servers_in};
pub use catalogue::{Catalogue, Chosen, Origin};
pub use change::{Change, Loaded, changes};
pub use choice::{Attaching, McpChoice};
pub use definition::{Definition, KEYS, Transport, check_name};
pub use digest::checksum;
pub use entry::{NoEntry, ServerEntries, entry};
pub use environment::{Place, Prepared, is_passed_on, prepare};
pub use facts::why_not_shared;
pub use import::{Imported, import, variable_for};
pub use judgement::{Seen, against_sharing};
pub use set_file::{Pools, SetFile};
pub use share::{Seconds, Share};
pub use variables::MissingVariable;
