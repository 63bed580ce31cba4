//! Jobs of headless shells: their output, their end, and what can be done to them.

mod find;
mod kill;
mod output;
mod prune;
mod run;
mod wait;
mod write;

pub use find::{JobFilter, find, jobs, of_own_shell};
pub use kill::{Killed, kill, kill_word};
#[cfg(feature = "mcp")]
pub use output::Part;
pub use output::{JobOutput, OutputRange, Since, merged, output};
pub use prune::{Pruned, prune};
pub use run::run;
pub use wait::{WaitOptions, Waited, wait};
pub use write::{close, write};
