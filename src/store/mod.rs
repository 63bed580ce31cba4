//! Profiles on disk, histories of statuses, and conversations in the folders of projects.
//!
//! Invariants: nobody writes a snapshot from memory, every change is a closure on the file as it
//! is under the lock; at no instant is `sessions.json` absent or half written; what can't be read
//! is kept aside, never overwritten; a newer deck's file is never rewritten.
//! It must not know tmux, tools or the TUI.

mod backups;
mod conversations;
mod format;
mod history_files;
mod newer_words;
mod profile_file;
mod profiles;

pub use conversations::ConversationFiles;
pub use history_files::HistoryFiles;
pub use profile_file::ProfileFile;
pub use profiles::{Profiles, ProfilesError};
