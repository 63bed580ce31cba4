//! deck's MCP server: it gives an agent shells that keep their state, and jobs whose records are true.
//!
//! Invariants: a front end as the command line is, so each tool calls the function in `ops` that the verb calls; it holds
//! nothing that a kill could lose; stdout carries the protocol alone. A tool is one entry of [`tools::ALL`].

mod call;
mod clip;
mod consent;
mod error;
#[cfg(test)]
mod schema;
mod server;
mod shapes;
mod tool;
mod tools;

pub use server::serve;
pub use tool::Tool;
pub use tools::{all, described};
