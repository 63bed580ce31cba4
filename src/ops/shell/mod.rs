//! Headless shells: starting, running code in them, ending them.

mod checkpoint;
mod end;
mod error;
mod exec;
mod find;
mod list;
mod open;
mod owner;
mod replay;
mod start;
mod undo;
mod update;
mod watch;

pub use checkpoint::{RestoreFrom, checkpoint, restore};
pub use end::{Ended, end};
pub use error::{ShellError, ShellOpResult};
#[cfg(feature = "mcp")]
pub use exec::forget;
pub(super) use exec::run_to_end;
pub use exec::{ExecEvent, ExecOptions, Executed, exec, exec_once};
pub use find::{find, inside};
pub use list::{Listed, details, list};
pub use open::{ENTER_VERB, interactive, open};
pub use owner::{USER, may_change, owner};
pub use replay::replay;
pub use start::{NewShell, Started, start, variables};
pub use undo::{bring_back, to_bring_back};
pub use update::update;
pub use watch::{JobTail, ShellState, ShellsInView, ShellsSeen, records, state_of, tail, whole};
