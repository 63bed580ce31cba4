//! What deck is about, as pure values: sessions, groups, tools, statuses, launch plans.
//!
//! Invariants: no I/O, no clock, no environment, no randomness, no async. Times, ids and
//! entropy come in as arguments. A reader of this folder understands the product without
//! knowing tmux. It must not import any other module of this crate.

pub mod age;
pub mod agent_console;
pub mod cells;
pub mod change;
pub mod columns;
pub mod conversation;
pub mod diff;
pub mod env_file;
#[cfg(feature = "web")]
pub mod frame;
pub mod fuzzy;
pub mod group;
pub mod guard;
pub mod handoff;
pub mod hint;
pub mod id;
pub mod kept_view;
pub mod key_name;
pub mod launch;
pub mod mcp_scope;
pub mod mcp_servers;
pub mod packet;
pub mod place;
pub mod profile;
pub mod quote;
pub mod repository;
pub mod resolve;
pub mod screen;
pub mod secrets;
pub mod session;
pub mod shell;
pub mod slug;
pub mod source_pos;
pub mod status;
pub mod talk;
pub mod text;
pub mod tool;
pub mod tree;
pub mod worker;
pub mod worktree;
