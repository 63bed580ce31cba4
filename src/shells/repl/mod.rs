//! Kinds whose state is in one live process, the interpreter: it is started with the first command, runs one after
//! another, and ends with its shell.
//!
//! Its driver (`assets/shells/*/driver.*`) says what goes over the pipes. A job's leader is a process of deck's that
//! asks the interpreter for it and ends as the code did: so everything else of a job is as in other kinds.

pub mod interpreter;
mod leader;
pub mod replay;

pub use leader::{REQUEST, ReplRequest, VERB, lead};
