//! In-memory stand-ins for the ports, for tests of the use cases.

mod agent;
mod clock;
mod conversations;
mod folders;
mod git;
mod headless;
mod host;
mod mcp_servers;
mod mux;
mod mux_calls;
mod records;
mod shells;

pub use agent::{Agent, Composer, Frame, Input};
pub use clock::FakeClock;
pub use conversations::FakeConversations;
pub use folders::FakeFolders;
pub use git::FakeGit;
pub use headless::FakeHeadless;
pub use host::FakeHost;
pub use mcp_servers::FakeMcpServers;
pub use mux::FakeMux;
pub use records::{FakeHistory, FakeReports, FakeStore, FakeTools};
pub use shells::FakeShells;
