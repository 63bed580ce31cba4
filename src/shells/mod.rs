//! Headless shells: their folders, and the process that runs each job.
//!
//! Invariants: nobody is told of an end that is not on disk; a supervisor holds the lock on its job's `code` until its
//! last record is written, and no process is taken for a job's by its id alone; only the holder of `turn` publishes a
//! state; offsets are absolute bytes. It must not know sessions, tmux or how anything is printed.

mod ask;
mod checkpoints;
mod control;
mod folder;
mod interactive;
mod kind;
mod liveness;
mod messages;
mod records;
mod remove;
pub mod repl;
mod segments;
mod shell_files;

pub mod supervisor;
mod waiting;

pub use shell_files::ShellFiles;
