//! deck: a terminal deck for people who run many AI coding agents at once.
//!
//! See `docs/architecture.md` for the folders, their layers and the invariants they keep.

pub mod api;
pub mod app;
pub mod cli;
pub mod config;
pub mod domain;
pub mod engine;
pub mod ops;
pub mod ports;
pub mod store;
pub mod sys;
pub mod tmux;
pub mod tools;
pub mod tui;
pub mod wiring;
