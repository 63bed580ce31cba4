//! Conversations of deck's own: what a role says about a feature or a task, whichever program keeps running it.
//!
//! What an agent program keeps is a transcript, and elsewhere ([`crate::domain::conversation`]). Invariants: the records of the
//! log are the truth, and everything else is made from them; a record's number is never given twice.

mod carries;
mod checkpoint;
mod compaction;
mod context;
mod event;
mod id;
mod message;
mod request;
mod role;
mod shape;
mod state;
mod tokens;

pub use carries::{Carries, carried_line};
pub use checkpoint::{Checkpoint, CheckpointStats, CompactionInfo, Kept, Summary};
pub use compaction::{
    ANSWER_SCHEMA, SUMMARIZER, Weighed, answer, checkpoint_size, deterministic, largest, material, merge,
    pieces, shrinks, split, users_words,
};
pub use context::{Context, Feature, tree};
pub use event::{Complete, Event, LOG_VERSION, Lease, Pin, Record};
pub use id::{BadSubject, Kind, Subject, TalkId, is_word};
pub use message::{BadMessage, MAX_CONTENT, Message, Speaker, content, is_message_id};
pub use request::{CUT, INSTRUCTIONS, Material, Part as RequestPart, Request, STRUCTURE, build, cut_to};
pub use role::{OnFull, ROLE_KEYS, Role, Roles, builtin_tables};
pub use shape::{ChatFile, Description, SessionFile};
#[cfg(test)]
pub use state::Compactions;
pub use state::{Carrier, State, TalkStatus};
pub use tokens::{Factors, estimate, family};

/// The word for a checkpoint that no model wrote.
pub const DETERMINISTIC: &str = "deterministic";
/// The word for one that a model wrote.
pub const BY_MODEL: &str = "model";
