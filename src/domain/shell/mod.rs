//! Headless shells and their jobs: ids, records, offsets, limits, and the state that a bash leaves.

pub mod bash_state;
mod checkpoint;
pub mod environment;
mod hint;
mod id;
mod job;
mod output;
mod record;
mod resolve;
mod row_words;
mod sh_state;
mod update;

pub use checkpoint::{Checkpoint, StateFrom};
pub use hint::ShellHint;
pub use id::{JobId, ShellId};
pub use job::{Child, Job, JobStatus, StateOutcome, Stream};
pub use output::{HEAD, SEGMENT, TAIL, Window, whole_characters};
pub use record::{Limits, Shell, ShellName, ShellStatus};
pub use resolve::{JobWord, ShellResolveError, find_shell};
pub use row_words::{RowWords, ShellSign, row_words};
pub use update::Changes;
