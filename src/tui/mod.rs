//! The terminal: input, drawing, and the event loop.
//!
//! Invariants: what is drawn is a function of the model; nothing blocks on the loop; the terminal
//! is put back whatever ends deck. It must not import tmux, the store or git.

mod ansi;
mod background;
mod external;
mod input;
mod poller;
mod row_reader;
mod run;
mod settings_file;
mod shell_reader;
mod signals;
mod svg;
mod terminal;
mod theme;
mod view;
mod workers;
mod worktree;

pub use external::{editor, no_editor};
pub use run::run;
pub use settings_file::{check as check_settings, set as set_setting};
pub use svg::svg;
pub use theme::{BUILTIN as THEMES, names as theme_names};
#[cfg(test)]
use theme::{Depth, Theme};
