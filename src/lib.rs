//! deck: a terminal deck for people who run many AI coding agents at once.
//!
//! See `docs/architecture.md` for the folders, their layers and the invariants they keep. Nothing is public but the
//! program itself and what its documents and pictures are made from, so that the compiler finds what is no
//! longer used.

mod api;
mod app;
pub mod cli;
mod config;
mod domain;
mod engine;
mod git;
#[cfg(feature = "mcp")]
mod mcp;
mod mcp_servers;
mod ops;
mod ports;
pub mod reference;
#[cfg(feature = "web")]
mod server;
mod shells;
mod store;
mod sys;
mod tmux;
mod tools;
mod tui;
mod wiring;
