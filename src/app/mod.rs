//! The TUI's state and logic: model, messages, update, effects, commands and keys.
//!
//! Invariants: the TUI is a function of the [`Model`]; [`update`] is synchronous and total, it
//! returns effects as data and never touches a disk, a clock or the multiplexer; every effect
//! carries the session it is for and answers with a [`Msg`]; a late answer for another is dropped.
//! It must not know a terminal, colours or tmux.

pub mod commands;
pub mod dialogs;
mod diff;
mod done;
mod drag;
mod effect;
pub mod footer;
mod geometry;
pub mod header;
mod hints;
mod key;
mod keymap;
mod markdown;
mod marks;
mod mcp_work;
mod msg;
mod panel;
mod panel_layout;
mod pass_through;
mod questions;
pub mod revival;
mod role;
mod shell_work;
mod state;
mod talk_work;
mod update;
mod worker_work;

pub use diff::{
    DiffPanel, Row as DiffRow, SECTION as DIFF_SECTION, Writing as DiffWriting, parts as diff_parts,
    shown_text,
};
pub use done::{Asked, Done, Folders, NotPrepared, Prepared, PreparedWorktree};
pub use effect::{Effect, Outside, Subject};
pub use geometry::{Area, Geometry, first_size, fit_size, of as geometry_of};
pub(crate) use hints::{error_words, restart_hint, shell_error_words};
pub use key::{Key, KeyCode};
pub use keymap::{KeyProblem, Keymap};
pub use mcp_work::McpWork;
pub use msg::{Mouse, MouseKind, Msg};
pub use panel::{Block, Panel, Place, Role, Span, role_of, span};
pub use panel_layout::{LABEL, PAD, PanelLayout, geometry_above, layout as panel_layout, wrap_spans};
pub use pass_through::PaneInput;
pub use role::{of_sign as role_of_sign, of_stream as role_of_stream};
pub use shell_work::ShellWork;
pub use state::{Layout, Model, Settings, Switch, SwitchDoes, Toast, ToolInfo};
pub use talk_work::{PageText, TalkName, TalkPage, TalkWork, Whose};
pub use update::update;
pub use worker_work::WorkerWork;
