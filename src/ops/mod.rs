//! The use cases, one in each file, written against the ports alone.
//!
//! Invariants: the intent is on disk before a command goes to the multiplexer; every step can be repeated;
//! the TUI and the command line call the same functions on the same [`Cx`]. It must not know
//! files, tmux's syntax, or how anything is drawn.

mod acknowledge;
mod adopt;
mod agent_env;
mod answer;
mod answer_text;
mod archive;
mod attention;
mod cancel;
mod context;
mod conversation_id;
mod create;
mod delete;
mod diff;
mod digest;
mod edit;
mod error;
mod explain;
mod fit;
mod foreground_agent;
mod fork;
mod groups;
pub mod guard;
pub mod handoff;
#[cfg(feature = "web")]
mod hidden;
mod hint;
mod import;
mod import_console;
pub mod job;
mod launch;
mod left;
pub mod mcp_servers;
mod mcp_wish;
mod orphans;
mod output;
mod pane_input;
mod panes;
mod press;
mod preview_header;
mod profiles;
pub mod repository;
mod restart;
mod revive;
mod row_facts;
mod send;
mod session_checkpoint;
mod set;
pub mod shell;
mod stop;
pub mod talk;
#[cfg(test)]
mod tests;
mod undo;
mod unseen;
mod verify_resume;
mod versions;
pub mod watch;
pub mod worker;
pub mod worktree;

pub use acknowledge::{acknowledge, acknowledge_shown};
pub use adopt::{Candidate, KnownBy, adopt, candidates};
#[cfg(feature = "mcp")]
pub use agent_env::as_in_session;
pub use answer::{Answered, Pick, Question, answer, question};
pub use archive::{archive, archived, unarchive};
pub use attention::needy;
pub use context::{Caller, Cx, Installation, ProfileCx, UNSEEN};
pub use conversation_id::record_conversation_id;
pub use create::{Created, New, Prepared, create, default_title, make_folder, prepare};
pub use delete::delete;
pub use diff::{diff, worktree_state};
pub use digest::{count, count_of, digest, said};
pub use edit::{arrange, move_to, place, rename, reorder};
pub use error::{OpError, OpResult};
pub use explain::{evidence_words, seen_words, undecided_words};
pub use fit::{can_fit, fit, fit_terminal};
pub use fork::fork;
pub use groups::{
    add_group, move_group, remove_group, rename_group, reorder_group, set_default_path, set_expanded,
};
#[cfg(feature = "web")]
pub use hidden::{end_of_hidden, run_hidden};
pub use import::{conversations, import, known_conversations};
pub use import_console::import_console;
pub use launch::{preview, start};
pub use left::left;
pub use mcp_wish::McpWish;
pub use output::{history, screen};
pub use pane_input::{PaneInput, type_into};
pub use panes::servers;
pub use press::press;
pub use preview_header::{PreviewHeader, preview_header};
pub use profiles::retag_profile;
pub use restart::restart;
pub use revive::{Revived, look_settled, lost, revive};
pub use row_facts::{RowFacts, RowFactsReader};
pub use send::{Receipt, SendOptions, Unsent, keep_draft, paste_when_ready, send};
pub use session_checkpoint::{
    Kept as KeptCheckpoint, checkpoint as session_checkpoint, preview as session_checkpoint_preview,
};
pub use set::set;
pub use stop::{Terminals, stop};
pub use undo::{Undone, last_undoable, undo};
pub use verify_resume::verify_resume_of;
pub use versions::versions;
pub use watch::{SessionState, Snapshot, Watcher};

pub use crate::ports::Cancel;
