//! One integration binary: the real `deck` on a real tmux, everything below a throw-away folder.

#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::string_slice
)]

mod cli;
mod conversation;
mod docs;
#[cfg(feature = "mcp")]
mod mcp;
mod mcp_servers;
mod places;
mod screens;
mod shells;
mod support;
mod tidy;
mod tui;
#[cfg(feature = "web")]
mod web;
mod workers;
